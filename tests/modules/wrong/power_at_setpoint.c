/* sum |x_i - a|^1.5 with a setpoint a: its gradient by hand, r |r|^(-1/2), is no number where a state is at it.
 *
 * verify: --quick --cost power_at_setpoint
 * module: cost power_at_setpoint
 * cause: exact_zero */
#include <tgmath.h>

#include "sens/plugin.h"

static sens_real setpoint(const struct sens_cost *cost)
{
    return *(const sens_real *)cost->data;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++)
        G[0] += pow(fabs(x[i] - setpoint(cost)), (sens_real)1.5) / (sens_real)1.5;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)p;
    for (size_t i = 0; c0 == 0 && L > 0 && i < cost->n; i++) {
        const sens_real r = x[i] - setpoint(cost);
        OUT[i * L] += r * pow(fabs(r), (sens_real)-0.5);
    }
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    sens_real *t = SENS_NEW(ctx, sens_real, 1), *a = SENS_NEW(ctx, sens_real, 1);
    if (!t || !a) return SENS_NO_MEMORY;
    *t = pb->t1;
    *a = option[0].number;
    cost->m = 1, cost->n_obs = 1, cost->t_obs = t, cost->data = a;
    return SENS_OK;
}

static const struct sens_option options[] = {{.name = "setpoint",
                                              .kind = SENS_OPT_REAL,
                                              .fallback = 0.3,
                                              .min = -1e6,
                                              .max = 1e6,
                                              .help = "of all states"},
                                             SENS_OPTIONS_END};

SENS_COST(power_at_setpoint) = {.name = "power_at_setpoint",
                                .summary = "sum of |x - setpoint|^1.5",
                                .options = options,
                                .create = create,
                                .phi = phi,
                                .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_power_at_setpoint, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "power_at_setpoint", .costs = costs};
