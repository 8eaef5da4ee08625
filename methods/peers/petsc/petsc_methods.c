/* petsc_tsadjoint: PETSc's schemes as they are shipped. petsc_corrected: our tableaux by PETSc's stepper,
 * registered so that two faults of its adjoint do not show (petsc_tableau.c).
 *
 * Zhang, Constantinescu, Smith, PETSc TSAdjoint, SIAM J. Sci. Comput. 44 (2022) C1-C24. */
#include <string.h>

#include "petsc.h"
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

static sens_status prepare_shipped(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    const char *const type = types[(size_t)task->option[OPT_TYPE].number];
    struct petsc_settings settings = {.ts_type = TSRK, .rk_type = type};
    read_common(task->option + OPT_COMMON, &settings);
    if (strcmp(type, "arkimex") == 0)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "PETSc %d.%d has no TSAdjoint for arkimex, only for rk and theta schemes",
                         PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR);
    settings.implicit = strcmp(type, "cn") == 0 || strcmp(type, "beuler") == 0;
    if (settings.implicit) {
        settings.ts_type = type;
        settings.rk_type = NULL;
        if (settings.jacobian == PETSC_JACOBIAN_MATRIX_FREE)
            return sens_fail(ctx, SENS_UNSUPPORTED, "%s factorises the Jacobian: it needs the matrix", type);
    }
    return petsc_prepare(ctx, task, &settings, state);
}

/* PETSc 3.18, petsc_tableau.c; a later one passes all but the last. A running cost is summed on the way back,
 * too. */
static const char WEIGHTS[] =
    "PETSc up to 3.21 leaves the parameter product out at stages with b_i = 0, as in its "
    "default scheme 5dp, and adds what the stage before left: dG/dp is wrong, dG/dx0 is right";
static const char SLOPES[] =
    "PETSc up to 3.21, with a trajectory of states alone, computes a step of a scheme that is "
    "first same as last again from another step's slope";
static const char TIMES[] = "PETSc computes a step again with the difference of stored times, which is not "
                            "the step in the last digits";
static const char HEADERS[] =
    "a vector of PETSc's trajectory takes more memory than its numbers, which are what is told";
enum { ALL_BUT_X = SENS_IN_G | SENS_IN_DGDP | SENS_IN_DGDX0 };
static const struct sens_limit limits_as_shipped[] = {
    {"gradient.own", "*", WEIGHTS, .only = SENS_IN_DGDP, .holds_with = "type=2a"},
    {"order.exact", "*", WEIGHTS, .only = SENS_IN_DGDP, .holds_with = "type=2a"},
    {"order.tol", "*", WEIGHTS, .only = SENS_IN_DGDP},
    {"units.time", "*", WEIGHTS, .only = SENS_IN_DGDP},
    {"units.nothing", "*", WEIGHTS, .only = SENS_IN_DGDP},
    {"pair.exact", "*", WEIGHTS, .only = SENS_IN_DGDP},
    {"pair.identity", "*", WEIGHTS, .only = SENS_IN_DGDP},
    {"drawn.right", "*", WEIGHTS, .only = SENS_IN_DGDP},
    {"extremes.many", "*", WEIGHTS, .only = SENS_IN_DGDP},
    {"drawn.right", "*ckpt = 1*", SLOPES, .only = ALL_BUT_X},
    {"ckpt.same", "probe*", SLOPES, .only = ALL_BUT_X},
    {"work.memory", "probe*", HEADERS, .only = 0},
    {.check = NULL},
};
static const struct sens_limit limits_corrected[] = {
    {"ckpt.same", "probe*", TIMES, .only = SENS_IN_DIGITS},
    {"work.memory", "probe*", HEADERS, .only = 0},
    {.check = NULL},
};

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
    .limits = limits_as_shipped,
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
    sens_status status = petsc_start(ctx);
    if (status == SENS_OK) status = petsc_listen(ctx, &nobody);
    if (status != SENS_OK) return status;
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
    .limits = limits_corrected,
};

static const struct sens_method_type *const methods[] = {&sens_method_petsc_tsadjoint,
                                                         &sens_method_petsc_corrected, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "petsc", .methods = methods};
