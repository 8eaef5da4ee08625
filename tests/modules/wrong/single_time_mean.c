/* The mean square of the state over equidistant times by the trapezoidal rule, where a single time is halved as
 * the first and once more as the last, and phi_dx halves it once.
 *
 * verify: --quick --cost single_time_mean
 * module: cost single_time_mean
 * cause: too_few */
#include "sens/plugin.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    sens_real w = 1, sum = 0;
    (void)p;
    if (j == 0) w /= 2;
    if (j + 1 == cost->n_obs) w /= 2;
    for (size_t i = 0; i < cost->n; i++) sum += x[i] * x[i];
    G[0] += w * sum;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    const sens_real w = j == 0 || j + 1 == cost->n_obs ? SENS_C(0.5) : 1;
    (void)p;
    for (size_t i = 0; c0 == 0 && L > 0 && i < cost->n; i++) OUT[i * L] += 2 * w * x[i];
}

static const struct sens_option options[] = {
    {.name = "count", .kind = SENS_OPT_INT, .fallback = 7, .min = 1, .max = 1e5, .help = "times"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *problem, struct sens_cost *cost)
{
    const size_t count = (size_t)option[0].number;
    const sens_real length = problem->t1 - problem->t0;
    sens_real *const t = SENS_NEW(ctx, sens_real, count);
    if (!t) return SENS_NO_MEMORY;
    for (size_t j = 0; j < count; j++)
        t[j] = j + 1 == count ? problem->t1 : problem->t0 + length * (sens_real)j / (sens_real)(count - 1);
    cost->m = 1;
    cost->n_obs = count;
    cost->t_obs = t;
    return SENS_OK;
}

static SENS_COST(own) = {
    .name = "single_time_mean",
    .summary = "mean square by the trapezoidal rule",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};
static const struct sens_cost_type *const costs[] = {&sens_cost_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "single_time_mean", .costs = costs};
