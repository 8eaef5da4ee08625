/* derive/generate/text_plan.c - columns are given to those numbers that differ from piece to piece. */
#include "text_plan.h"

#include <stdlib.h>

/* The numbers of a piece, one after the other: bases, steps by level, counts, grow. */
static size_t numbers_of(const struct plan *plan)
{
    return plan->width * (1 + plan->depth) + plan->depth + 1;
}

static int32_t number_of(const struct plan *plan, size_t piece, size_t which)
{
    const struct cover *cover = &plan->operator->cover;
    const struct cover_piece *p = &cover->piece[piece];
    const size_t width = plan->width;
    if (which < width) return plan->operator->value[cover->order[p->first] * width + which];
    which -= width;
    for (size_t level = 0; level < plan->depth; level++, which -= width)
        if (which < width) return cover_step(cover, piece, level)[which];
    return which < plan->depth ? p->count[which] : p->grow;
}

static struct plan_number *place_of(struct plan *plan, size_t which)
{
    if (which < plan->width) return &plan->base[which];
    which -= plan->width;
    for (size_t level = 0; level < plan->depth; level++, which -= plan->width)
        if (which < plan->width) return &plan->step[level][which];
    return which < plan->depth ? &plan->count[which] : &plan->grow;
}

bool plan_make(const struct roll_operator *operator, size_t id, struct plan *plan)
{
    *plan = (struct plan){
        .operator= operator, .depth = operator->cover.depth, .width = operator->cover.width, .id = id};
    plan->base = calloc(plan->width * (1 + COVER_LEVELS), sizeof *plan->base);
    if (!plan->base) return false;
    for (size_t l = 0; l < COVER_LEVELS; l++) plan->step[l] = plan->base + (1 + l) * plan->width;
    for (size_t which = 0; which < numbers_of(plan); which++) {
        const int32_t first = number_of(plan, 0, which);
        size_t same = 1;
        while (same < operator->cover.n_pieces && number_of(plan, same, which) == first) same++;
        const bool differs = same < operator->cover.n_pieces;
        *place_of(plan, which) = (struct plan_number){first, differs ? (int32_t)plan->columns++ : -1};
    }
    return true;
}

void plan_release(struct plan *plan)
{
    free(plan->base);
    *plan = (struct plan){.width = 0};
}

void plan_write_number(struct text *text, struct plan_number number)
{
    if (number.column < 0)
        text_add(text, "%d", (int)number.value);
    else
        text_add(text, "q[%d]", (int)number.column);
}

void plan_write_table(const struct plan *plan, struct text *text)
{
    const size_t pieces = plan->operator->cover.n_pieces;
    struct plan copy = *plan;
    if (plan->columns == 0) return;
    text_add(text, "    static const int TABLE_%zu[%zu][%zu] = {", plan->id, pieces, plan->columns);
    for (size_t piece = 0; piece < pieces; piece++) {
        text_add(text, piece % 8 == 0 ? "\n        {" : " {");
        size_t written = 0;
        for (size_t which = 0; which < numbers_of(plan); which++)
            if (place_of(&copy, which)->column >= 0)
                text_add(text, written++ ? ", %d" : "%d", (int)number_of(plan, piece, which));
        text_add(text, "},");
    }
    text_add(text, "\n    };\n");
}
