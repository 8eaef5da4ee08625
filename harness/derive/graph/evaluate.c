/* harness/derive/graph/evaluate.c - a graph on numbers, one operation after the other: slow, and the definition. */
#include <tgmath.h>

#include "graph.h"

long double graph_operate(enum graph_op op, long double a, long double b, long double c)
{
    switch (op) {
#define VALUE(code, name, operands, expression)                                                              \
    case GRAPH_##code:                                                                                       \
        return expression;
        SENS_OPERATION_LIST(VALUE)
#undef VALUE
    default:
        return (long double)NAN; /* a leaf */
    }
}

static long double leaf_value(const struct graph *graph, graph_node k, const struct graph_point *at)
{
    const struct graph_operation *leaf = &graph->node[k];
    long double value;
    switch (leaf->op) {
    case GRAPH_T:
        return at->t;
    case GRAPH_X:
        return at->x[leaf->a];
    case GRAPH_P:
        return at->p[leaf->a];
    case GRAPH_W:
        return at->w[leaf->a];
    case GRAPH_DT:
        return at->dt;
    case GRAPH_DX:
        return at->dx[leaf->a];
    case GRAPH_DP:
        return at->dp[leaf->a];
    default:
        return graph_is_constant(graph, k, &value) ? value : (long double)NAN;
    }
}

void graph_evaluate(const struct graph *graph, const struct graph_point *at, long double *value)
{
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const struct graph_operation *node = &graph->node[k];
        value[k] = graph_operands(node->op)
                       ? graph_operate(node->op, value[node->a], value[node->b], value[node->c])
                       : leaf_value(graph, (graph_node)k, at);
    }
}

bool graph_holds(enum graph_comparison comparison, long double a, long double b)
{
    switch (comparison) {
    case GRAPH_IS_LESS:
        return a < b;
    case GRAPH_IS_LESS_EQUAL:
        return a <= b;
    case GRAPH_IS_EQUAL:
        return a == b;
    }
    return false;
}

bool graph_guards_hold(const struct graph *graph, const long double *value)
{
    for (size_t k = 0; k < graph->n_guards; k++) {
        const struct graph_guard *guard = &graph->guard[k];
        if (graph_holds(guard->comparison, value[guard->a], value[guard->b]) != guard->held) return false;
    }
    return true;
}

bool graph_lacks_slope(const struct graph *graph, graph_node node, const double *value)
{
    const struct graph_operation *operation = &graph->node[node];
    if (graph_operands(operation->op) == 0) return false; /* a and b of a leaf are no nodes */
    const double a = value[operation->a], b = value[operation->b];
    const bool a_varies = graph->node[operation->a].op != GRAPH_CONSTANT,
               b_varies = graph->node[operation->b].op != GRAPH_CONSTANT;
    switch (operation->op) {
    case GRAPH_SQRT:
    case GRAPH_CBRT:
        return a_varies && a == 0;
    case GRAPH_POW:
        return (a_varies && a == 0 && b < 1 && (b_varies || b != 0)) || (b_varies && a < 0);
    case GRAPH_ASIN:
    case GRAPH_ACOS:
        return a_varies && fabs(a) == 1;
    case GRAPH_HYPOT:
    case GRAPH_ATAN2:
        return (a_varies || b_varies) && a == 0 && b == 0;
    default:
        return false;
    }
}
