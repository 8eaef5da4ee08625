/* A soft penalty int max(0, |x| - 5)^2 dt, whose derivative by x forgets that the state may be negative.
 *
 * verify: --cost penalty_side
 * module: cost penalty_side
 * cause: branch */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

static sens_real over(sens_real x)
{
    return fabs(x) > 5 ? fabs(x) - 5 : 0;
}

static void g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    for (size_t i = 0; i < cost->n; i++) G[0] += w * over(at->x[i]) * over(at->x[i]);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *OUT)
{
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += 2 * w * over(at->x[i]);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)ctx, (void)option, (void)pb;
    cost->m = 1;
    return SENS_OK;
}

static SENS_COST(penalty_side) = {
    .name = "penalty_side", .summary = "int max(0, |x| - 5)^2 dt", .create = create, .g = g, .g_dx = g_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_penalty_side, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "penalty_side", .costs = costs};
