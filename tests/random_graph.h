/* tests/random_graph.h - graphs of drawn operations, smooth where they are evaluated: x in [-1, 1]^3, p in
 * [-1, 1]^2, t in [-1, 1]. */
#ifndef TESTS_RANDOM_GRAPH_H
#define TESTS_RANDOM_GRAPH_H

#include "graph.h"

enum { RANDOM_N = 3, RANDOM_NP = 2 };

/* In [-1, 1), from a fixed sequence. */
static inline long double uniform(unsigned long *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (long double)(*state >> 11) * 0x1p-52L - 1;
}

static inline size_t drawn(unsigned long *state, size_t count)
{
    return (size_t)((uniform(state) + 1) / 2 * (long double)count);
}

static inline graph_node two(struct graph *g, enum graph_op op, graph_node a, graph_node b)
{
    return graph_apply(g, op, a, b, 0);
}

/* An operand for which every operation is smooth: sin moves it into [0.3, 0.7]. */
static inline graph_node tame(struct graph *g, graph_node a)
{
    const graph_node small = two(g, GRAPH_MUL, graph_constant(g, 0.2L), two(g, GRAPH_SIN, a, 0));
    return two(g, GRAPH_ADD, graph_constant(g, 0.5L), small);
}

/* The operation on operands that are far from its edges, and from ties. */
static inline graph_node apply_tamed(struct graph *g, enum graph_op op, graph_node a, graph_node b)
{
    const graph_node u = tame(g, a), v = two(g, GRAPH_ADD, tame(g, b), graph_constant(g, 0.9L));
    if (op != GRAPH_SELECT) return two(g, op, u, v);
    return graph_apply(g, op, two(g, GRAPH_LESS, v, u), two(g, GRAPH_EXP, u, 0), two(g, GRAPH_MUL, u, v));
}

/* Three outputs; NULL: no memory. */
static inline struct graph *random_graph(unsigned long *seed)
{
    enum { NODES = 20 };
    graph_node known[NODES];
    size_t count = 0;
    struct graph *f = graph_create();
    if (!f) return NULL;
    for (size_t i = 0; i < RANDOM_N; i++) known[count++] = graph_leaf(f, GRAPH_X, i);
    for (size_t j = 0; j < RANDOM_NP; j++) known[count++] = graph_leaf(f, GRAPH_P, j);
    known[count++] = graph_leaf(f, GRAPH_T, 0);
    while (count < NODES) {
        const graph_node a = known[drawn(seed, count)], b = known[drawn(seed, count)];
        const enum graph_op op = (enum graph_op)(GRAPH_NEG + drawn(seed, GRAPH_OPS - GRAPH_NEG));
        known[count++] =
            drawn(seed, 2) ? apply_tamed(f, op, a, b) : two(f, drawn(seed, 2) ? GRAPH_SUB : GRAPH_MUL, a, b);
    }
    for (size_t k = 0; k < RANDOM_N; k++) graph_add_output(f, known[NODES - 1 - 2 * k]);
    return f;
}

#endif
