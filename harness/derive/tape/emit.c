/* derive/tape/emit.c - places for what a tape computes, and its arrays. */
#include <stdlib.h>
#include <string.h>

#include "tape_plan.h"

struct places { /* of values, or of lane values */
    struct words idle;
    uint32_t count; /* that there are so far */
};

struct emission {
    const struct plan *plan;
    const uint32_t *order;
    struct sens_tape *tape;
    uint32_t *place; /* [nodes] of values and lane values; of leaves and constants, too */
    uint32_t *last;  /* [nodes] the last strip that needs it, + 1; 0: none */
    struct places value, lane;
    struct words constant; /* nodes */
    struct sens_tape_block *block;
    struct sens_tape_strip *strip;
    size_t n_blocks;
    uint32_t *index;
    size_t n_index;
    sens_status status;
};

static uint32_t take_place(struct places *places)
{
    return places->idle.count ? places->idle.at[--places->idle.count] : places->count++;
}

static void give_place(struct emission *e, struct places *places, uint32_t place)
{
    if (!words_push(&places->idle, place)) e->status = SENS_NO_MEMORY;
}

static const struct item *item_at(const struct emission *e, size_t k)
{
    return &e->plan->item[e->order[k]];
}

/* Is this operand a node, and not an index or a flag? */
static bool is_node(const struct item *item, size_t k)
{
    if (item->op == SENS_TAPE_LANE_LOAD) return false;
    return item->op < SENS_TAPE_GUARD_LESS || item->op > SENS_TAPE_GUARD_EQUAL || k < item->first + 2;
}

/* ---- leaves and constants ---------------------------------------------------------------------------------- */

static void place_leaf(struct emission *e, graph_node node)
{
    const struct graph_operation *leaf = &e->plan->g->node[node];
    struct sens_tape *tape = e->tape;
    if (!e->last[node]) return;
    if (leaf->op == GRAPH_X) {
        if (leaf->a >= e->plan->request.n) e->status = SENS_UNSUPPORTED;
        tape->n_x = e->plan->request.n;
    } else if (leaf->op == GRAPH_P) {
        if (leaf->a >= e->plan->request.np) e->status = SENS_UNSUPPORTED;
        tape->n_p = e->plan->request.np;
    } else if (leaf->op == GRAPH_CONSTANT) {
        e->place[node] = (uint32_t)e->constant.count;
        if (!words_push(&e->constant, node)) e->status = SENS_NO_MEMORY;
    }
}

static void for_leaves(struct emission *e, void (*visit)(struct emission *e, graph_node node))
{
    const struct graph *g = e->plan->g;
    for (size_t k = 0; k < g->n_nodes; k++)
        if (graph_operands(g->node[k].op) == 0) visit(e, (graph_node)k);
}

static void number_leaf(struct emission *e, graph_node node)
{
    const struct graph_operation *leaf = &e->plan->g->node[node];
    if (leaf->op == GRAPH_T) e->place[node] = (uint32_t)e->tape->t_at;
    if (leaf->op == GRAPH_X) e->place[node] = (uint32_t)(e->tape->x_at + leaf->a);
    if (leaf->op == GRAPH_P) e->place[node] = (uint32_t)(e->tape->p_at + leaf->a);
    if (is_row_of_v(e->plan, node)) e->place[node] = leaf->a;
}

/* Constants, t, x, p, and then the places that are used again. */
static void place_leaves(struct emission *e)
{
    struct sens_tape *tape = e->tape;
    for_leaves(e, place_leaf);
    tape->n_constants = e->constant.count;
    tape->t_at = tape->n_constants;
    tape->x_at = tape->t_at + 1;
    tape->p_at = tape->x_at + tape->n_x;
    const size_t first = tape->p_at + tape->n_p;
    if (first > UINT32_MAX / 2) e->status = SENS_UNSUPPORTED;
    for_leaves(e, number_leaf);
    e->value.count = (uint32_t)first;
    e->lane.count = 1; /* lane value 0 is 0 */
    sens_real *constant = calloc(tape->n_constants + 1, sizeof *constant);
    if (!constant) e->status = SENS_NO_MEMORY;
    for (size_t k = 0; constant && k < tape->n_constants; k++) {
        long double number = 0;
        graph_is_constant(e->plan->g, e->constant.at[k], &number);
        constant[k] = (sens_real)number;
    }
    tape->constant = constant;
}

/* ---- places ------------------------------------------------------------------------------------------------- */

static void find_last_uses(struct emission *e)
{
    for (size_t k = 0; k < e->plan->n_items; k++) {
        const struct item *item = item_at(e, k);
        for (size_t i = item->first; i < item->end; i++)
            if (is_node(item, i)) e->last[e->plan->operand.at[i]] = item->strip + 1; /* strips ascend */
    }
}

/* The items of a strip get places; then those of what no later strip needs are free. Items first, ..., end - 1. */
static void place_strip(struct emission *e, size_t first, size_t end, struct words *ending)
{
    const uint32_t strip = item_at(e, first)->strip;
    for (size_t k = first; k < end; k++) {
        const struct item *item = item_at(e, k);
        if (item->goal != SENS_TAPE_KEPT || item->node == GRAPH_ZERO) continue;
        e->place[item->node] = take_place(is_lane_op(item->op) ? &e->lane : &e->value);
        if (!words_push(&ending[e->last[item->node] - 1], e->order[k])) e->status = SENS_NO_MEMORY;
    }
    for (size_t k = 0; k < ending[strip].count; k++) {
        const struct item *item = &e->plan->item[ending[strip].at[k]];
        give_place(e, is_lane_op(item->op) ? &e->lane : &e->value, e->place[item->node]);
    }
    words_free(&ending[strip]);
}

static size_t end_of_strip(const struct emission *e, size_t first)
{
    size_t end = first;
    while (end < e->plan->n_items && item_at(e, end)->strip == item_at(e, first)->strip) end++;
    return end;
}

static void place_items(struct emission *e)
{
    const size_t strips = e->plan->n_items ? item_at(e, e->plan->n_items - 1)->strip + 1 : 0;
    struct words *ending = calloc(strips + 1, sizeof *ending);
    if (!ending) e->status = SENS_NO_MEMORY;
    for (size_t first = 0, end; ending && first < e->plan->n_items; first = end) {
        end = end_of_strip(e, first);
        place_strip(e, first, end, ending);
    }
    free(ending);
    e->tape->n_strips = strips;
    e->tape->n_values = e->value.count;
    e->tape->n_lane_values = e->lane.count;
}

/* ---- arrays ------------------------------------------------------------------------------------------------- */

static bool same_block(const struct sens_tape_block *block, const struct item *before,
                       const struct item *item)
{
    return block->op == item->op && block->goal == item->goal && before->strip == item->strip &&
           before->level == item->level && memcmp(block->part, item->part, sizeof block->part) == 0;
}

static void emit_operands(struct emission *e, const struct item *item)
{
    const bool guard = item->op >= SENS_TAPE_GUARD_LESS && item->op <= SENS_TAPE_GUARD_EQUAL;
    if (!guard) e->index[e->n_index++] = item->goal == SENS_TAPE_KEPT ? e->place[item->node] : item->row;
    for (size_t i = item->first; i < item->end; i++) {
        const uint32_t word = e->plan->operand.at[i];
        const bool no_lane = is_lane_op(item->op) && is_node(item, i) && word == GRAPH_ZERO;
        e->index[e->n_index++] = no_lane ? 0 : is_node(item, i) ? e->place[word] : word;
    }
}

static void emit_item(struct emission *e, size_t k)
{
    const struct item *item = item_at(e, k), *before = k ? item_at(e, k - 1) : NULL;
    struct sens_tape_strip *strip = &e->strip[item->strip];
    if (!before || before->strip != item->strip)
        *strip = (struct sens_tape_strip){e->n_blocks, SIZE_MAX, e->n_blocks};
    if (!before || !same_block(&e->block[e->n_blocks - 1], before, item)) {
        struct sens_tape_block *block = &e->block[e->n_blocks++];
        *block = (struct sens_tape_block){.op = item->op, .goal = item->goal, .index = e->n_index};
        memcpy(block->part, item->part, sizeof block->part);
    }
    if (is_lane_op(item->op) && strip->lanes == SIZE_MAX) strip->lanes = e->n_blocks - 1;
    strip->end = e->n_blocks;
    e->block[e->n_blocks - 1].rows++;
    emit_operands(e, item);
}

static void emit_arrays(struct emission *e)
{
    const struct plan *plan = e->plan;
    size_t words = 0;
    for (size_t k = 0; k < plan->n_items; k++) words += 1 + item_at(e, k)->end - item_at(e, k)->first;
    e->index = calloc(words + 1, sizeof *e->index);
    e->block = calloc(plan->n_items + 1, sizeof *e->block);
    e->strip = calloc(e->tape->n_strips + 1, sizeof *e->strip);
    e->tape->index = e->index;
    e->tape->strip = e->strip;
    if (e->index && e->block && e->strip)
        for (size_t k = 0; k < plan->n_items; k++) emit_item(e, k);
    else
        e->status = SENS_NO_MEMORY;
    for (size_t s = 0; e->strip && s < e->tape->n_strips; s++)
        if (e->strip[s].lanes == SIZE_MAX) e->strip[s].lanes = e->strip[s].end;
    struct sens_tape_block *fitting = realloc(e->block, (e->n_blocks + 1) * sizeof *fitting);
    e->tape->block = fitting ? fitting : e->block;
}

sens_status plan_emit(const struct plan *plan, const uint32_t *order, struct sens_tape **tape)
{
    const size_t nodes = plan->g->n_nodes;
    struct emission e = {.plan = plan, .order = order, .tape = calloc(1, sizeof *e.tape)};
    e.place = malloc(nodes * sizeof *e.place);
    e.last = calloc(nodes, sizeof *e.last);
    if (e.tape && e.place && e.last) {
        memset(e.place, 0xff, nodes * sizeof *e.place);
        find_last_uses(&e);
        place_leaves(&e);
        if (e.status == SENS_OK) place_items(&e);
        if (e.status == SENS_OK) emit_arrays(&e);
    } else {
        e.status = SENS_NO_MEMORY;
    }
    free(e.place);
    free(e.last);
    words_free(&e.value.idle);
    words_free(&e.lane.idle);
    words_free(&e.constant);
    if (e.status != SENS_OK) {
        tape_destroy(e.tape);
        e.tape = NULL;
    }
    *tape = e.tape;
    return e.status;
}
