/* derive/tape/lanes.c - the lane values of a tape: sums of a value times a lane value.
 *
 * What is needed once is part of the sum that needs it: signs and factors are gathered before the lane value,
 * where they are values, computed once a point. A sum of several terms with a factor before it is kept as it is:
 * to give the factor to each term would cost more. */
#include "tape_plan.h"

struct pending { /* factor node, or minus that, still to be added to the sum */
    graph_node node, factor;
    bool negative;
};

static void want(struct plan *plan, graph_node node)
{
    if (node == GRAPH_ZERO || is_row_of_v(plan, node) || plan->item_of[node] != NO_ITEM) return;
    if (!words_push(&plan->todo, node)) plan_fail(plan, SENS_NO_MEMORY);
}

static void add_term(struct plan *plan, struct pending term)
{
    long double value;
    if (term.negative && graph_is_constant(plan->g, term.factor, &value)) {
        term.factor = graph_constant(plan->g, -value);
        term.negative = false;
    }
    struct words *part = &plan->part[(is_row_of_v(plan, term.node) ? 0 : 2) + term.negative];
    if (!words_push(part, term.factor) || !words_push(part, term.node)) plan_fail(plan, SENS_NO_MEMORY);
    want(plan, term.node);
}

/* factor times more, without the sign of that. */
static struct pending multiplied(struct plan *plan, struct pending by, graph_node more)
{
    while (plan->g->node[more].op == GRAPH_NEG) {
        more = plan->g->node[more].a;
        by.negative = !by.negative;
    }
    by.factor = graph_apply(plan->g, GRAPH_MUL, by.factor, more, 0);
    return by;
}

static bool is_product_of_lanes(const struct plan *plan, const struct graph_operation *node)
{
    return node->op == GRAPH_MUL && is_lane(plan, node->a) && is_lane(plan, node->b);
}

static bool is_sum(const struct plan *plan, const struct graph_operation *node)
{
    return node->op == GRAPH_ADD || node->op == GRAPH_SUB || node->op == GRAPH_NEG ||
           (node->op == GRAPH_MUL && !is_product_of_lanes(plan, node));
}

/* Is the term part of the sum that needs it? */
static bool is_inlined(const struct plan *plan, const struct pending *term)
{
    const struct graph_operation *node = &plan->g->node[term->node];
    if (!is_lane(plan, term->node) || plan->uses[term->node] != 1 || !is_sum(plan, node)) return false;
    return node->op == GRAPH_NEG || node->op == GRAPH_MUL || term->factor == plan->one;
}

static void push_pending(struct plan *plan, struct words *stack, struct pending term)
{
    if (!is_lane(plan, term.node)) {
        if (term.node != GRAPH_ZERO) plan_fail(plan, SENS_UNSUPPORTED); /* not linear */
        return;
    }
    if (!words_push(stack, term.node) || !words_push(stack, term.factor) || !words_push(stack, term.negative))
        plan_fail(plan, SENS_NO_MEMORY);
}

/* The operands of a sum, one level down. */
static void open_sum(struct plan *plan, struct words *stack, struct pending term)
{
    const struct graph_operation node = plan->g->node[term.node];
    struct pending second = term;
    term.node = node.a;
    second.node = node.b;
    if (node.op == GRAPH_MUL) {
        term = multiplied(plan, term, is_lane(plan, node.a) ? node.b : node.a);
        term.node = is_lane(plan, node.a) ? node.a : node.b;
    }
    if (node.op == GRAPH_NEG) term.negative = !term.negative;
    if (node.op == GRAPH_SUB) second.negative = !second.negative;
    if (node.op == GRAPH_ADD || node.op == GRAPH_SUB) push_pending(plan, stack, second);
    push_pending(plan, stack, term);
}

/* All terms of the sum that a node is, in plan->part. */
static void collect(struct plan *plan, graph_node node)
{
    struct words stack = {.at = NULL};
    open_sum(plan, &stack, (struct pending){node, plan->one, false});
    while (stack.count >= 3 && plan->status == SENS_OK) {
        stack.count -= 3;
        const uint32_t *top = stack.at + stack.count;
        const struct pending term = {top[0], top[1], top[2] != 0};
        if (is_inlined(plan, &term))
            open_sum(plan, &stack, term);
        else
            add_term(plan, term);
    }
    words_free(&stack);
}

static struct item *sum_item(struct plan *plan, graph_node node)
{
    struct item *item = plan_item(plan, SENS_TAPE_LANE_SUM, node);
    collect(plan, node);
    plan_parts(plan);
    return item;
}

/* Two lane values side by side, from v or kept. */
static void pair_of_lanes(struct plan *plan, struct item *item, graph_node a, graph_node b)
{
    const graph_node side[2] = {a, b};
    for (unsigned k = 0; k < 2; k++) {
        if (!is_lane(plan, side[k]) && side[k] != GRAPH_ZERO) plan_fail(plan, SENS_UNSUPPORTED);
        item->part[k] = is_row_of_v(plan, side[k]);
        plan_operand(plan, side[k]);
        want(plan, side[k]);
    }
}

static void load_item(struct plan *plan, graph_node node)
{
    const struct graph_operation leaf = plan->g->node[node];
    if (leaf.op == GRAPH_W) plan_fail(plan, SENS_UNSUPPORTED);
    struct item *item = plan_item(plan, SENS_TAPE_LANE_LOAD, node);
    item->part[0] = (uint32_t)(leaf.op - GRAPH_DT);
    plan_operand(plan, leaf.a);
}

static void make_item(struct plan *plan, graph_node node)
{
    const struct graph_operation operation = plan->g->node[node];
    if (graph_operands(operation.op) == 0) {
        load_item(plan, node);
    } else if (is_product_of_lanes(plan, &operation)) {
        pair_of_lanes(plan, plan_item(plan, SENS_TAPE_LANE_PRODUCT, node), operation.a, operation.b);
    } else if (operation.op == GRAPH_SELECT && !is_lane(plan, operation.a)) {
        struct item *item = plan_item(plan, SENS_TAPE_LANE_SELECT, node);
        plan_operand(plan, operation.a);
        pair_of_lanes(plan, item, operation.b, operation.c);
    } else if (is_sum(plan, &operation)) {
        sum_item(plan, node);
    } else {
        plan_fail(plan, SENS_UNSUPPORTED);
    }
    plan->item_of[node] = (uint32_t)plan->n_items;
}

/* ---- outputs ---------------------------------------------------------------------------------------------- */

/* Row i of the outputs: the sum that it is, or a copy of a lane value that others need, too. */
static void output_item(struct plan *plan, size_t i)
{
    const graph_node node = plan->g->output[i];
    const size_t written = plan->request.written;
    if (node == GRAPH_ZERO && i >= written) return;
    const bool own = node != GRAPH_ZERO && plan->uses[node] == 1 && is_sum(plan, &plan->g->node[node]);
    if (own) {
        sum_item(plan, node);
    } else {
        plan_item(plan, SENS_TAPE_LANE_SUM, node);
        if (node != GRAPH_ZERO) add_term(plan, (struct pending){node, plan->one, false});
        plan_parts(plan);
    }
    if (plan->status != SENS_OK) return;
    struct item *item = &plan->item[plan->n_items - 1];
    item->goal = i < written ? SENS_TAPE_WRITTEN : SENS_TAPE_ADDED;
    item->row = (uint32_t)(i < written ? i : i - written);
    if (!words_push(&plan->roots, (uint32_t)plan->n_items - 1)) plan_fail(plan, SENS_NO_MEMORY);
}

static void count_uses(struct plan *plan)
{
    for (size_t k = 0; k < plan->n_original; k++) {
        const struct graph_operation *node = &plan->g->node[k];
        for (unsigned which = 0; plan->lane[k] && which < graph_operands(node->op); which++)
            plan->uses[graph_operand(node, which)]++;
    }
    for (size_t i = 0; i < plan->g->n_outputs; i++) plan->uses[plan->g->output[i]]++;
}

void plan_lanes(struct plan *plan)
{
    if (plan->request.vector == GRAPH_OPS) return;
    count_uses(plan);
    for (size_t i = 0; i < plan->g->n_outputs && plan->status == SENS_OK; i++) {
        if (!is_lane(plan, plan->g->output[i]) && plan->g->output[i] != GRAPH_ZERO)
            plan_fail(plan, SENS_UNSUPPORTED);
        output_item(plan, i);
        while (plan->todo.count && plan->status == SENS_OK) {
            const graph_node node = plan->todo.at[--plan->todo.count];
            if (plan->item_of[node] == NO_ITEM) make_item(plan, node);
        }
    }
}
