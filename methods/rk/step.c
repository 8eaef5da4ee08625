/* The steps that a solve has accepted, see step.h; which are accepted is decided in solver.c. */
#include "step.h"

sens_status sens_grid_create(struct sens_ctx *ctx, long n_steps, bool stops, struct sens_grid *grid)
{
    const size_t steps = (size_t)n_steps;
    *grid = (struct sens_grid){.n_steps = n_steps,
                               .t = SENS_NEW(ctx, sens_real, steps + 1),
                               .h = SENS_NEW(ctx, sens_real, steps),
                               .stop = stops ? SENS_NEW(ctx, long, steps) : NULL};
    return grid->t && grid->h && (grid->stop || !stops) ? SENS_OK : SENS_NO_MEMORY;
}

sens_status sens_grid_parts(struct sens_ctx *ctx, const struct sens_tableau *tableau, struct sens_grid *grid)
{
    if (tableau->family != SENS_FAMILY_SWITCHED) return SENS_OK;
    grid->part = SENS_NEW(ctx, const struct sens_tableau *, (size_t)grid->n_steps);
    return grid->part ? SENS_OK : SENS_NO_MEMORY;
}

sens_status sens_grid_check(struct sens_ctx *ctx, const struct sens_grid *grid, sens_status status,
                            long steps)
{
    if (status == SENS_OK && steps != grid->n_steps) status = SENS_NOT_REPEATABLE;
    if (status != SENS_NOT_REPEATABLE) return status;
    return sens_fail(ctx, status, "the solve took other than the %ld steps it was prepared for",
                     grid->n_steps);
}

sens_status sens_terms_create(struct sens_ctx *ctx, int count, const sens_real *weight,
                              struct sens_terms *terms)
{
    *terms = (struct sens_terms){.stage = SENS_NEW(ctx, int, (size_t)count),
                                 .weight = SENS_NEW(ctx, sens_real, (size_t)count)};
    if (!terms->stage || !terms->weight) return SENS_NO_MEMORY;
    for (int j = 0; j < count; j++)
        if (weight[j] != 0) {
            terms->stage[terms->terms] = j;
            terms->weight[terms->terms++] = weight[j];
        }
    return SENS_OK;
}
