/* A final cost of a few states; PROBES(NAME, INDEX): its derivative keeps their numbers as INDEX. */
#ifndef MODULES_PROBES_H
#define MODULES_PROBES_H

#include <stddef.h>

#include "sens/plugin.h"

enum { PROBES_MOST = 8 };

static size_t probe(const struct sens_cost *cost, size_t c)
{
    return cost->m > 1 ? c * (cost->n - 1) / (cost->m - 1) : 0;
}

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    (void)j, (void)p;
    for (size_t c = 0; c < cost->m; c++) G[c] += x[probe(cost, c)] * x[probe(cost, c)] / 2;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    double *const t = sens_arena_alloc(&ctx->arena, 1, sizeof *t);
    (void)option;
    if (!t) return SENS_NO_MEMORY;
    *t = pb->t1;
    cost->m = pb->n < PROBES_MOST ? pb->n : PROBES_MOST;
    cost->n_obs = 1, cost->t_obs = t;
    return SENS_OK;
}

#define PROBES(NAME, INDEX)                                                                                  \
    static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,  \
                       size_t L, double *OUT)                                                                \
    {                                                                                                        \
        (void)j, (void)p;                                                                                    \
        for (size_t l = 0; l < L && c0 + l < cost->m; l++) {                                                 \
            const INDEX k = (INDEX)probe(cost, c0 + l);                                                      \
            OUT[k * L + l] += x[k];                                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static const struct sens_cost_type type = {                                                              \
        .name = NAME, .summary = "a few states", .create = create, .phi = phi, .phi_dx = phi_dx};            \
    static const struct sens_cost_type *const costs[] = {&type, NULL};                                       \
    SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .costs = costs};

#endif
