/* What the methods of SUNDIALS CVODES share, see cvodes.h. */
#include "cvodes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

const char *const cvodes_lmm_choices[] = {"adams", "bdf", NULL};
const char *const cvodes_vectors_choices[] = {"optimised", "shipped", NULL};
const char *const cvodes_errcon_choices[] = {"outside", "inside", NULL};

bool cvodes_finite(size_t count, const sens_real *v)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

/* ---- the library -----------------------------------------------------------------------------------------
 */

#ifdef SUNDIALS_INT64_T
#define INDEX "64-bit indices"
#else
#define INDEX "32-bit indices"
#endif
#ifdef SUNDIALS_BUILD_WITH_PROFILING
#define PROFILING "profiling built in"
#else
#define PROFILING "no profiling"
#endif
#ifndef SUNDIALS_DOUBLE_PRECISION
#error "SUNDIALS in double precision is needed"
#endif

/* The flags it was compiled with are not told. require_version holds the text to the library that runs. */
const char *cvodes_library(void)
{
    return "SUNDIALS CVODES " SUNDIALS_VERSION " (double precision, " INDEX ", " PROFILING
           "), serial vectors, own dense LU, no BLAS";
}

static sens_status require_version(struct sens_ctx *ctx)
{
    char version[32];
    if (SUNDIALSGetVersion(version, sizeof version) != 0) return sens_fail(ctx, SENS_UNAVAILABLE, "SUNDIALS");
    if (strcmp(version, SUNDIALS_VERSION) == 0) return SENS_OK;
    return sens_fail(ctx, SENS_UNAVAILABLE, "built for SUNDIALS " SUNDIALS_VERSION ", which is %s here",
                     version);
}

/* ---- failures --------------------------------------------------------------------------------------------
 */

/* CVODES' error handler: keeps the first message, prints nothing. A code > 0 is a warning. */
static void keep_message(int code, const char *module, const char *function, char *text, void *self)
{
    struct cvodes *cv = self;
    (void)module;
    if (code > 0 || cv->message[0]) return;
    snprintf(cv->message, sizeof cv->message, "%s: %s", function, text);
    for (char *c = cv->message; *c; c++)
        if (*c == '\n') *c = ' ';
}

static sens_status status_of(const struct cvodes *cv, int flag)
{
    switch (flag) {
    case CV_TOO_MUCH_WORK:
        return SENS_STEP_LIMIT;
    case CV_TOO_MUCH_ACC: /* rounding is all that is left of the tolerance */
    case CV_ERR_FAILURE:
    case CV_TOO_CLOSE:
        return SENS_STEP_UNDERFLOW;
    case CV_RHSFUNC_FAIL:
    case CV_QRHSFUNC_FAIL:
    case CV_SRHSFUNC_FAIL:
    case CV_QSRHSFUNC_FAIL:
        return SENS_RHS_FAILED;
    case CV_MEM_FAIL:
        return SENS_NO_MEMORY;
    case CV_ILL_INPUT:
        return strstr(cv->message, "wt") ? SENS_DIVERGED : SENS_BAD_INPUT; /* a weight 1/0, of a state 0 */
    default:
        return SENS_DIVERGED;
    }
}

sens_status cvodes_check(struct sens_ctx *ctx, const struct cvodes *cv, int flag)
{
    if (cv->failed != SENS_OK && cv->failed == cv->distrust)
        return sens_fail(ctx, cv->failed, "the right-hand side failed where CVODES cannot go on");
    if (cv->failed != SENS_OK) return cv->failed;
    if (flag >= 0) return SENS_OK;
    return sens_fail(ctx, status_of(cv, flag), "CVODES flag %d, %s", flag,
                     cv->message[0] ? cv->message : "no message");
}

/* ---- callbacks -------------------------------------------------------------------------------------------
 */

static void running_cost(const struct cvodes *cv, realtype t, N_Vector x, sens_real *g)
{
    memset(g, 0, cv->m * sizeof *g);
    cv->cost->type->g(cv->cost, CVODES_AT(cv, t, x), 1, g);
}

void cvodes_distrust(struct cvodes *cv, long most, sens_status status)
{
    cv->failures = 0;
    cv->most_failures = most;
    cv->distrust = status;
}

static int recoverable(struct cvodes *cv)
{
    if (cv->failures++ < cv->most_failures) return 1;
    cv->failed = cv->distrust;
    return -1;
}

/* NaN is left behind by a failure: CVODES does not look at that of the slope which it keeps at t0. */
static int rhs(realtype t, N_Vector x, N_Vector dx, void *self)
{
    struct cvodes *cv = self;
    sens_real *to = NV_DATA_S(dx);
    if (cv->failed != SENS_OK) return -1; /* the run is over, even if CVODES has overlooked it */
    const sens_status status = cv->problem->type->rhs(cv->problem, CVODES_AT(cv, t, x), to);
    if (status < SENS_OK) cv->failed = status;
    if (status != SENS_OK) {
        for (size_t i = 0; i < cv->n + cv->extra; i++) to[i] = NAN;
        return status > SENS_OK ? recoverable(cv) : -1;
    }
    if (cv->extra > 0) running_cost(cv, t, x, to + cv->n);
    return cvodes_finite(cv->n + cv->extra, to) ? 0 : recoverable(cv);
}

int cvodes_running_cost(realtype t, N_Vector x, N_Vector g, void *self)
{
    const struct cvodes *cv = self;
    running_cost(cv, t, x, NV_DATA_S(g));
    return cvodes_finite(cv->m, NV_DATA_S(g)) ? 0 : 1;
}

static int fill_matrix(realtype t, N_Vector x, N_Vector dx, SUNMatrix A, void *self, N_Vector tmp1,
                       N_Vector tmp2, N_Vector tmp3)
{
    struct cvodes *cv = self;
    (void)dx, (void)tmp1, (void)tmp2, (void)tmp3;
    cvodes_matrix(cv, t, x, false, A);
    return cvodes_finite(cv->n * cv->n, SUNDenseMatrix_Data(A)) ? 0 : 1;
}

static void scatter(const struct cvodes *cv, bool adjoint, sens_real *A)
{
    const struct sens_pattern *pattern = cv->problem->sparsity;
    const size_t n = cv->n;
    memset(A, 0, n * n * sizeof *A);
    for (size_t i = 0; i < n; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
            const size_t j = pattern->col[e];
            if (adjoint)
                A[i * n + j] = -cv->jacobian[e];
            else
                A[j * n + i] = cv->jacobian[e];
        }
}

static void from_products(struct cvodes *cv, realtype t, N_Vector x, bool adjoint, sens_real *A)
{
    const size_t n = cv->n;
    for (size_t j = 0; j < n; j++) {
        cv->unit[j] = adjoint ? -1 : 1;
        (adjoint ? cvodes_vjp : cvodes_jvp)(cv, t, x, cv->unit, A + j * n);
        cv->unit[j] = 0;
    }
}

void cvodes_matrix(struct cvodes *cv, realtype t, N_Vector x, bool adjoint, SUNMatrix matrix)
{
    const size_t n = cv->n;
    sens_real *A = SUNDenseMatrix_Data(matrix); /* column after column */
    if (!cv->jacobian) {
        from_products(cv, t, x, adjoint, A);
        return;
    }
    cvodes_declared(cv, t, x);
    if (cv->problem->sparsity) {
        scatter(cv, adjoint, A);
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (adjoint)
                A[i * n + j] = -cv->jacobian[i * n + j];
            else
                A[j * n + i] = cv->jacobian[i * n + j];
}

/* ---- making and freeing -----------------------------------------------------------------------------------
 */

N_Vector cvodes_vector(struct sens_ctx *ctx, struct cvodes *cv, size_t n)
{
    sens_real *data = SENS_NEW(ctx, sens_real, n + 1); /* a vector of length 0 needs an address too */
    if (!data || cv->vectors == cv->room) return NULL;
    N_Vector v = N_VMake_Serial((sunindextype)n, data, cv->context);
    if (v && cv->vector_kind == VECTORS_OPTIMISED) cvodes_vector_optimise(v);
    if (v) cv->vector[cv->vectors++] = v;
    return v;
}

sens_status cvodes_create(struct sens_ctx *ctx, const struct sens_task *task,
                          const struct cvodes_settings *settings, struct cvodes *cv)
{
    const struct sens_problem *pb = task->problem;
    const bool declared = pb->type->jacobian;
    const size_t numbers = declared ? (pb->sparsity ? pb->sparsity->start[pb->n] : pb->n * pb->n) : 0;
    *cv = (struct cvodes){.task = task, .problem = pb, .cost = task->cost};
    cv->lmm = settings->lmm, cv->vector_kind = settings->vectors, cv->extra = settings->extra;
    cv->n = pb->n, cv->np = pb->np, cv->m = task->cost->m;
    sens_status status = require_version(ctx);
    if (status != SENS_OK) return status;
    cv->room = settings->room + 1;
    cv->vector = SENS_NEW(ctx, N_Vector, cv->room);
    cv->p = SENS_NEW(ctx, sens_real, cv->np + 1);
    cv->unit = SENS_NEW(ctx, sens_real, cv->n);
    if (declared) cv->jacobian = SENS_NEW(ctx, sens_real, numbers + 1);
    if (!cv->vector || !cv->p || !cv->unit || (declared && !cv->jacobian)) return SENS_NO_MEMORY;
    status = sens_stops_create(ctx, task, &cv->stops);
    if (status != SENS_OK) return status;
    if (SUNContext_Create(NULL, &cv->context) != 0) return SENS_NO_MEMORY;
    cv->x = cvodes_vector(ctx, cv, cv->n + cv->extra);
    return cv->x ? SENS_OK : SENS_NO_MEMORY;
}

void cvodes_free(struct cvodes *cv)
{
    if (cv->mem) CVodeFree(&cv->mem);
    cvodes_solver_free(&cv->solver);
    while (cv->vectors > 0) N_VDestroy(cv->vector[--cv->vectors]);
    if (cv->context) SUNContext_Free(&cv->context);
}

sens_status cvodes_solver_create(struct sens_ctx *ctx, struct cvodes *cv, struct cvodes_solver *solver)
{
    const sunindextype n = (sunindextype)cv->n;
    (void)ctx;
    if (cv->lmm == LMM_ADAMS) {
        solver->nonlinear = SUNNonlinSol_FixedPoint(cv->x, 0, cv->context);
        return solver->nonlinear ? SENS_OK : SENS_NO_MEMORY;
    }
    solver->nonlinear = SUNNonlinSol_Newton(cv->x, cv->context);
    solver->matrix = SUNDenseMatrix(n, n, cv->context);
    if (!solver->nonlinear || !solver->matrix) return SENS_NO_MEMORY;
    solver->linear = SUNLinSol_Dense(cv->x, solver->matrix, cv->context);
    return solver->linear ? SENS_OK : SENS_NO_MEMORY;
}

void cvodes_solver_free(struct cvodes_solver *solver)
{
    if (solver->linear) SUNLinSolFree(solver->linear);
    if (solver->matrix) SUNMatDestroy(solver->matrix);
    if (solver->nonlinear) SUNNonlinSolFree(solver->nonlinear);
    *solver = (struct cvodes_solver){.nonlinear = NULL};
}

sens_status cvodes_init(struct sens_ctx *ctx, struct cvodes *cv)
{
    const struct sens_task *task = cv->task;
    sens_status status = cvodes_solver_create(ctx, cv, &cv->solver);
    if (status != SENS_OK) return status;
    sens_problem_x0(cv->problem, cv->problem->p, NV_DATA_S(cv->x));
    cv->mem = CVodeCreate(cv->lmm == LMM_BDF ? CV_BDF : CV_ADAMS, cv->context);
    if (!cv->mem) return SENS_NO_MEMORY;
    int flag = CVodeSetErrHandlerFn(cv->mem, keep_message, cv);
    if (flag == CV_SUCCESS) flag = CVodeInit(cv->mem, rhs, cv->problem->t0, cv->x);
    if (flag == CV_SUCCESS) flag = CVodeSetUserData(cv->mem, cv);
    if (flag == CV_SUCCESS) flag = CVodeSStolerances(cv->mem, task->rtol, task->atol);
    if (flag == CV_SUCCESS) flag = CVodeSetMaxHnilWarns(cv->mem, -1);
    if (flag == CV_SUCCESS) flag = CVodeSetMaxNumSteps(cv->mem, task->max_steps);
    if (flag == CV_SUCCESS) flag = CVodeSetNonlinearSolver(cv->mem, cv->solver.nonlinear);
    if (flag == CV_SUCCESS && cv->solver.linear)
        flag = CVodeSetLinearSolver(cv->mem, cv->solver.linear, cv->solver.matrix);
    if (flag == CV_SUCCESS && cv->solver.linear) flag = CVodeSetJacFn(cv->mem, fill_matrix);
    return cvodes_check(ctx, cv, flag);
}

/* A failed run may have left a moved parameter; the second forward pass between checkpoints an initial step.
 */
sens_status cvodes_start(struct sens_ctx *ctx, struct cvodes *cv)
{
    cv->failed = SENS_OK;
    cvodes_distrust(cv, LONG_MAX, SENS_OK);
    cv->message[0] = '\0';
    memcpy(cv->p, cv->problem->p, cv->np * sizeof *cv->p);
    N_VConst(0, cv->x);
    sens_problem_x0(cv->problem, cv->p, NV_DATA_S(cv->x));
    int flag = CVodeReInit(cv->mem, cv->problem->t0, cv->x);
    if (flag == CV_SUCCESS) flag = CVodeSetInitStep(cv->mem, cv->task->dt);
    return cvodes_check(ctx, cv, flag);
}

/* ---- counts ----------------------------------------------------------------------------------------------
 */

/* Of the parts that take part: CVODES counts the failures of each on its own. */
sens_status cvodes_count_trials(struct sens_ctx *ctx, const struct cvodes *cv, void *mem, unsigned parts,
                                struct cvodes_count *count)
{
    long steps = 0, state[2] = {0}, quad = 0, sens[2] = {0}, quad_sens = 0;
    int flag = CVodeGetNumSteps(mem, &steps);
    if (flag == CV_SUCCESS) flag = CVodeGetNumErrTestFails(mem, &state[0]);
    if (flag == CV_SUCCESS) flag = CVodeGetNumStepSolveFails(mem, &state[1]);
    if (flag == CV_SUCCESS && parts & CVODES_QUAD) flag = CVodeGetQuadNumErrTestFails(mem, &quad);
    if (flag == CV_SUCCESS && parts & CVODES_SENS) flag = CVodeGetSensNumErrTestFails(mem, &sens[0]);
    if (flag == CV_SUCCESS && parts & CVODES_STAGGERED) flag = CVodeGetNumStepSensSolveFails(mem, &sens[1]);
    if (flag == CV_SUCCESS && parts & CVODES_QUAD_SENS)
        flag = CVodeGetQuadSensNumErrTestFails(mem, &quad_sens);
    *count = (struct cvodes_count){steps, state[0] + state[1] + quad + sens[0] + sens[1] + quad_sens};
    return cvodes_check(ctx, cv, flag);
}
