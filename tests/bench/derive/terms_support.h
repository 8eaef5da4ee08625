/* Products in extended precision, and how large their terms are.
 *
 * A difference is compared with the size of the terms: what the product would be if nothing cancelled. That is
 * S = |v| of a leaf, S_a + S_b of a sum, S_a S_b of a product, and |v| + |dv/da| S_a + |dv/db| S_b of other
 * operations. */
#ifndef TERMS_SUPPORT_H
#define TERMS_SUPPORT_H

#include <math.h>
#include <stdlib.h>

#include "graph.h"
#include "sens/problem.h"
#include "testing.h"

static inline void *numbers(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- the graph, and the size of its terms ------------------------------------------------------------------ */

/* |dv/da| of operand `which`, by a quotient: a factor of the size needs no digits. */
static inline long double slope(const struct graph *g, size_t k, const long double *value, unsigned which)
{
    const struct graph_operation *node = &g->node[k];
    long double a[3] = {value[node->a], value[node->b], value[node->c]};
    const long double h = 1e-9L * (fabsl(a[which]) + 1e-9L);
    a[which] += h;
    const long double moved = graph_operate(node->op, a[0], a[1], a[2]);
    return isfinite(moved) ? fabsl(moved - value[k]) / h : 0;
}

static inline long double size_of(const struct graph *g, size_t k, const long double *value,
                                  const long double *size)
{
    const struct graph_operation *node = &g->node[k];
    if (graph_operands(node->op) == 0) return fabsl(value[k]);
    if (node->op == GRAPH_NEG) return size[node->a];
    if (node->op == GRAPH_ADD || node->op == GRAPH_SUB) return size[node->a] + size[node->b];
    if (node->op == GRAPH_MUL) return size[node->a] * size[node->b];
    if (node->op == GRAPH_SELECT) return value[node->a] != 0 ? size[node->b] : size[node->c];
    long double sum = fabsl(value[k]) + slope(g, k, value, 0) * size[node->a];
    if (graph_operands(node->op) > 1) sum += slope(g, k, value, 1) * size[node->b];
    return sum;
}

struct oracle { /* a transposed product of a function of x [n], p [np] with m outputs */
    const struct graph *g;
    size_t n, np, m;
    long double *value, *size, *x, *p, *w;
};

static inline struct oracle oracle_create(const struct graph *g, size_t n, size_t np, size_t m)
{
    return (struct oracle){g,
                           n,
                           np,
                           m,
                           numbers(g->n_nodes, sizeof(long double)),
                           numbers(g->n_nodes, sizeof(long double)),
                           numbers(n, sizeof(long double)),
                           numbers(np, sizeof(long double)),
                           numbers(m, sizeof(long double))};
}

static inline void oracle_free(struct oracle *o)
{
    long double *const all[] = {o->value, o->size, o->x, o->p, o->w};
    for (size_t k = 0; k < 5; k++) free(all[k]);
}

/* lane: of W [m][L]. */
static inline void oracle_at(struct oracle *o, const struct sens_at *at, size_t L, const double *W,
                             size_t lane)
{
    for (size_t i = 0; i < o->n; i++) o->x[i] = at->x[i];
    for (size_t j = 0; j < o->np; j++) o->p[j] = at->p[j];
    for (size_t i = 0; i < o->m; i++) o->w[i] = W[i * L + lane];
    const struct graph_point point = {.t = at->t, .x = o->x, .p = o->p, .w = o->w};
    graph_evaluate(o->g, &point, o->value);
    for (size_t k = 0; k < o->g->n_nodes; k++) o->size[k] = size_of(o->g, k, o->value, o->size);
}

#endif
