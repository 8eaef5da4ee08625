/* The distance to data 0, 1, 2, 3, whose derivative takes the residuals that the value left behind: those of
 * the last observation, where derivatives are asked for after the values of all.
 *
 * verify: --quick --cost residual_kept
 * module: cost residual_kept
 * cause: impure */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    sens_real *residual = *(sens_real *const *)cost->data;
    (void)p;
    for (size_t i = 0; i < cost->n; i++) {
        residual[i] = x[i] - (sens_real)j;
        G[0] += residual[i] * residual[i] / 2;
    }
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    const sens_real *residual = *(sens_real *const *)cost->data;
    (void)j, (void)x, (void)p;
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += residual[i];
}

enum { OBSERVATIONS = 4 };

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    sens_real *t = SENS_NEW(ctx, sens_real, OBSERVATIONS);
    sens_real **residual = SENS_NEW(ctx, sens_real *, 1);
    if (!t || !residual || !(*residual = SENS_NEW(ctx, sens_real, pb->n))) return SENS_NO_MEMORY;
    cost->data = residual;
    for (int j = 0; j < OBSERVATIONS; j++)
        t[j] = j + 1 < OBSERVATIONS ? pb->t0 + (pb->t1 - pb->t0) * (j + 1) / OBSERVATIONS : pb->t1;
    cost->m = 1;
    cost->n_obs = OBSERVATIONS;
    cost->t_obs = t;
    return SENS_OK;
}

static SENS_COST(residual_kept) = {.name = "residual_kept",
                                   .summary = "distance to 0, 1, 2, 3",
                                   .create = create,
                                   .phi = phi,
                                   .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_residual_kept, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "residual_kept", .costs = costs};
