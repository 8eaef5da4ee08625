/* The mean of |x|^2/2 over [t0, t1], whose derivative divides by t1 for t1 - t0: right where t0 = 0.
 *
 * verify: --quick --cost mean_over_time
 * module: cost mean_over_time
 * cause: product_factor */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

struct times {
    sens_real t0, t1;
};

static void g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    const struct times *of = cost->data;
    for (size_t i = 0; i < cost->n; i++) G[0] += w / (of->t1 - of->t0) * at->x[i] * at->x[i] / 2;
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *OUT)
{
    const struct times *of = cost->data;
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += w / of->t1 * at->x[i];
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    struct times *of = SENS_NEW(ctx, struct times, 1);
    if (!of) return SENS_NO_MEMORY;
    *of = (struct times){pb->t0, pb->t1};
    cost->m = 1;
    cost->data = of;
    return SENS_OK;
}

static SENS_COST(mean_over_time) = {
    .name = "mean_over_time", .summary = "the mean of |x|^2/2", .create = create, .g = g, .g_dx = g_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_mean_over_time, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "mean_over_time", .costs = costs};
