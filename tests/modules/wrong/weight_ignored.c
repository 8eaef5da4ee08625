/* The work int p_0 |x|^2 dt, whose derivative by p_0 forgets the weight of the quadrature.
 *
 * verify: --quick --cost weight_ignored
 * module: cost weight_ignored
 * cause: cost_weight */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

static sens_real square(const struct sens_cost *cost, const struct sens_at *at)
{
    sens_real sum = 0;
    for (size_t i = 0; i < cost->n; i++) sum += at->x[i] * at->x[i];
    return sum;
}

static void g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    G[0] += w * (cost->np ? at->p[0] : 1) * square(cost, at);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *OUT)
{
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += 2 * w * (cost->np ? at->p[0] : 1) * at->x[i];
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *MU)
{
    (void)w;
    if (c0 == 0 && L > 0 && cost->np) MU[0] += square(cost, at);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)ctx, (void)option, (void)pb;
    cost->m = 1;
    return SENS_OK;
}

static SENS_COST(weight_ignored) = {.name = "weight_ignored",
                                    .summary = "int p_0 |x|^2 dt",
                                    .create = create,
                                    .g = g,
                                    .g_dx = g_dx,
                                    .g_dp = g_dp};
static const struct sens_cost_type *const costs[] = {&sens_cost_weight_ignored, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "weight_ignored", .costs = costs};
