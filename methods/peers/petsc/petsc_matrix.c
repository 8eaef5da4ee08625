/* The Jacobians df/dx [n][n] and df/dp [n][np] as PETSc's manual offers them: matrix-free, a shell whose
 * transposed product is the problem's own vjp (the adjoint of a Runge-Kutta scheme asks for no other, and the
 * theta schemes factorise a matrix), or explicit, a matrix that is filled at every point.
 *
 * Explicit df/dx is that of methods/linear: sparse (AIJ) where the problem declares a pattern, else dense.
 * Explicit df/dp is sparse where the problem declares outer
 * products or a pattern, else dense, column by column. PETSc keeps dense matrices by columns. */
#include <string.h>

#include "pattern.h"
#include "petsc.h"

/* ---- matrix-free --------------------------------------------------------------------------------------- */

static PetscErrorCode shell_multiply_transposed(Mat mat, Vec in, Vec out)
{
    struct petsc_matrix *matrix;
    const PetscScalar *v;
    PetscScalar *w;
    PetscCall(MatShellGetContext(mat, &matrix));
    PetscCall(VecGetArrayRead(in, &v));
    PetscCall(VecGetArrayWrite(out, &w));
    matrix->pb->type->vjp(matrix->pb, PETSC_AT(matrix->pb, matrix->t, matrix->x), 1, v, w);
    PetscCall(VecRestoreArrayWrite(out, &w));
    PetscCall(VecRestoreArrayRead(in, &v));
    return 0;
}

static PetscErrorCode shell_p_multiply_transposed(Mat mat, Vec in, Vec out)
{
    struct petsc_matrix *matrix;
    const PetscScalar *v;
    PetscScalar *w;
    PetscCall(MatShellGetContext(mat, &matrix));
    const struct sens_problem *pb = matrix->pb;
    PetscCall(VecGetArrayRead(in, &v));
    PetscCall(VecGetArrayWrite(out, &w));
    memset(w, 0, pb->np * sizeof *w);
    pb->type->vjp_p_batch(pb, 1, &matrix->t, matrix->x, pb->p, 1, v, w);
    PetscCall(VecRestoreArrayWrite(out, &w));
    PetscCall(VecRestoreArrayRead(in, &v));
    return 0;
}

/* The array of a stage's state stays where it is until the products at it have been taken. */
static PetscErrorCode shell_move(struct petsc_matrix *matrix, double t, Vec x)
{
    const PetscScalar *array;
    PetscCall(VecGetArrayRead(x, &array));
    matrix->t = t;
    matrix->x = array;
    PetscCall(VecRestoreArrayRead(x, &array));
    return 0;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* A pattern in PETSc's indices; `declared` values that the problem writes go there. */
static sens_status copy_pattern(struct sens_ctx *ctx, const struct sens_pattern *pattern, size_t declared,
                                struct petsc_matrix *matrix)
{
    const size_t entries = sens_pattern_entries(pattern);
    matrix->declared = declared;
    matrix->start = SENS_NEW(ctx, PetscInt, pattern->rows + 1);
    matrix->col = SENS_NEW(ctx, PetscInt, entries);
    matrix->value = SENS_NEW(ctx, double, declared);
    if (!matrix->start || !matrix->col || !matrix->value) return SENS_NO_MEMORY;
    for (size_t i = 0; i <= pattern->rows; i++) matrix->start[i] = (PetscInt)pattern->start[i];
    for (size_t e = 0; e < entries; e++) matrix->col[e] = (PetscInt)pattern->col[e];
    return SENS_OK;
}

static sens_status prepare_sparse(struct sens_ctx *ctx, const struct sens_pattern *pattern, bool diagonal,
                                  struct petsc_matrix *matrix)
{
    struct sens_pattern with = *pattern;
    const size_t declared = sens_pattern_entries(pattern);
    const sens_status status =
        diagonal ? sens_pattern_add_diagonal(ctx, pattern, &with, &matrix->place) : SENS_OK;
    return status == SENS_OK ? copy_pattern(ctx, &with, declared, matrix) : status;
}

sens_status petsc_matrix_prepare(struct sens_ctx *ctx, const struct sens_problem *pb, bool shell,
                                 bool diagonal, struct petsc_matrix *matrix)
{
    *matrix = (struct petsc_matrix){.pb = pb, .shell = shell};
    if (shell) return SENS_OK;
    const sens_status status = sens_jacobian_create(ctx, pb, SENS_JVP, NULL, &matrix->jacobian);
    if (status != SENS_OK) return status;
    if (matrix->jacobian->pattern) return prepare_sparse(ctx, matrix->jacobian->pattern, diagonal, matrix);
    matrix->value = SENS_NEW(ctx, double, matrix->jacobian->entries);
    return matrix->value ? SENS_OK : SENS_NO_MEMORY;
}

/* df/dp is declared transposed, by parameters. */
static sens_status prepare_transposed(struct sens_ctx *ctx, const struct sens_problem *pb,
                                      struct petsc_matrix *matrix)
{
    struct sens_pattern by_rows;
    const sens_status status =
        sens_pattern_transpose(ctx, pb->structure->sparsity_p, &by_rows, &matrix->place);
    if (status != SENS_OK) return status;
    return copy_pattern(ctx, &by_rows, sens_pattern_entries(&by_rows), matrix);
}

static sens_status prepare_outer(struct sens_ctx *ctx, const struct sens_problem *pb,
                                 struct petsc_matrix *matrix)
{
    const struct sens_structure *declared = pb->structure;
    const size_t width = sens_structure_factors(declared);
    size_t end = 0;
    matrix->declared = pb->n + width; /* s and phi */
    matrix->start = SENS_NEW(ctx, PetscInt, pb->n + 1);
    matrix->col = SENS_NEW(ctx, PetscInt, pb->n * width);
    matrix->value = SENS_NEW(ctx, double, matrix->declared);
    if (!matrix->start || !matrix->col || !matrix->value) return SENS_NO_MEMORY;
    for (size_t i = 0; i < pb->n; i++) {
        for (size_t b = 0; b < declared->n_blocks; b++)
            for (size_t j = 0; j < declared->blocks[b].cols; j++)
                matrix->col[end++] = (PetscInt)(declared->blocks[b].first + i * declared->blocks[b].cols + j);
        matrix->start[i + 1] = (PetscInt)end;
    }
    return SENS_OK;
}

sens_status petsc_matrix_p_prepare(struct sens_ctx *ctx, const struct sens_problem *pb, bool shell,
                                   struct petsc_matrix *matrix)
{
    *matrix = (struct petsc_matrix){.pb = pb, .shell = shell, .parameters = true};
    if (shell) return SENS_OK;
    if (sens_structure_of(pb)->outer) return prepare_outer(ctx, pb, matrix);
    if (sens_structure_of(pb)->jacobian_p) return prepare_transposed(ctx, pb, matrix);
    return SENS_OK;
}

/* ---- the matrix ---------------------------------------------------------------------------------------- */

PetscErrorCode petsc_matrix_create(struct petsc_matrix *matrix)
{
    const PetscInt n = (PetscInt)matrix->pb->n, np = (PetscInt)matrix->pb->np;
    const PetscInt columns = matrix->parameters ? np : n;
    if (matrix->shell) {
        const PetscVoidFunction transposed = matrix->parameters
                                                 ? (PetscVoidFunction)shell_p_multiply_transposed
                                                 : (PetscVoidFunction)shell_multiply_transposed;
        PetscCall(MatCreateShell(PETSC_COMM_SELF, n, columns, n, columns, matrix, &matrix->mat));
        PetscCall(MatShellSetOperation(matrix->mat, MATOP_MULT_TRANSPOSE, transposed));
    } else if (matrix->start) {
        PetscCall(MatCreate(PETSC_COMM_SELF, &matrix->mat));
        PetscCall(MatSetSizes(matrix->mat, n, columns, n, columns));
        PetscCall(MatSetType(matrix->mat, MATSEQAIJ));
        PetscCall(MatSeqAIJSetPreallocationCSR(matrix->mat, matrix->start, matrix->col, NULL));
    } else {
        PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, columns, NULL, &matrix->mat));
    }
    PetscCall(MatAssemblyBegin(matrix->mat, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix->mat, MAT_FINAL_ASSEMBLY));
    return 0;
}

/* Values that the problem wrote to matrix->value, to their places. */
static void scatter(const struct petsc_matrix *matrix, double *to)
{
    for (size_t e = 0; e < matrix->declared; e++) to[matrix->place[e]] = matrix->value[e];
}

static void fill_sparse(struct petsc_matrix *matrix, const struct sens_at *at, double *to)
{
    if (!matrix->place) {
        sens_jacobian_at(matrix->jacobian, at, to);
        return;
    }
    memset(to, 0, (size_t)matrix->start[matrix->pb->n] * sizeof *to); /* the diagonal may not be declared */
    sens_jacobian_at(matrix->jacobian, at, matrix->value);
    scatter(matrix, to);
}

static void fill_dense(struct petsc_matrix *matrix, const struct sens_at *at, double *to)
{
    const size_t n = matrix->pb->n;
    sens_jacobian_at(matrix->jacobian, at, matrix->value);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) to[j * n + i] = matrix->value[i * n + j];
}

static void fill_sparse_p(struct petsc_matrix *matrix, const struct sens_at *at, double *to)
{
    const struct sens_problem *pb = matrix->pb;
    const double *s = matrix->value, *phi = matrix->value + pb->n;
    if (matrix->place) {
        pb->structure->jacobian_p(pb, at, matrix->value);
        scatter(matrix, to);
        return;
    }
    const size_t width = matrix->declared - pb->n;
    pb->structure->outer(pb, at, matrix->value, matrix->value + pb->n);
    for (size_t i = 0; i < pb->n; i++)
        for (size_t j = 0; j < width; j++) to[i * width + j] = s[i] * phi[j];
}

static void fill_dense_p(struct petsc_matrix *matrix, const struct sens_at *at, double *to)
{
    const struct sens_problem *pb = matrix->pb;
    memset(to, 0, pb->n * pb->np * sizeof *to);
    for (size_t k = 0; k < pb->np; k++) pb->type->jvp_p_cols(pb, at, k, 1, to + k * pb->n);
}

static PetscErrorCode fill(struct petsc_matrix *matrix, double t, Vec x)
{
    const PetscScalar *state;
    PetscScalar *to;
    Mat mat = matrix->mat;
    if (matrix->shell) return shell_move(matrix, t, x);
    PetscCall(VecGetArrayRead(x, &state));
    const struct sens_at *at = PETSC_AT(matrix->pb, t, state);
    if (matrix->start) {
        PetscCall(MatSeqAIJGetArrayWrite(mat, &to));
        if (matrix->parameters)
            fill_sparse_p(matrix, at, to);
        else
            fill_sparse(matrix, at, to);
        PetscCall(MatSeqAIJRestoreArrayWrite(mat, &to));
    } else {
        PetscCall(MatDenseGetArrayWrite(mat, &to));
        if (matrix->parameters)
            fill_dense_p(matrix, at, to);
        else
            fill_dense(matrix, at, to);
        PetscCall(MatDenseRestoreArrayWrite(mat, &to));
    }
    PetscCall(VecRestoreArrayRead(x, &state));
    return 0;
}

PetscErrorCode petsc_matrix_fill(TS ts, PetscReal t, Vec x, Mat J, Mat preconditioner, void *matrix)
{
    (void)ts, (void)J, (void)preconditioner;
    return fill(matrix, t, x);
}

PetscErrorCode petsc_matrix_p_fill(TS ts, PetscReal t, Vec x, Mat J, void *matrix)
{
    (void)ts, (void)J;
    return fill(matrix, t, x);
}
