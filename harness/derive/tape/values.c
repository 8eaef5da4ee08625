/* derive/tape/values.c - what depends on the point alone.
 *
 * Sums are taken together, with the products in them; other operations stay what they are, and so does all that
 * guards compare. */
#include "tape_plan.h"

static const enum sens_tape_op tape_op[GRAPH_OPS] = {
#define TAPE_OP(code, name, operands, expression) [GRAPH_##code] = SENS_TAPE_##code,
    SENS_OPERATION_LIST(TAPE_OP)
#undef TAPE_OP
};

static bool is_sum(enum graph_op op)
{
    return op == GRAPH_ADD || op == GRAPH_SUB || op == GRAPH_NEG || op == GRAPH_MUL;
}

static void want(struct plan *plan, graph_node node)
{
    if (graph_operands(plan->g->node[node].op) == 0 || plan->item_of[node] != NO_ITEM) return;
    if (!words_push(&plan->todo, node)) plan_fail(plan, SENS_NO_MEMORY);
}

/* ---- sums ------------------------------------------------------------------------------------------------- */

static void push_signed(struct plan *plan, struct words *stack, graph_node node, bool negative)
{
    if (!words_push(stack, node) || !words_push(stack, negative)) plan_fail(plan, SENS_NO_MEMORY);
}

static void add_product(struct plan *plan, graph_node a, graph_node b, bool negative)
{
    struct words *part = &plan->part[negative];
    if (!words_push(part, a) || !words_push(part, b)) plan_fail(plan, SENS_NO_MEMORY);
    want(plan, a);
    want(plan, b);
}

/* A term of a sum, or the operands of one that is part of it; `top`: the sum itself. */
static void open_term(struct plan *plan, struct words *stack, graph_node at, bool negative, bool top)
{
    const struct graph_operation node = plan->g->node[at];
    if (!is_sum(node.op) || !(top || plan->uses[at] == 1)) {
        add_product(plan, at, plan->one, negative);
    } else if (node.op == GRAPH_MUL) {
        add_product(plan, node.a, node.b, negative);
    } else if (node.op == GRAPH_NEG) {
        push_signed(plan, stack, node.a, !negative);
    } else {
        push_signed(plan, stack, node.b, negative != (node.op == GRAPH_SUB));
        push_signed(plan, stack, node.a, negative);
    }
}

static void collect(struct plan *plan, graph_node node)
{
    struct words stack = {.at = NULL};
    open_term(plan, &stack, node, false, true);
    while (stack.count >= 2 && plan->status == SENS_OK) {
        stack.count -= 2;
        open_term(plan, &stack, stack.at[stack.count], stack.at[stack.count + 1] != 0, false);
    }
    words_free(&stack);
}

/* Of one or two terms that are no products. */
static bool is_plain(const struct plan *plan)
{
    const size_t terms = (plan->part[0].count + plan->part[1].count) / 2;
    for (unsigned k = 0; k < 2; k++)
        for (size_t i = 1; i < plan->part[k].count; i += 2)
            if (plan->part[k].at[i] != plan->one) return false;
    return terms <= 2;
}

static void plain_operation(struct plan *plan, graph_node node, enum sens_tape_op op, graph_node a,
                            graph_node b)
{
    plan->part[0].count = plan->part[1].count = 0;
    plan_item(plan, op, node);
    plan_operand(plan, a);
    if (op != SENS_TAPE_NEG) plan_operand(plan, b);
}

static void sum_item(struct plan *plan, graph_node node)
{
    collect(plan, node);
    const struct words *plus = &plan->part[0], *minus = &plan->part[1];
    if (plan->status != SENS_OK) return;
    if (plus->count == 2 && minus->count == 0) { /* of a sum with one term only that of a product */
        plain_operation(plan, node, SENS_TAPE_MUL, plus->at[0], plus->at[1]);
    } else if (!is_plain(plan) || minus->count == 4) {
        plan_item(plan, SENS_TAPE_SUM, node);
        plan_parts(plan);
    } else if (minus->count == 0) {
        plain_operation(plan, node, SENS_TAPE_ADD, plus->at[0], plus->at[2]);
    } else if (plus->count == 0) {
        plain_operation(plan, node, SENS_TAPE_NEG, minus->at[0], 0);
    } else {
        plain_operation(plan, node, SENS_TAPE_SUB, plus->at[0], minus->at[0]);
    }
}

/* ---- items ------------------------------------------------------------------------------------------------ */

static void operation_item(struct plan *plan, graph_node node)
{
    const struct graph_operation operation = plan->g->node[node];
    long double exponent;
    if (operation.op == GRAPH_POW && graph_is_constant(plan->g, operation.b, &exponent) && exponent == 2) {
        plain_operation(plan, node, SENS_TAPE_MUL, operation.a, operation.a);
        want(plan, operation.a);
        return;
    }
    plan_item(plan, tape_op[operation.op], node);
    for (unsigned which = 0; which < graph_operands(operation.op); which++) {
        plan_operand(plan, graph_operand(&operation, which));
        want(plan, graph_operand(&operation, which));
    }
}

/* as_recorded: operation by operation. */
static void make_items(struct plan *plan, bool as_recorded)
{
    while (plan->todo.count && plan->status == SENS_OK) {
        const graph_node node = plan->todo.at[--plan->todo.count];
        if (plan->item_of[node] != NO_ITEM) continue;
        if (is_sum(plan->g->node[node].op) && !as_recorded)
            sum_item(plan, node);
        else
            operation_item(plan, node);
        plan->item_of[node] = (uint32_t)plan->n_items;
    }
}

/* ---- what is needed, and how often ------------------------------------------------------------------------- */

static bool has_lanes(const struct plan *plan)
{
    return plan->request.vector != GRAPH_OPS;
}

/* Values among the operands of the items for lanes. */
static void for_lanes(struct plan *plan, void (*visit)(struct plan *plan, graph_node node))
{
    for (size_t k = 0, items = plan->n_items; k < items; k++) {
        const struct item *item = &plan->item[k];
        const size_t first = item->first, end = item->end;
        if (item->op == SENS_TAPE_LANE_SELECT) visit(plan, plan->operand.at[first]);
        if (item->op == SENS_TAPE_LANE_SUM)
            for (size_t i = first; i < end; i += 2) visit(plan, plan->operand.at[i]);
    }
}

static void count_use(struct plan *plan, graph_node node)
{
    plan->uses[node]++;
}

/* A sum that something other than one sum needs is not part of that. */
static void count_uses(struct plan *plan)
{
    for_lanes(plan, count_use);
    for (size_t k = 0; k < plan->g->n_guards; k++) {
        count_use(plan, plan->g->guard[k].a);
        count_use(plan, plan->g->guard[k].b);
    }
    for (size_t i = 0; !has_lanes(plan) && i < plan->g->n_outputs; i++) plan->uses[plan->g->output[i]]++;
    for (size_t k = plan->g->n_nodes; k-- > 0;) {
        const struct graph_operation *node = &plan->g->node[k];
        for (unsigned which = 0; plan->uses[k] && which < graph_operands(node->op); which++)
            plan->uses[graph_operand(node, which)]++;
    }
}

static void root(struct plan *plan, struct words *roots)
{
    if (plan->status == SENS_OK && !words_push(roots, (uint32_t)plan->n_items - 1))
        plan_fail(plan, SENS_NO_MEMORY);
}

/* Output i is what the item of its node computes, where nothing else needs that; else a copy. */
static void output_item(struct plan *plan, size_t i)
{
    const graph_node node = plan->g->output[i];
    const bool own = plan->uses[node] == 1 && graph_operands(plan->g->node[node].op) > 0;
    if (!own) {
        plan_item(plan, SENS_TAPE_COPY, node);
        plan_operand(plan, node);
        want(plan, node);
    } else if (is_sum(plan->g->node[node].op)) {
        sum_item(plan, node);
    } else {
        operation_item(plan, node);
    }
    if (plan->status != SENS_OK) return;
    struct item *item = &plan->item[plan->n_items - 1];
    item->goal = SENS_TAPE_WRITTEN;
    item->row = (uint32_t)i;
    root(plan, &plan->roots);
    make_items(plan, false);
}

/* What is compared is rounded as it was when it was recorded: not as part of a longer sum, nor in another order,
 * which near a tie might decide otherwise. */
static void guard_item(struct plan *plan, const struct graph_guard *guard)
{
    static const enum sens_tape_op op[] = {[GRAPH_IS_LESS] = SENS_TAPE_GUARD_LESS,
                                           [GRAPH_IS_LESS_EQUAL] = SENS_TAPE_GUARD_LESS_EQUAL,
                                           [GRAPH_IS_EQUAL] = SENS_TAPE_GUARD_EQUAL};
    plan_item(plan, op[guard->comparison], GRAPH_ZERO);
    plan_operand(plan, guard->a);
    plan_operand(plan, guard->b);
    plan_operand(plan, guard->held);
    want(plan, guard->a);
    want(plan, guard->b);
    root(plan, &plan->guards);
    make_items(plan, true);
}

void plan_values(struct plan *plan)
{
    const bool lanes = has_lanes(plan);
    count_uses(plan);
    for (size_t k = 0; k < plan->g->n_guards && plan->status == SENS_OK; k++)
        guard_item(plan, &plan->g->guard[k]);
    for_lanes(plan, want);
    make_items(plan, false);
    for (size_t i = 0; !lanes && i < plan->g->n_outputs && plan->status == SENS_OK; i++) output_item(plan, i);
}
