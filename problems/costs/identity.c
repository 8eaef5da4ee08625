/* The whole final state, one functional a component: G_c = x_c(t1), c < m = n.
 * By hand: its gradient, ones; for references in extended precision, and as the oracle of the derived one. */
#include "sens/cost.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    for (size_t c = 0; c < cost->m; c++) G[c] += x[c];
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)x, (void)p;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) OUT[(c0 + l) * L + l] += 1;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    sens_real *t_obs = SENS_NEW(ctx, sens_real, 1);
    if (!t_obs) return SENS_NO_MEMORY;
    t_obs[0] = pb->t1;
    cost->m = pb->n;
    cost->n_obs = 1;
    cost->t_obs = t_obs;
    return SENS_OK;
}

SENS_COST(identity) = {
    .name = "identity",
    .summary = "the final state: G_c = x_c(t1)",
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};
