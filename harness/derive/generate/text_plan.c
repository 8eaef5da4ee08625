/* derive/generate/text_plan.c - columns are given to those numbers that differ from piece to piece; to numbers that
 * differ alike the same one: the compiler then computes a place once, and what lies a fixed way from it with it. */
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

/* Are the numbers `which` and `other` the same distance apart in every piece? */
static bool differ_alike(const struct plan *plan, size_t which, size_t other)
{
    const int64_t apart = (int64_t)number_of(plan, 0, which) - number_of(plan, 0, other);
    for (size_t piece = 1; piece < plan->operator->cover.n_pieces; piece++)
        if ((int64_t)number_of(plan, piece, which) - number_of(plan, piece, other) != apart) return false;
    return apart >= INT32_MIN && apart <= INT32_MAX;
}

static bool is_constant(const struct plan *plan, size_t which)
{
    for (size_t piece = 1; piece < plan->operator->cover.n_pieces; piece++)
        if (number_of(plan, piece, which) != number_of(plan, 0, which)) return false;
    return true;
}

/* Bases share a column with bases, the rest with what is the same number: `which` is as far from it. */
static struct plan_number place_for(struct plan *plan, size_t which)
{
    const int32_t first = number_of(plan, 0, which);
    if (is_constant(plan, which)) return (struct plan_number){first, -1};
    for (size_t c = 0; c < plan->columns; c++) {
        const size_t other = plan->column[c];
        const int64_t apart = (int64_t)first - number_of(plan, 0, other);
        if ((apart == 0 || (which < plan->width && other < plan->width)) && differ_alike(plan, which, other))
            return (struct plan_number){(int32_t)apart, (int32_t)c};
    }
    plan->column[plan->columns] = which;
    return (struct plan_number){0, (int32_t)plan->columns++};
}

bool plan_make(const struct roll_operator *operator, size_t id, struct plan *plan)
{
    *plan = (struct plan){
        .operator= operator, .depth = operator->cover.depth, .width = operator->cover.width, .id = id};
    plan->base = calloc(plan->width * (1 + COVER_LEVELS), sizeof *plan->base);
    plan->column = calloc(numbers_of(plan), sizeof *plan->column);
    if (!plan->base || !plan->column) {
        plan_release(plan);
        return false;
    }
    for (size_t l = 0; l < COVER_LEVELS; l++) plan->step[l] = plan->base + (1 + l) * plan->width;
    for (size_t which = 0; which < numbers_of(plan); which++) *place_of(plan, which) = place_for(plan, which);
    return true;
}

void plan_release(struct plan *plan)
{
    free(plan->base);
    free(plan->column);
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
    if (plan->columns == 0) return;
    text_add(text, "    static const int TABLE_%zu[%zu][%zu] = {", plan->id, pieces, plan->columns);
    for (size_t piece = 0; piece < pieces; piece++) {
        text_add(text, piece % 8 == 0 ? "\n        {" : " {");
        for (size_t c = 0; c < plan->columns; c++)
            text_add(text, c > 0 ? ", %d" : "%d", (int)number_of(plan, piece, plan->column[c]));
        text_add(text, "},");
    }
    text_add(text, "\n    };\n");
}
