/* Final cost sum |x_i|^3 / 3, whose derivative is x_i^2: right where no state is negative.
 * verify: --quick --cost cube_of_sign --check cost.many
 * module: cost cube_of_sign
 * cause: branch */
#include <math.h>

#include "sens/plugin.h"

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += fabs(x[i]) * x[i] * x[i] / 3;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n && c0 == 0 && L > 0; i++) OUT[i * L] += x[i] * x[i];
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    double *const t = sens_arena_alloc(&ctx->arena, 1, sizeof *t);
    (void)option;
    if (!t) return SENS_NO_MEMORY;
    *t = pb->t1;
    cost->m = 1, cost->n_obs = 1, cost->t_obs = t;
    return SENS_OK;
}

static const struct sens_cost_type type = {
    .name = "cube_of_sign", .summary = "third powers", .create = create, .phi = phi, .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&type, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "cube_of_sign", .costs = costs};
