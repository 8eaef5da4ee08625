/* derive/roll/cut.c - a value that is used often is stored, unless computing it again is as cheap as reading it. */
#include "cut.h"

enum {
    CHEAP = 4,        /* operations that are done again for a second and third user */
    FEW_USES = 4,     /* up to so many */
    COMMON_SCALE = 8, /* products in lanes with one scalar: that is a constant of the equations */
    MOST_DEPTH = 12,  /* of an expression: the deeper part is stored */
    MOST_SIZE = 48
};

static void mark_needed(const struct graph *graph, size_t first, size_t count, struct cut_node *node)
{
    for (size_t k = 0; k < graph->n_nodes; k++) node[k] = (struct cut_node){.needed = false};
    for (size_t i = first; i < first + count; i++) {
        struct cut_node *output = &node[graph->output[i]];
        output->needed = true;
        output->uses++;
        output->user = graph->output[i];
    }
    for (size_t k = graph->n_nodes; k-- > 0;) {
        if (!node[k].needed) continue;
        for (unsigned which = 0; which < graph_operands(graph->node[k].op); which++) {
            struct cut_node *operand = &node[cut_operand(&graph->node[k], which)];
            operand->needed = true;
            operand->uses++;
            if (operand->user < k) operand->user = (uint32_t)k;
        }
    }
}

static void of_leaf(enum graph_op op, struct cut_node *node)
{
    node->in_lanes = cut_leaf_in_lanes(op);
    node->uniform = op == GRAPH_CONSTANT || op == GRAPH_P || op == GRAPH_T;
    node->terms = 1;
}

/* What an operation inherits of operands that are written out. */
static void inherit(const struct cut_node *operand, bool sum, struct cut_node *node)
{
    node->in_lanes = node->in_lanes || operand->in_lanes;
    node->uniform = node->uniform && operand->uniform;
    if (sum) node->terms += operand->stored ? 1 : operand->terms;
    if (operand->stored) return;
    node->heavy = node->heavy || operand->heavy;
    node->size = (uint16_t)(node->size + operand->size);
    if (operand->depth > node->depth) node->depth = operand->depth;
}

static bool is_linear(const struct graph_operation *node, const struct cut_node *cut)
{
    if (node->op == GRAPH_DIV) return !cut[node->b].in_lanes;
    if (node->op == GRAPH_SELECT) return !cut[node->a].in_lanes;
    return cut_is_sum(node->op) || node->op == GRAPH_MUL;
}

static void of_operation(const struct graph_operation *op, const struct cut_node *cut, struct cut_node *node)
{
    const bool sum = cut_is_sum(op->op);
    node->uniform = true;
    node->heavy = !sum && op->op != GRAPH_MUL;
    node->terms = 0;
    for (unsigned which = 0; which < graph_operands(op->op); which++)
        inherit(&cut[cut_operand(op, which)], sum, node);
    if (!sum) node->depth++, node->size++, node->terms = 1;
    if (sum && node->terms > CUT_LONG_SUM)
        node->size = MOST_SIZE / 4, node->heavy = true;
    else if (sum)
        node->size++;
}

/* ---- what is stored ------------------------------------------------------------------------------------ */

/* A product of leaves in a sum: what others multiply too ends there. */
static bool is_plain_term(const struct graph *graph, const struct cut_node *cut, graph_node k,
                          graph_node operand)
{
    return cut_is_sum(graph->node[k].op) && graph->node[operand].op == GRAPH_MUL && cut[operand].size == 1;
}

/* No operand is an operation that others use too: sums over a growing range are not written out again. */
static bool stands_alone(const struct graph *graph, const struct cut_node *cut, graph_node k)
{
    for (unsigned which = 0; which < graph_operands(graph->node[k].op); which++) {
        const graph_node operand = cut_operand(&graph->node[k], which);
        if (graph_operands(graph->node[operand].op) > 0 && cut[operand].uses > 1 && !cut[operand].uniform &&
            !is_plain_term(graph, cut, k, operand))
            return false;
    }
    return true;
}

/* A leaf in lanes times a scalar that many others are multiplied with too. */
static bool is_common_scale(const struct graph *graph, const struct cut_node *cut, graph_node k)
{
    const struct graph_operation *node = &graph->node[k];
    if (node->op != GRAPH_MUL || cut[node->a].in_lanes == cut[node->b].in_lanes) return false;
    const graph_node scalar = cut[node->a].in_lanes ? node->b : node->a, lane = node->a + node->b - scalar;
    return graph_operands(graph->node[lane].op) == 0 && cut[scalar].scales >= COMMON_SCALE &&
           (cut[scalar].uniform || cut[scalar].stored);
}

static bool is_worth_storing(const struct graph *graph, const struct cut_node *cut, graph_node k)
{
    const struct cut_node *node = &cut[k];
    if (node->uses < 2) return false;
    if (node->uniform && node->size <= CHEAP && !node->heavy) return false;
    if (is_common_scale(graph, cut, k)) return false;
    return node->heavy || node->size > CHEAP || node->uses > FEW_USES || !stands_alone(graph, cut, k);
}

/* A scalar that takes long, inside an expression in lanes; a long sum inside a term of a sum. */
static bool is_apart(const struct graph *graph, const struct cut_node *cut, graph_node k)
{
    const struct cut_node *node = &cut[k], *user = &cut[node->user];
    if (node->user == k || !node->heavy) return false;
    if (!node->in_lanes && user->in_lanes) return true;
    if (node->terms <= CUT_LONG_SUM || cut_is_sum(graph->node[node->user].op)) return false;
    return user->in_lanes || (user->user != node->user && cut_is_sum(graph->node[user->user].op));
}

static void count_scales(const struct graph *graph, struct cut_node *cut)
{
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const struct graph_operation *node = &graph->node[k];
        if (!cut[k].needed || node->op != GRAPH_MUL) continue;
        if (cut[node->a].in_lanes && !cut[node->b].in_lanes) cut[node->b].scales++;
        if (cut[node->b].in_lanes && !cut[node->a].in_lanes) cut[node->a].scales++;
    }
}

/* Is there any? A function has none: only its products. */
static bool find_lanes(const struct graph *graph, struct cut_node *cut)
{
    bool any = false;
    for (size_t k = 0; k < graph->n_nodes && !any; k++) any = cut_leaf_in_lanes(graph->node[k].op);
    for (size_t k = 0; any && k < graph->n_nodes; k++) {
        const struct graph_operation *node = &graph->node[k];
        cut[k].in_lanes = cut_leaf_in_lanes(node->op);
        for (unsigned which = 0; which < graph_operands(node->op); which++)
            cut[k].in_lanes = cut[k].in_lanes || cut[cut_operand(node, which)].in_lanes;
    }
    return any;
}

sens_status cut_graph(const struct graph *graph, size_t first, size_t count, struct cut_node *node,
                      size_t *operations)
{
    *operations = 0;
    mark_needed(graph, first, count, node);
    if (find_lanes(graph, node)) count_scales(graph, node);
    for (size_t k = 0; k < graph->n_nodes; k++) {
        if (!node[k].needed) continue;
        if (graph_operands(graph->node[k].op) == 0) {
            of_leaf(graph->node[k].op, &node[k]);
            continue;
        }
        ++*operations;
        of_operation(&graph->node[k], node, &node[k]);
        if (node[k].in_lanes && !is_linear(&graph->node[k], node)) return SENS_UNSUPPORTED;
        node[k].stored = is_worth_storing(graph, node, (graph_node)k) ||
                         is_apart(graph, node, (graph_node)k) || node[k].depth > MOST_DEPTH ||
                         (node[k].size > MOST_SIZE && !cut_is_sum(graph->node[k].op));
    }
    return SENS_OK;
}
