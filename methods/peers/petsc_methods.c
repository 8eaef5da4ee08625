/* petsc_tsadjoint: PETSc's schemes as they are shipped. petsc_corrected: our tableaux by PETSc's stepper,
 * registered so that two faults of its adjoint do not show (petsc_tableau.c).
 *
 * Zhang, Constantinescu, Smith, PETSc TSAdjoint, SIAM J. Sci. Comput. 44 (2022) C1-C24. */
#include <string.h>

#include "peers/petsc.h"
#include "sens/plugin.h"

static const char *const jacobians[] = {"auto", "matrix-free", "explicit", NULL};
static const char *const adapts[] = {"basic", "none", NULL};
static const char *const landings[] = {"matchstep", "cut", NULL};

#define COMMON_OPTIONS                                                                                       \
    {.name = "jacobian",                                                                                     \
     .kind = SENS_OPT_CHOICE,                                                                                \
     .choices = jacobians,                                                                                   \
     .help = "df/dx and df/dp: products (matrix-free) or matrices; auto: matrices where declared"},          \
        {.name = "adapt",                                                                                    \
         .kind = SENS_OPT_CHOICE,                                                                            \
         .choices = adapts,                                                                                  \
         .help = "PETSc's controller: basic, by the error estimate, or none, fixed steps dt"},               \
    {                                                                                                        \
        .name = "landing", .kind = SENS_OPT_CHOICE, .choices = landings,                                     \
        .help = "on the final time: PETSc's way (the last two steps even), or the last step cut as ours"     \
    }

static void read_common(const struct sens_value *option, struct petsc_settings *settings)
{
    settings->jacobian = (enum petsc_jacobian)option[0].number;
    settings->adapt = (enum petsc_adapt)option[1].number;
    settings->landing = (enum petsc_landing)option[2].number;
}

/* ---- as shipped ---------------------------------------------------------------------------------------- */

enum { OPT_TYPE, OPT_COMMON };
static const char *const types[] = {"5dp", "5f",  "5bs", "3bs", "4",      "3",       "2a", "1fe",
                                    "6vr", "7vr", "8vr", "cn",  "beuler", "arkimex", NULL};
static const struct sens_option shipped_options[] = {
    [OPT_TYPE] = {.name = "type",
                  .kind = SENS_OPT_CHOICE,
                  .choices = types,
                  .help = "PETSc's name of the scheme: Runge-Kutta, Crank-Nicolson, backward Euler, ARKIMEX"},
    COMMON_OPTIONS,
    SENS_OPTIONS_END,
};

static PetscErrorCode decay(TS ts, PetscReal t, Vec x, Vec f, void *self)
{
    (void)ts, (void)t, (void)self;
    PetscCall(VecCopy(x, f));
    return VecScale(f, -1);
}

static PetscErrorCode decay_jacobian(TS ts, PetscReal t, Vec x, Mat J, Mat preconditioner, void *self)
{
    (void)ts, (void)t, (void)x, (void)preconditioner, (void)self;
    PetscCall(MatSetValue(J, 0, 0, -1, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode try_adjoint(const char *ts_type, TS ts, Vec x, Vec lambda, Mat J)
{
    PetscCall(TSSetType(ts, ts_type));
    PetscCall(TSSetSolution(ts, x));
    PetscCall(TSSetRHSFunction(ts, NULL, decay, NULL));
    PetscCall(TSSetRHSJacobian(ts, J, J, decay_jacobian, NULL));
    PetscCall(TSSetSaveTrajectory(ts));
    TSTrajectory trajectory;
    PetscCall(TSGetTrajectory(ts, &trajectory));
    PetscCall(TSTrajectorySetType(trajectory, ts, TSTRAJECTORYMEMORY));
    PetscCall(TSSetTimeStep(ts, 0.1));
    PetscCall(TSSetMaxSteps(ts, 2));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(VecSet(x, 1));
    PetscCall(VecSet(lambda, 1));
    PetscCall(TSSetCostGradients(ts, 1, &lambda, NULL));
    PetscCall(TSSolve(ts, NULL));
    return TSAdjointSolve(ts);
}

/* Does this library have the adjoint of a scheme? Asked of the library, by two steps of x' = -x. */
static bool has_adjoint(const char *ts_type)
{
    struct petsc_peer nobody = {.task = NULL};
    TS ts = NULL;
    Vec x = NULL, lambda = NULL;
    Mat J = NULL;
    petsc_listen(&nobody);
    const PetscErrorCode code =
        TSCreate(PETSC_COMM_SELF, &ts) || VecCreateSeq(PETSC_COMM_SELF, 1, &x) || VecDuplicate(x, &lambda) ||
        MatCreateSeqDense(PETSC_COMM_SELF, 1, 1, NULL, &J) || try_adjoint(ts_type, ts, x, lambda, J);
    TSDestroy(&ts);
    MatDestroy(&J);
    VecDestroy(&lambda);
    VecDestroy(&x);
    petsc_unlisten();
    return code == 0;
}

static sens_status refuse_arkimex(struct sens_ctx *ctx)
{
    char version[64] = "";
    const sens_status status = petsc_start(ctx);
    if (status != SENS_OK) return status;
    if (PetscGetVersion(version, sizeof version)) *version = '\0';
    version[strcspn(version, ",")] = '\0';
    if (has_adjoint(TSARKIMEX))
        return sens_fail(ctx, SENS_UNSUPPORTED, "%s has an adjoint of arkimex that is not wired up here",
                         version);
    return sens_fail(ctx, SENS_UNSUPPORTED, "%s has no TSAdjoint for arkimex, only for rk and theta schemes",
                     version);
}

static sens_status prepare_shipped(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    const char *const type = types[(size_t)task->option[OPT_TYPE].number];
    struct petsc_settings settings = {.ts_type = TSRK, .rk_type = type};
    read_common(task->option + OPT_COMMON, &settings);
    if (strcmp(type, "arkimex") == 0) return refuse_arkimex(ctx);
    settings.implicit = strcmp(type, "cn") == 0 || strcmp(type, "beuler") == 0;
    if (settings.implicit) {
        settings.ts_type = type;
        settings.rk_type = NULL;
        if (settings.jacobian == PETSC_JACOBIAN_MATRIX_FREE)
            return sens_fail(ctx, SENS_UNSUPPORTED, "%s factorises the Jacobian: it needs the matrix", type);
    }
    return petsc_prepare(ctx, task, &settings, state);
}

static SENS_METHOD(petsc_tsadjoint) = {
    .name = "petsc_tsadjoint",
    .summary = "PETSc's TSAdjoint as shipped",
    .reference = "Zhang, Constantinescu, Smith, SIAM J. Sci. Comput. 44 (2022) C1",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_CKPT | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS |
            SENS_CAP_TOLERANCE,
    .options = shipped_options,
    .prepare = prepare_shipped,
    .run = petsc_run,
    .release = petsc_release,
    .library = petsc_library,
};

/* ---- with our tableau ---------------------------------------------------------------------------------- */

static const struct sens_option corrected_options[] = {COMMON_OPTIONS, SENS_OPTIONS_END};

static sens_status prepare_corrected(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    char *const name = SENS_NEW(ctx, char, PETSC_NAME);
    struct petsc_settings settings = {.ts_type = TSRK, .rk_type = name, .restores = true};
    struct petsc_peer nobody = {.task = task};
    if (!name) return SENS_NO_MEMORY;
    read_common(task->option, &settings);
    const sens_status status = petsc_start(ctx);
    if (status != SENS_OK) return status;
    petsc_listen(&nobody);
    const PetscErrorCode code = petsc_register(ctx, task->tableau, name);
    petsc_unlisten();
    if (code != 0) return petsc_explain(ctx, &nobody, code);
    return petsc_prepare(ctx, task, &settings, state);
}

static SENS_METHOD(petsc_corrected) = {
    .name = "petsc_corrected",
    .summary = "PETSc's TSAdjoint with our tableau, registered so that two faults of it do not show",
    .reference = "Zhang, Constantinescu, Smith, SIAM J. Sci. Comput. 44 (2022) C1",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_TABLEAU | SENS_CAP_CKPT | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS |
            SENS_CAP_STEPS | SENS_CAP_TOLERANCE,
    .options = corrected_options,
    .prepare = prepare_corrected,
    .run = petsc_run,
    .release = petsc_release,
    .library = petsc_library,
};

static const struct sens_method_type *const methods[] = {&sens_method_petsc_tsadjoint,
                                                         &sens_method_petsc_corrected, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "petsc", .methods = methods};
