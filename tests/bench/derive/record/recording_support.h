/* Recordings against the functions that they were made of: at a point, each output of a graph and of the
 * source in double, and how far rounding can hold the two apart.
 *
 * The bound is the first-order one, node by node: what an operation makes of the errors of its operands, by
 * moving each of them, and a rounding of its own; constants are rounded once. Twice that, because sources sum
 * in another order. */
#ifndef RECORDING_SUPPORT_H
#define RECORDING_SUPPORT_H

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "recording.h"

static inline long double moved(const struct graph_operation *node, const long double *v,
                                const long double *shift, long double value)
{
    const long double a = v[node->a], b = v[node->b], c = v[node->c];
    const unsigned operands = graph_operands(node->op);
    long double error = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        long double sum = fabsl(graph_operate(node->op, a + sign * shift[node->a], b, c) - value);
        if (operands > 1) sum += fabsl(graph_operate(node->op, a, b + sign * shift[node->b], c) - value);
        if (operands > 2) sum += fabsl(graph_operate(node->op, a, b, c + sign * shift[node->c]) - value);
        error = fmaxl(error, sum);
    }
    return error;
}

/* value, error [n_nodes]: the graph in long double, and what double may be off by. */
static inline void evaluate_with_error(const struct graph *graph, const struct graph_point *at,
                                       long double *value, long double *error)
{
    graph_evaluate(graph, at, value);
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const struct graph_operation *node = &graph->node[k];
        error[k] = node->op == GRAPH_CONSTANT ? DBL_EPSILON * fabsl(value[k]) : 0;
        if (graph_operands(node->op))
            error[k] = moved(node, value, error, value[k]) + 2 * DBL_EPSILON * fabsl(value[k]) + DBL_MIN;
    }
}

/* A refusal names the line where there is libdw, else the file that was loaded. */
#ifdef SENS_HAVE_LIBDW
#define PLACE_IN(source) source ".c:"
#else
#define PLACE_IN(source) ": "
#endif

struct random_points {
    unsigned long state;
};

/* In [-1, 1), from a fixed sequence. */
static inline double uniform(struct random_points *from)
{
    from->state = from->state * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(from->state >> 11) * 0x1p-52 - 1;
}

#endif
