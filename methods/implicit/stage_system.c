/* The system of a diagonally implicit stage, see stage_system.h. */
#include "stage_system.h"

#include <string.h>

static void release(void *system)
{
    sens_shifted_release(system);
}

sens_status stage_system_create(struct sens_ctx *ctx, const struct sens_problem *pb, enum sens_product by,
                                size_t L, struct stage_system *system)
{
    *system = (struct stage_system){.factored = false};
    const sens_status status = sens_stage_matrix_create(ctx, pb, by, &system->matrix);
    return status == SENS_OK ? sens_stage_matrix_room(ctx, L, &system->matrix) : status;
}

static sens_status create_near(struct sens_ctx *ctx, enum sens_product by, struct stage_system *system)
{
    const sens_status status = sens_shifted_like(ctx, system->matrix.system, by == SENS_VJP, &system->near);
    if (!system->near) return status;
    sens_shifted_expect_many(system->near); /* corrections, of all stages of a step */
    const sens_status attached = sens_arena_attach(&ctx->arena, release, system->near);
    if (attached != SENS_OK) sens_shifted_release(system->near);
    return status != SENS_OK ? status : attached;
}

sens_status stage_system_correct(struct sens_ctx *ctx, enum sens_product by, size_t L, bool iterates,
                                 const struct stage_system *other, struct stage_system *system)
{
    const size_t n = system->matrix.J->pb->n;
    system->iterates = iterates;
    system->B = SENS_NEW(ctx, sens_real, n * L);
    system->R = SENS_NEW(ctx, sens_real, n * L);
    if (!system->B || !system->R) return SENS_NO_MEMORY;
    const sens_status status = corrections_create(ctx, n, L, &system->corrections);
    if (status != SENS_OK || !other) return status == SENS_OK ? create_near(ctx, by, system) : status;
    system->near = other->near;
    return SENS_OK;
}

static sens_status factor(struct stage_system *system)
{
    if (system->factored) return SENS_OK;
    const sens_status status = sens_stage_matrix_factor(&system->matrix, system->h_gamma);
    system->factored = status == SENS_OK;
    return status;
}

sens_status stage_system_at(struct stage_system *system, const struct sens_at *at, sens_real h_gamma,
                            struct stage_near near)
{
    const bool iterates = system->iterates && h_gamma != 0 && !near.kept;
    system->h_gamma = h_gamma;
    system->factored = false;
    system->corrects = near.kept || iterates;
    sens_stage_matrix_at(&system->matrix, at);
    if (near.kept) sens_shifted_borrow(system->near, near.kept);
    if (iterates && near.first)
        return sens_shifted_factor(system->near, (struct sens_shift){1, h_gamma, 0}, system->matrix.value);
    return system->corrects ? SENS_OK : factor(system);
}

/* All lanes of X from B. Are all done? */
static bool correct(struct stage_system *system, bool transposed, size_t L, sens_real *X)
{
    corrections_start(&system->corrections, L, X);
    do {
        if (sens_stage_matrix_residual(&system->matrix, transposed, system->h_gamma, L, system->B, X,
                                       system->R))
            sens_shifted_solve(system->near, transposed, L, system->R);
    } while (corrections_add(&system->corrections, L, system->R, X));
    return !corrections_failed(&system->corrections, L);
}

sens_status stage_system_solve(struct stage_system *system, bool transposed, size_t L, sens_real *X)
{
    if (system->corrects) {
        memcpy(system->B, X, system->matrix.J->pb->n * L * sizeof *X);
        if (correct(system, transposed, L, X)) return SENS_OK;
    }
    const sens_status status = factor(system);
    if (status != SENS_OK) return status;
    sens_real *const all = system->corrects ? system->B : X;
    sens_shifted_solve(system->matrix.system, transposed, L, all);
    if (all != X) corrections_replace(&system->corrections, L, all, X);
    return SENS_OK;
}

void stage_system_slope(struct stage_system *system, bool transposed, size_t L, const sens_real *F,
                        sens_real *X, sens_real *K)
{
    const struct sens_stage_slope of = {.L = L, .h_gamma = system->h_gamma, .f = F, .x = X, .c = K};
    sens_stage_matrix_slope(&system->matrix, transposed, system->factored, &of);
}

void stage_system_count(struct stage_system *system, struct sens_work *work)
{
    sens_shifted_count(system->matrix.system, work);
    if (system->near) sens_shifted_count(system->near, work);
}
