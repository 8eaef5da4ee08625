/* phi = |f(t_j, x, p)|^2 / 2 at three times, by the problem's own products: at t_j, not at x alone. Where a state of 0
 * lies at the edge of what a problem is made for (shallow_water), f is large and differences of it are poor.
 *
 * verify: --cost squared_slopes --seed 3 --check cost.zero */
#include <string.h>

#include "sens/plugin.h"

enum { TIMES = 3 };

/* f at observation j; zeros where it has no value. */
static void slope(const struct sens_problem *pb, const struct sens_at *at, sens_real *f)
{
    if (pb->type->rhs(pb, at, f) != SENS_OK) memset(f, 0, pb->n * sizeof *f);
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    const struct sens_at at = {cost->t_obs[j], x, p};
    sens_real f[cost->n];
    slope(cost->data, &at, f);
    for (size_t i = 0; i < cost->n; i++) G[0] += f[i] * f[i] / 2;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    const struct sens_problem *const pb = cost->data;
    const struct sens_at at = {cost->t_obs[j], x, p};
    sens_real f[cost->n], out[cost->n];
    if (c0 || !L) return;
    slope(pb, &at, f);
    pb->type->vjp(pb, &at, 1, f, out);
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += out[i];
}

static void phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU)
{
    const struct sens_problem *const pb = cost->data;
    const struct sens_at at = {cost->t_obs[j], x, p};
    sens_real f[cost->n], mu[cost->np + 1];
    if (c0 || !L) return;
    slope(pb, &at, f);
    memset(mu, 0, sizeof mu);
    pb->type->vjp_p_batch(pb, 1, &at.t, x, p, 1, f, mu);
    for (size_t k = 0; k < cost->np; k++) MU[k * L] += mu[k];
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    sens_real *const t_obs = SENS_NEW(ctx, sens_real, TIMES);
    (void)option;
    if (!t_obs) return SENS_NO_MEMORY;
    for (size_t j = 0; j < TIMES; j++)
        t_obs[j] = j + 1 == TIMES ? pb->t1 : pb->t0 + (pb->t1 - pb->t0) * (sens_real)(j + 1) / TIMES;
    cost->n_obs = TIMES, cost->t_obs = t_obs, cost->m = 1, cost->data = pb;
    return SENS_OK;
}

static SENS_COST(squared_slopes) = {.name = "squared_slopes",
                                    .summary = "squares of the slopes f(t_j, x, p)",
                                    .create = create,
                                    .phi = phi,
                                    .phi_dx = phi_dx,
                                    .phi_dp = phi_dp};
static const struct sens_cost_type *const costs[] = {&sens_cost_squared_slopes, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "squared_slopes", .costs = costs};
