/* What the methods of SUNDIALS CVODES share, see cvodes.h. */
#include "cvodes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sundials/sundials_version.h>

const char *const cvodes_lmm_choices[] = {"adams", "bdf", NULL};
const char *const cvodes_vectors_choices[] = {"optimised", "shipped", NULL};
const char *const cvodes_errcon_choices[] = {"outside", "inside", NULL};

/* ---- the library -------------------------------------------------------------------------------------- */

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
const char *cvodes_library(const struct sens_method_type *type)
{
    (void)type;
    return "SUNDIALS CVODES " SUNDIALS_VERSION " (double precision, " INDEX ", " PROFILING
           ", optimisation not told), serial vectors, own dense and band LU, no BLAS";
}

static sens_status require_version(struct sens_ctx *ctx)
{
    char version[32];
    if (SUNDIALSGetVersion(version, sizeof version) != 0) return sens_fail(ctx, SENS_UNAVAILABLE, "SUNDIALS");
    if (strcmp(version, SUNDIALS_VERSION) == 0) return SENS_OK;
    return sens_fail(ctx, SENS_UNAVAILABLE, "built for SUNDIALS " SUNDIALS_VERSION ", which is %s here",
                     version);
}

/* ---- failures ----------------------------------------------------------------------------------------- */

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
        return cv->task->atol > 0 ? SENS_BAD_INPUT : SENS_DIVERGED; /* else a weight 1/0, of a state 0 */
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

/* ---- callbacks ---------------------------------------------------------------------------------------- */

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
    if (sens_fatal(status)) cv->failed = status;
    if (status != SENS_OK) {
        for (size_t i = 0; i < cv->n + cv->extra; i++) to[i] = NAN;
        return sens_recoverable(status) ? recoverable(cv) : -1;
    }
    if (cv->extra > 0) running_cost(cv, t, x, to + cv->n);
    return sens_finite(cv->n + cv->extra, to) ? 0 : recoverable(cv);
}

int cvodes_running_cost(realtype t, N_Vector x, N_Vector g, void *self)
{
    const struct cvodes *cv = self;
    running_cost(cv, t, x, NV_DATA_S(g));
    return sens_finite(cv->m, NV_DATA_S(g)) ? 0 : 1;
}

static int fill_matrix(realtype t, N_Vector x, N_Vector dx, SUNMatrix A, void *self, N_Vector tmp1,
                       N_Vector tmp2, N_Vector tmp3)
{
    struct cvodes *cv = self;
    (void)dx, (void)tmp1, (void)tmp2, (void)tmp3;
    return cvodes_matrix(cv, t, x, false, A);
}

/* ---- making and freeing ------------------------------------------------------------------------------- */

N_Vector cvodes_vector(struct sens_ctx *ctx, struct cvodes *cv, size_t n)
{
    sens_real *data = SENS_NEW(ctx, sens_real, n + 1); /* a vector of length 0 needs an address too */
    if (!data || cv->vectors == cv->room) return NULL;
    N_Vector v = N_VMake_Serial((sunindextype)n, data, cv->context);
    if (v && cv->vector_kind == VECTORS_OPTIMISED) cvodes_vector_optimise(v);
    if (v) cv->vector[cv->vectors++] = v;
    return v;
}

static sens_status check_tolerances(struct sens_ctx *ctx, const struct sens_task *task)
{
    const bool usable = task->rtol >= 0 && task->atol >= 0 && task->rtol + task->atol > 0 &&
                        isfinite(task->rtol + task->atol);
    return usable ? SENS_OK : sens_fail(ctx, SENS_BAD_INPUT, "rtol, atol >= 0 and not both 0 are needed");
}

static sens_status create_jacobian(struct sens_ctx *ctx, struct cvodes *cv)
{
    const sens_status status = sens_jacobian_create(ctx, cv->problem, SENS_JVP, NULL, &cv->jacobian[false]);
    if (status != SENS_OK) return status;
    cv->jacobian[true] = cv->jacobian[false];
    cv->value = SENS_NEW(ctx, sens_real, cv->jacobian[false]->entries);
    return cv->value ? SENS_OK : SENS_NO_MEMORY;
}

sens_status cvodes_create(struct sens_ctx *ctx, const struct sens_task *task,
                          const struct cvodes_settings *settings, struct cvodes *cv)
{
    const struct sens_problem *pb = task->problem;
    *cv = (struct cvodes){.task = task, .problem = pb, .cost = task->cost};
    cv->lmm = settings->lmm, cv->vector_kind = settings->vectors, cv->extra = settings->extra;
    cv->n = pb->n, cv->np = pb->np, cv->m = task->cost->m;
    sens_status status = require_version(ctx);
    if (status == SENS_OK) status = check_tolerances(ctx, task);
    if (status != SENS_OK) return status;
    cv->solver_room = settings->solvers + 1;
    cv->solver = SENS_NEW(ctx, struct cvodes_solver, cv->solver_room);
    cv->room = settings->room + 1 + 3 * cv->solver_room;
    cv->vector = SENS_NEW(ctx, N_Vector, cv->room);
    cv->p = SENS_NEW(ctx, sens_real, cv->np + 1);
    if (!cv->solver || !cv->vector || !cv->p) return SENS_NO_MEMORY;
    if (sens_structure_of(pb)->jacobian) status = create_jacobian(ctx, cv);
    if (status == SENS_OK && cv->lmm == LMM_BDF) status = cvodes_matrix_create(ctx, settings->matrix, cv);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &cv->stops);
    if (status != SENS_OK) return status;
    if (SUNContext_Create(NULL, &cv->context) != 0) return SENS_NO_MEMORY;
    cv->x = cvodes_vector(ctx, cv, cv->n + cv->extra);
    return cv->x ? SENS_OK : SENS_NO_MEMORY;
}

/* CVodeFree frees backward problems too, and uses their solvers until then. */
void cvodes_free(struct cvodes *cv)
{
    if (cv->mem) CVodeFree(&cv->mem);
    cvodes_solvers_free(cv);
    while (cv->vectors > 0) N_VDestroy(cv->vector[--cv->vectors]);
    if (cv->context) SUNContext_Free(&cv->context);
}

sens_status cvodes_init(struct sens_ctx *ctx, struct cvodes *cv)
{
    const struct sens_task *task = cv->task;
    const struct cvodes_solver *solver = cvodes_solver_create(ctx, cv, cv->x, 1);
    if (!solver) return SENS_NO_MEMORY;
    sens_problem_x0(cv->problem, cv->problem->p, NV_DATA_S(cv->x));
    cv->mem = CVodeCreate(cv->lmm == LMM_BDF ? CV_BDF : CV_ADAMS, cv->context);
    if (!cv->mem) return SENS_NO_MEMORY;
    int flag = CVodeSetErrHandlerFn(cv->mem, keep_message, cv);
    if (flag == CV_SUCCESS) flag = CVodeInit(cv->mem, rhs, cv->problem->t0, cv->x);
    if (flag == CV_SUCCESS) flag = CVodeSetUserData(cv->mem, cv);
    if (flag == CV_SUCCESS) flag = CVodeSStolerances(cv->mem, task->rtol, task->atol);
    if (flag == CV_SUCCESS) flag = CVodeSetMaxHnilWarns(cv->mem, -1);
    if (flag == CV_SUCCESS) flag = CVodeSetMaxNumSteps(cv->mem, task->max_steps);
    if (flag == CV_SUCCESS) flag = CVodeSetNonlinearSolver(cv->mem, solver->nonlinear);
    if (flag == CV_SUCCESS && solver->matrix)
        flag = CVodeSetLinearSolver(cv->mem, cvodes_linear(solver), solver->matrix);
    if (flag == CV_SUCCESS && solver->matrix) flag = CVodeSetJacFn(cv->mem, fill_matrix);
    return cvodes_check(ctx, cv, flag);
}

/* A failed run may have left a moved parameter; the second forward pass between checkpoints a first step. */
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

sens_status cvodes_step_limit(struct sens_ctx *ctx, const struct cvodes *cv)
{
    return sens_fail(ctx, SENS_STEP_LIMIT, "more than %ld trial steps", cv->task->max_steps);
}

/* ---- counts ------------------------------------------------------------------------------------------- */

static int count_newton(const struct cvodes *cv, void *mem, unsigned parts, struct cvodes_count *count)
{
    if (cv->lmm != LMM_BDF) return CV_SUCCESS;
    int flag = CVodeGetNumNonlinSolvIters(mem, &count->newton);
    if (flag == CV_SUCCESS) flag = CVodeGetNumLinSolvSetups(mem, &count->factorisations);
    if (flag == CV_SUCCESS && parts & CVODES_STAGGERED)
        flag = CVodeGetSensNumNonlinSolvIters(mem, &count->newton_sens);
    return flag;
}

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
    *count = (struct cvodes_count){.steps = steps,
                                   .rejects = state[0] + state[1] + quad + sens[0] + sens[1] + quad_sens};
    if (flag == CV_SUCCESS) flag = count_newton(cv, mem, parts, count);
    return cvodes_check(ctx, cv, flag);
}
