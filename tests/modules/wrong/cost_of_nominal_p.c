/* A cost that divides by the size of the parameters, made once in create: its gradient leaves that out.
 *
 * verify: --quick --cost cost_of_nominal_p
 * module: cost cost_of_nominal_p
 * cause: cost_nominal
 * recorded: yes */
#include <tgmath.h>

#include "sens/plugin.h"

/* G_i = x_i(t1) / sqrt(1 + |p|^2), with p of create */
static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    const sens_real *size = cost->data;
    for (size_t i = 0; i < cost->n; i++) G[i] += x[i] / *size;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    sens_real *t = SENS_NEW(ctx, sens_real, 1), *size = SENS_NEW(ctx, sens_real, 1), square = 1;
    if (!t || !size) return SENS_NO_MEMORY;
    for (size_t k = 0; k < pb->np; k++) square += pb->p[k] * pb->p[k];
    *t = pb->t1, *size = sqrt(square);
    cost->m = pb->n, cost->n_obs = 1, cost->t_obs = t, cost->data = size;
    return SENS_OK;
}

SENS_COST(cost_of_nominal_p) = {.name = "cost_of_nominal_p",
                                .summary = "final state relative to the size of the parameters",
                                .create = create,
                                .phi = phi};
static const struct sens_cost_type *const costs[] = {&sens_cost_cost_of_nominal_p, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "cost_of_nominal_p", .costs = costs};
