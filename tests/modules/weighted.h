/* Squares at t1 with weights from a file, one for each state, one functional each,
 *
 *     G_i = 1/2 (w_i (x_i(t1) - 1))^2,
 *
 * for modules that differ in the gradient: the including file defines NAME and FACTOR, of x_i - 1 in it, by w. Without
 * a file all weights are 1. */
#include <tgmath.h>

#include "sens/plugin.h"

static sens_real weight(const struct sens_cost *cost, size_t i)
{
    return cost->option[0].count ? (sens_real)cost->option[0].data[i] : 1;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j;
    (void)p;
    for (size_t i = 0; i < cost->n; i++) {
        const sens_real r = weight(cost, i) * (x[i] - 1);
        G[i] += r * r / 2;
    }
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j;
    (void)p;
    for (size_t i = c0; i < cost->n && i < c0 + L; i++) {
        const sens_real w = weight(cost, i);
        OUT[i * L + (i - c0)] += FACTOR(w) * (x[i] - 1);
    }
}

static const struct sens_option options[] = {
    {.name = "weights", .kind = SENS_OPT_DATA, .help = "file of weights w_1 ... w_n; without it: all 1"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    sens_real *const t_obs = SENS_NEW(ctx, sens_real, 1);
    if (!t_obs) return SENS_NO_MEMORY;
    if (option[0].count && option[0].count != pb->n)
        return sens_fail(ctx, SENS_BAD_INPUT, "weights: %zu numbers for %zu states", option[0].count, pb->n);
    for (size_t i = 0; i < option[0].count; i++)
        if (!isfinite(option[0].data[i]))
            return sens_fail(ctx, SENS_BAD_INPUT, "weights: number %zu is not finite", i + 1);
    *t_obs = pb->t1;
    cost->m = pb->n;
    cost->n_obs = 1;
    cost->t_obs = t_obs;
    return SENS_OK;
}

static SENS_COST(own) = {
    .name = NAME,
    .summary = "weighted squares at t1",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};
static const struct sens_cost_type *const costs[] = {&sens_cost_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .costs = costs};
