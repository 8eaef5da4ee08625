/* The matrices of a fully implicit step, see firk_matrix.h. */
#include "firk_matrix.h"

static void release(void *system)
{
    sens_shifted_release(system);
}

/* What the arena is to give back. */
static sens_status attach(struct sens_ctx *ctx, sens_status status, struct sens_shifted *system)
{
    if (!system) return status;
    const sens_status attached = sens_arena_attach(&ctx->arena, release, system);
    if (attached != SENS_OK) sens_shifted_release(system);
    return status != SENS_OK ? status : attached;
}

sens_status sens_firk_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                    const struct sens_tableau *tableau, enum sens_product by, size_t L,
                                    struct sens_firk_matrix *matrix)
{
    *matrix = (struct sens_firk_matrix){.J = NULL};
    if (!sens_firk_transform(tableau, &matrix->transform))
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "tableau %s: not three implicit stages with one real and two complex eigenvalues",
                         tableau->name);
    sens_status status = sens_jacobian_create(ctx, pb, by, NULL, &matrix->J);
    if (status != SENS_OK) return status;
    const struct sens_pattern *pattern = matrix->J->pattern;
    matrix->value = SENS_NEW(ctx, sens_real, matrix->J->entries);
    matrix->both = SENS_NEW(ctx, sens_real, 2 * pb->n * L);
    if (!matrix->value || !matrix->both) return SENS_NO_MEMORY;
    status =
        sens_shifted_create_mass(ctx, pb->n, pb->mass, pattern, SENS_SHIFTED_PLAIN, false, &matrix->real);
    status = attach(ctx, status, matrix->real);
    if (status != SENS_OK) return status;
    status =
        sens_shifted_create_mass(ctx, pb->n, pb->mass, pattern, SENS_SHIFTED_COMPLEX, false, &matrix->pair);
    status = attach(ctx, status, matrix->pair);
    if (status != SENS_OK) return status;
    sens_shifted_expect_many(matrix->real); /* iterations, and the filter */
    sens_shifted_expect_many(matrix->pair);
    return SENS_OK;
}

void sens_firk_matrix_at(struct sens_firk_matrix *matrix, const struct sens_at *at)
{
    sens_jacobian_at(matrix->J, at, matrix->value);
}

sens_status sens_firk_matrix_factor(struct sens_firk_matrix *matrix, sens_real h)
{
    const struct sens_firk_transform *tr = &matrix->transform;
    const struct sens_shift real = {tr->gamma, h, 0}, pair = {tr->alpha, h, tr->beta};
    const sens_status status = sens_shifted_factor(matrix->real, real, matrix->value);
    return status == SENS_OK ? sens_shifted_factor(matrix->pair, pair, matrix->value) : status;
}

void sens_firk_matrix_borrow(struct sens_firk_matrix *matrix, const struct sens_shifted *const *factors)
{
    sens_shifted_borrow(matrix->real, factors[0]);
    sens_shifted_borrow(matrix->pair, factors[1]);
}

/* The second and third of the three are real and imaginary part of one vector, which the kernels want side by
 * side. The transpose of the block of alpha and beta is that of alpha and -beta: conjugated, the matrix is the
 * transpose of the one that was factorised, and the vector has its imaginary part turned round. */
void sens_firk_matrix_solve(struct sens_firk_matrix *matrix, bool transposed, size_t L, sens_real *W)
{
    const size_t n = matrix->J->pb->n;
    const sens_real sign = transposed ? -1 : 1;
    sens_real *const re = W + n * L, *const im = re + n * L, *const both = matrix->both;
    sens_shifted_solve(matrix->real, transposed, L, W);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < L; l++) {
            both[2 * i * L + l] = re[i * L + l];
            both[(2 * i + 1) * L + l] = sign * im[i * L + l];
        }
    sens_shifted_solve(matrix->pair, transposed, L, both);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < L; l++) {
            re[i * L + l] = both[2 * i * L + l];
            im[i * L + l] = sign * both[(2 * i + 1) * L + l];
        }
}

void sens_firk_matrix_count(struct sens_firk_matrix *matrix, struct sens_work *work)
{
    sens_shifted_count(matrix->real, work);
    sens_shifted_count(matrix->pair, work);
}

void sens_firk_matrix_filter(struct sens_firk_matrix *matrix, size_t L, sens_real *x)
{
    const size_t size = matrix->J->pb->n * L;
    sens_shifted_solve(matrix->real, false, L, x);
    for (size_t q = 0; q < size; q++) x[q] *= matrix->transform.gamma;
}
