/* sum |x_i|^1.5: its gradient by hand, x_i |x_i|^(-1/2), is no number where a state is exactly 0.
 *
 * verify: --quick --cost power_at_zero
 * module: cost power_at_zero
 * cause: exact_zero */
#include <tgmath.h>

#include "sens/plugin.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += pow(fabs(x[i]), (sens_real)1.5) / (sens_real)1.5;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)p;
    for (size_t i = 0; c0 == 0 && L > 0 && i < cost->n; i++)
        OUT[i * L] += x[i] * pow(fabs(x[i]), (sens_real)-0.5);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    sens_real *t = SENS_NEW(ctx, sens_real, 1);
    if (!t) return SENS_NO_MEMORY;
    *t = pb->t1;
    cost->m = 1, cost->n_obs = 1, cost->t_obs = t;
    return SENS_OK;
}

SENS_COST(power_at_zero) = {
    .name = "power_at_zero", .summary = "sum of |x|^1.5", .create = create, .phi = phi, .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_power_at_zero, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "power_at_zero", .costs = costs};
