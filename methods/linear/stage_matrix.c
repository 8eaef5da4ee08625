/* The matrix of an implicit stage, see stage_matrix.h. */
#include "stage_matrix.h"

static void release(void *system)
{
    sens_shifted_release(system);
}

sens_status sens_stage_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                     enum sens_product by, struct sens_stage_matrix *matrix)
{
    *matrix = (struct sens_stage_matrix){.J = NULL};
    sens_status status = sens_jacobian_create(ctx, pb, by, NULL, &matrix->J);
    if (status != SENS_OK) return status;
    matrix->value = SENS_NEW(ctx, sens_real, matrix->J->entries);
    if (!matrix->value) return SENS_NO_MEMORY;
    status = sens_shifted_create(ctx, pb->n, matrix->J->pattern, SENS_KERNEL_AUTO, &matrix->system);
    if (!matrix->system) return status;
    const sens_status attached = sens_arena_attach(&ctx->arena, release, matrix->system);
    if (attached != SENS_OK) sens_shifted_release(matrix->system);
    return status != SENS_OK ? status : attached;
}

void sens_stage_matrix_at(struct sens_stage_matrix *matrix, const struct sens_at *at)
{
    sens_jacobian_at(matrix->J, at, matrix->value);
}

sens_status sens_stage_matrix_factor(struct sens_stage_matrix *matrix, sens_real h_gamma)
{
    return sens_shifted_factor(matrix->system, (struct sens_shift){1, h_gamma, 0}, matrix->value);
}
