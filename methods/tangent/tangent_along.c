/* Blocks of the tangent through the trials of a solve, see tangent_along.h. */
#include "tangent_along.h"

#include <string.h>

/* By the family of the tableau: a line each. */
static const struct tangent_family *const families[SENS_FAMILIES] = {
    [SENS_FAMILY_EXPLICIT] = &tangent_runge_kutta,
    [SENS_FAMILY_DIRK] = &tangent_runge_kutta,
    [SENS_FAMILY_FIRK] = &tangent_firk,
    [SENS_FAMILY_ROSENBROCK] = &tangent_rosenbrock,
    [SENS_FAMILY_SWITCHED] = &tangent_switched,
};

const struct tangent_family *tangent_family_of(struct sens_ctx *ctx, const struct sens_tableau *tableau)
{
    const bool known = (int)tableau->family >= 0 && tableau->family < SENS_FAMILIES;
    if (known && families[tableau->family]) return families[tableau->family];
    sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: no tangent of its family", tableau->name);
    return NULL;
}

sens_status tangent_along_create(struct sens_ctx *ctx, const struct sens_task *task, size_t L, size_t n_cols,
                                 struct tangent_along *along)
{
    const sens_real *const weight = along->blocks > 0 ? along->block[along->blocks - 1].weight : NULL;
    along->family = tangent_family_of(ctx, task->tableau);
    if (!along->family) return SENS_UNSUPPORTED;
    const sens_status status = along->family->create(ctx, task, L, n_cols, weight, &along->own);
    return status == SENS_OK && along->family->keep ? along->family->keep(ctx, along->own) : status;
}

sens_status tangent_along_step(void *self, const struct sens_step *step, const sens_real *z,
                               const sens_real *f, sens_real *z1, sens_real *e)
{
    const struct tangent_along *along = self;
    sens_status status = along->family->linearise(along->own, step);
    for (size_t b = 0; b < along->blocks && status == SENS_OK; b++) {
        struct tangent_block *const block = &along->block[b];
        const size_t first = along->offset[b];
        block->s = z1 + first;
        memcpy(block->s, z + first, (along->offset[b + 1] - first) * sizeof *z);
        status = along->family->advance(along->own, step, block);
        if (status == SENS_OK && e)
            along->family->estimate(along->own, step, block, z + first, f + first, e + first);
    }
    return status;
}

void tangent_along_count(struct tangent_along *along, size_t idle, struct sens_work *work)
{
    size_t lanes = 0;
    for (size_t b = 0; b < along->blocks; b++) lanes += along->block[b].L;
    along->family->count(along->own, idle, lanes, work);
}
