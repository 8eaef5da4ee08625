/* harness/derive/graph/evaluate.c - a graph on numbers, one operation after the other: slow, and the definition. */
#include <math.h>

#include "graph.h"

static long double operate_on_one(enum graph_op op, long double a)
{
    switch (op) {
    case GRAPH_NEG:
        return -a;
    case GRAPH_SQRT:
        return sqrtl(a);
    case GRAPH_CBRT:
        return cbrtl(a);
    case GRAPH_EXP:
        return expl(a);
    case GRAPH_EXPM1:
        return expm1l(a);
    case GRAPH_LOG:
        return logl(a);
    case GRAPH_LOG1P:
        return log1pl(a);
    case GRAPH_SIN:
        return sinl(a);
    case GRAPH_COS:
        return cosl(a);
    case GRAPH_TAN:
        return tanl(a);
    case GRAPH_ASIN:
        return asinl(a);
    case GRAPH_ACOS:
        return acosl(a);
    case GRAPH_ATAN:
        return atanl(a);
    case GRAPH_SINH:
        return sinhl(a);
    case GRAPH_COSH:
        return coshl(a);
    case GRAPH_TANH:
        return tanhl(a);
    case GRAPH_FABS:
        return fabsl(a);
    default:
        return (long double)NAN;
    }
}

long double graph_operate(enum graph_op op, long double a, long double b, long double c)
{
    switch (op) {
    case GRAPH_ADD:
        return a + b;
    case GRAPH_SUB:
        return a - b;
    case GRAPH_MUL:
        return a * b;
    case GRAPH_DIV:
        return a / b;
    case GRAPH_POW:
        return powl(a, b);
    case GRAPH_ATAN2:
        return atan2l(a, b);
    case GRAPH_HYPOT:
        return hypotl(a, b);
    case GRAPH_FMIN:
        return fminl(a, b);
    case GRAPH_FMAX:
        return fmaxl(a, b);
    case GRAPH_LESS:
        return a < b;
    case GRAPH_LESS_EQUAL:
        return a <= b;
    case GRAPH_SELECT:
        return a != 0 ? b : c;
    default:
        return operate_on_one(op, a);
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
