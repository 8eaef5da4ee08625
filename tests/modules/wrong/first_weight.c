/* Three observations of sum_i (x_i - d_j)^2/2 with a weight each, of which the derivative takes the first for all.
 *
 * verify: --quick --cost first_weight
 * module: cost first_weight
 * cause: cost_observation */
#include <tgmath.h>

#include "sens/plugin.h"

enum { TIMES = 3 };
static const double weight[TIMES] = {1, 2, 3}, datum[TIMES] = {0.7, 0.5, 0.3};

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += weight[j] * (x[i] - datum[j]) * (x[i] - datum[j]) / 2;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)p;
    for (size_t i = 0; i < cost->n && c0 == 0 && L > 0; i++) OUT[i * L] += weight[0] * (x[i] - datum[j]);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    sens_real *const t_obs = SENS_NEW(ctx, sens_real, TIMES);
    if (!t_obs) return SENS_NO_MEMORY;
    for (int j = 0; j < TIMES - 1; j++) t_obs[j] = pb->t0 + (pb->t1 - pb->t0) * (j + 1) / TIMES;
    t_obs[TIMES - 1] = pb->t1;
    cost->m = 1;
    cost->n_obs = TIMES;
    cost->t_obs = t_obs;
    return SENS_OK;
}

static SENS_COST(first_weight) = {.name = "first_weight",
                                  .summary = "G = sum_j w_j |x(t_j) - d_j|^2/2",
                                  .create = create,
                                  .phi = phi,
                                  .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_first_weight, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "first_weight", .costs = costs};
