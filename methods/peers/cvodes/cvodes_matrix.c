/* Newton's matrix of lmm = bdf, and what solves with it.
 *
 * Where J = df/dx, or -J^T, has a half-bandwidth b < n / 4 it is kept and factorised as a band
 * (SUNBandMatrix, SUNLinSol_Band), else as dense. b follows from the pattern that the problem declares, else
 * from a product with each unit vector at a point near x0, in prepare. J is that of methods/linear, which the
 * band tells how few products it takes.
 *
 * L functionals in one backward problem have a matrix of L equal blocks: one is factorised, and a linear
 * solver of ours, which CVODES' interface provides for, hands its lanes to SUNDIALS' one after the other. */
#include "cvodes.h"

#include <math.h>
#include <string.h>

#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "pattern.h"

const char *const cvodes_matrix_choices[] = {"auto", "dense", "band", NULL};

/* ---- the half-bandwidth -------------------------------------------------------------------------------- */

static size_t apart(size_t i, size_t j)
{
    return i > j ? i - j : j - i;
}

static size_t declared_band(const struct sens_pattern *pattern)
{
    size_t band = 0;
    for (size_t i = 0; i < pattern->rows; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            if (apart(i, pattern->col[e]) > band) band = apart(i, pattern->col[e]);
    return band;
}

/* At a point that is off x0 by irregular amounts: at x0 itself a derivative may happen to be 0. */
static sens_status probe_band(struct sens_ctx *ctx, struct cvodes *cv)
{
    const size_t n = cv->n;
    const struct sens_problem *pb = cv->problem;
    sens_real *x = SENS_NEW(ctx, sens_real, n), *unit = SENS_NEW(ctx, sens_real, n);
    sens_real *column = SENS_NEW(ctx, sens_real, n);
    if (!x || !unit || !column) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        x[i] = pb->x0[i] + 1e-3 * (1 + fabs(pb->x0[i])) * (0.1 + fmod(0.6180339887498949 * (double)i, 1));
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1;
        pb->type->jvp(pb, &(const struct sens_at){pb->t0, x, pb->p}, 1, unit, column);
        unit[j] = 0;
        for (size_t i = 0; i < n; i++)
            if (column[i] != 0 && apart(i, j) > cv->band) cv->band = apart(i, j);
    }
    return SENS_OK;
}

/* cv->jacobian, of a problem that declares none: jvp for the states, vjp for the adjoint, whose own matrix
 * then comes from the products that its slope takes. */
static sens_status create_products(struct sens_ctx *ctx, struct cvodes *cv)
{
    struct sens_pattern *const band = SENS_NEW(ctx, struct sens_pattern, 1);
    sens_status status = band ? SENS_OK : SENS_NO_MEMORY;
    if (status == SENS_OK && cv->banded) status = sens_pattern_band(ctx, cv->n, cv->band, band);
    const struct sens_pattern *const found = cv->banded ? band : NULL;
    if (status == SENS_OK)
        status = sens_jacobian_create(ctx, cv->problem, SENS_JVP, found, &cv->jacobian[false]);
    if (status == SENS_OK)
        status = sens_jacobian_create(ctx, cv->problem, SENS_VJP, found, &cv->jacobian[true]);
    if (status != SENS_OK) return status;
    cv->value = SENS_NEW(ctx, sens_real, cv->jacobian[false]->entries);
    return cv->value ? SENS_OK : SENS_NO_MEMORY;
}

sens_status cvodes_matrix_create(struct sens_ctx *ctx, int choice, struct cvodes *cv)
{
    const struct sens_pattern *const pattern = cvodes_has_jacobian(cv) ? cv->jacobian[false]->pattern : NULL;
    const size_t n = cv->n;
    sens_status status = SENS_OK;
    if (choice == MATRIX_DENSE)
        cv->band = n - 1;
    else if (pattern)
        cv->band = declared_band(pattern);
    else
        status = probe_band(ctx, cv);
    if (status != SENS_OK) return status;
    cv->banded = choice == MATRIX_BAND || (choice == MATRIX_AUTO && cv->band < n / 4);
    if (!cv->banded) cv->band = n - 1;
    cv->diagonal = SENS_NEW(ctx, sens_real *, n);
    if (!cv->diagonal) return SENS_NO_MEMORY;
    return cvodes_has_jacobian(cv) ? SENS_OK : create_products(ctx, cv);
}

/* ---- filling ------------------------------------------------------------------------------------------- */

/* A(i, j) is diagonal[j][i - j], of either kind. */
static void locate(const struct cvodes *cv, SUNMatrix A)
{
    for (size_t j = 0; j < cv->n; j++)
        cv->diagonal[j] = cv->banded ? SUNBandMatrix_Column(A, (sunindextype)j)
                                     : SUNDenseMatrix_Column(A, (sunindextype)j) + j;
}

static void put(const struct cvodes *cv, bool adjoint, size_t i, size_t j, sens_real value)
{
    if (adjoint)
        cv->diagonal[i][(ptrdiff_t)j - (ptrdiff_t)i] = -value;
    else
        cv->diagonal[j][(ptrdiff_t)i - (ptrdiff_t)j] = value;
}

/* Of row i the columns from first to before end stand in the band. */
static size_t first_of(const struct cvodes *cv, size_t i)
{
    return i > cv->band ? i - cv->band : 0;
}

static size_t end_of(const struct cvodes *cv, size_t i)
{
    return i + cv->band + 1 < cv->n ? i + cv->band + 1 : cv->n;
}

int cvodes_matrix(struct cvodes *cv, realtype t, N_Vector x, bool adjoint, SUNMatrix A)
{
    struct sens_jacobian *const J = cv->jacobian[adjoint];
    const struct sens_pattern *const pattern = J->pattern;
    const size_t n = cv->n;
    locate(cv, A);
    sens_jacobian_at(J, CVODES_AT(cv, t, x), cv->value);
    if (!sens_finite(J->entries, cv->value)) return 1;
    if (pattern && SUNMatZero(A) != 0) return -1;
    for (size_t i = 0; i < n; i++) {
        for (size_t e = pattern ? pattern->start[i] : 0; pattern && e < pattern->start[i + 1]; e++)
            put(cv, adjoint, i, pattern->col[e], cv->value[e]);
        for (size_t j = first_of(cv, i); !pattern && j < end_of(cv, i); j++)
            put(cv, adjoint, i, j, cv->value[i * n + j]);
    }
    return 0;
}

/* ---- one factorisation for all lanes ------------------------------------------------------------------- */

struct shared {
    SUNLinearSolver block; /* SUNDIALS' solver for one lane */
    N_Vector b, x;         /* [n] */
    size_t n, L;
};

static SUNLinearSolver_Type shared_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int shared_setup(SUNLinearSolver solver, SUNMatrix A)
{
    const struct shared *shared = solver->content;
    return SUNLinSolSetup(shared->block, A);
}

static int shared_solve(SUNLinearSolver solver, SUNMatrix A, N_Vector X, N_Vector B, realtype tol)
{
    const struct shared *shared = solver->content;
    const size_t n = shared->n, L = shared->L;
    const sens_real *from = NV_DATA_S(B);
    sens_real *to = NV_DATA_S(X), *b = NV_DATA_S(shared->b), *x = NV_DATA_S(shared->x);
    int flag = SUNLS_SUCCESS;
    for (size_t l = 0; l < L && flag == SUNLS_SUCCESS; l++) {
        for (size_t i = 0; i < n; i++) b[i] = from[i * L + l];
        flag = SUNLinSolSolve(shared->block, A, shared->x, shared->b, tol);
        for (size_t i = 0; i < n; i++) to[i * L + l] = x[i];
    }
    return flag;
}

static int shared_free(SUNLinearSolver solver)
{
    SUNLinSolFreeEmpty(solver); /* the content is of the arena */
    return SUNLS_SUCCESS;
}

static SUNLinearSolver share(struct sens_ctx *ctx, struct cvodes *cv, SUNLinearSolver block, size_t lanes)
{
    struct shared *shared = SENS_NEW(ctx, struct shared, 1);
    SUNLinearSolver solver = shared ? SUNLinSolNewEmpty(cv->context) : NULL;
    if (!solver) return NULL;
    *shared =
        (struct shared){block, cvodes_vector(ctx, cv, cv->n), cvodes_vector(ctx, cv, cv->n), cv->n, lanes};
    solver->content = shared;
    solver->ops->gettype = shared_type;
    solver->ops->setup = shared_setup;
    solver->ops->solve = shared_solve;
    solver->ops->free = shared_free;
    if (shared->b && shared->x) return solver;
    SUNLinSolFreeEmpty(solver);
    return NULL;
}

/* ---- solvers ------------------------------------------------------------------------------------------- */

static sens_status create_newton(struct sens_ctx *ctx, struct cvodes *cv, N_Vector like, size_t lanes,
                                 struct cvodes_solver *solver)
{
    const sunindextype n = (sunindextype)cv->n, b = (sunindextype)cv->band;
    N_Vector one = lanes > 1 ? cvodes_vector(ctx, cv, cv->n) : like;
    solver->nonlinear = SUNNonlinSol_Newton(like, cv->context);
    solver->matrix = cv->banded ? SUNBandMatrix(n, b, b, cv->context) : SUNDenseMatrix(n, n, cv->context);
    if (!one || !solver->nonlinear || !solver->matrix) return SENS_NO_MEMORY;
    solver->block = cv->banded ? SUNLinSol_Band(one, solver->matrix, cv->context)
                               : SUNLinSol_Dense(one, solver->matrix, cv->context);
    if (!solver->block) return SENS_NO_MEMORY;
    if (lanes > 1) solver->shared = share(ctx, cv, solver->block, lanes);
    return lanes > 1 && !solver->shared ? SENS_NO_MEMORY : SENS_OK;
}

struct cvodes_solver *cvodes_solver_new(struct cvodes *cv)
{
    return cv->solvers < cv->solver_room ? &cv->solver[cv->solvers++] : NULL;
}

struct cvodes_solver *cvodes_solver_create(struct sens_ctx *ctx, struct cvodes *cv, N_Vector like,
                                           size_t lanes)
{
    struct cvodes_solver *solver = cvodes_solver_new(cv);
    if (!solver) return NULL;
    if (cv->lmm == LMM_BDF) return create_newton(ctx, cv, like, lanes, solver) == SENS_OK ? solver : NULL;
    solver->nonlinear = SUNNonlinSol_FixedPoint(like, 0, cv->context);
    return solver->nonlinear ? solver : NULL;
}

void cvodes_solvers_free(struct cvodes *cv)
{
    while (cv->solvers > 0) {
        struct cvodes_solver *solver = &cv->solver[--cv->solvers];
        if (solver->shared) SUNLinSolFree(solver->shared);
        if (solver->block) SUNLinSolFree(solver->block);
        if (solver->matrix) SUNMatDestroy(solver->matrix);
        if (solver->nonlinear) SUNNonlinSolFree(solver->nonlinear);
    }
}
