/* PETSc's stepper and adjoint against ours, on the same tableau and controller.
 *
 * With landing=cut both are one algorithm: the same trials are accepted and rejected, the steps differ by
 * what rounding does to the error estimate, and the gradients of the discrete map agree to rounding. PETSc
 * takes the estimate from two states of size |y|, so that it is off by some eps |y| where it is err tol (1 +
 * |y|): by eps / (tol err) of itself, and err is known from the growth of the step, 0.9 err^(-1/p). ESTIMATE
 * bounds what is left. Where our rules differed from PETSc's (norm, exponent, safety) it would be by
 * percents. */
#include "method/support.h"

#include "petsc.h"
#include "sens/plugin.h"

enum { STEPS = 4000, ESTIMATE = 4096, SPREAD = 1000 };
static const double ROUNDING = 1e-11; /* of gradients: 1e3 steps of some eps each */

extern const struct sens_plugin sens_plugin;

struct path {
    long steps;
    double t[STEPS], h[STEPS];
};

static void note(void *self, double t, double h, double t1)
{
    struct path *path = self;
    (void)t1;
    assert_true(path->steps < STEPS);
    path->t[path->steps] = t;
    path->h[path->steps++] = h;
}

/* ---- a task for either --------------------------------------------------------------------------------- */

struct pair {
    struct method_bed bed;
    struct sens_registry registry; /* with PETSc's methods */
    const struct sens_method_type *methods[64];
};

static void add_petsc(struct pair *pair)
{
    size_t count = 0;
    pair->registry = *pair->bed.registry;
    for (; pair->registry.methods[count]; count++) pair->methods[count] = pair->registry.methods[count];
    for (size_t k = 0; sens_plugin.methods[k]; k++) pair->methods[count++] = sens_plugin.methods[k];
    pair->registry.methods = pair->methods;
    pair->bed.registry = &pair->registry;
    pair->bed.task.controller = named(pair->registry.controllers, "petsc");
    pair->bed.task.dt = 1e-3;
}

static void set_tableau(struct pair *pair, const char *name, double tol)
{
    pair->bed.task.tableau = named(pair->registry.tableaux, name);
    pair->bed.task.rtol = pair->bed.task.atol = tol;
}

struct result {
    struct sens_work work;
    sens_real *gradient;
    size_t count;
    double G0, x0; /* the first of each */
    struct path path;
};

static void keep(struct pair *pair, sens_status status, struct result *result)
{
    if (status != SENS_OK) fail_msg("%s: %s", sens_status_name(status), pair->bed.ctx.message);
    result->work = pair->bed.work;
    result->gradient = bed_gradient(&pair->bed, &result->count);
    result->G0 = pair->bed.out.G[0];
    result->x0 = pair->bed.out.x[0];
}

static struct result *ours(struct pair *pair)
{
    struct result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    pair->bed.task.listener = (struct sens_listener){.step = note, .self = &result->path};
    keep(pair, bed_run(&pair->bed, "discrete_adjoint", NULL), result);
    return result;
}

static struct result *petsc(struct pair *pair, enum petsc_landing landing)
{
    struct result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    pair->bed.task.listener = (struct sens_listener){.step = note, .self = &result->path};
    keep(pair, bed_run(&pair->bed, "petsc_corrected", "landing", (double)landing, NULL), result);
    return result;
}

static struct result *shipped(struct pair *pair)
{
    struct result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    pair->bed.task.listener = (struct sens_listener){.step = NULL};
    keep(pair, bed_run(&pair->bed, "petsc_tsadjoint", NULL), result);
    return result;
}

static void result_free(struct result *result)
{
    free(result->gradient);
    free(result);
}

static double distance(const struct result *a, const struct result *b)
{
    assert_int_equal(a->count, b->count);
    return relative_error(a->count, a->gradient, b->gradient);
}

/* Returns by how much they differ at most. */
static double same_steps(const struct result *a, const struct result *b, const struct sens_task *task,
                         long steps)
{
    double rounding = DBL_EPSILON / task->rtol,
           most = 0; /* of the estimate, the largest so far; of the steps */
    assert_true(a->path.steps >= steps && b->path.steps >= steps);
    for (long k = 0; k < steps; k++) {
        const double growth = k > 0 ? fmax(1, a->path.h[k] / a->path.h[k - 1]) : 1;
        if (growth < 9.9) /* else it was clipped, whatever the estimate */
            rounding = fmax(rounding, DBL_EPSILON / task->rtol * pow(growth / 0.9, task->tableau->order));
        const double off = fabs(a->path.h[k] - b->path.h[k]) / a->path.h[k];
        most = fmax(most, off);
        if (!(off <= ESTIMATE * rounding))
            fail_msg("%s, step %ld at t = %.17g: %.17g and %.17g, off by %.2g > %.2g", task->tableau->name, k,
                     a->path.t[k], a->path.h[k], b->path.h[k], off, ESTIMATE * rounding);
    }
    return most;
}

/* ---- the same steps and gradients ---------------------------------------------------------------------- */

static const char *const tableaux[] = {"heun", "bs32", "cash_karp", "dopri5", "tsit5", "dop853"};

static void compare(struct pair *pair, double tol)
{
    add_petsc(pair);
    for (size_t k = 0; k < sizeof tableaux / sizeof *tableaux; k++) {
        set_tableau(pair, tableaux[k], tol);
        struct result *a = ours(pair), *b = petsc(pair, PETSC_LANDING_CUT);
        assert_int_equal(a->work.steps, b->work.steps);
        assert_int_equal(a->work.rejects, b->work.rejects);
        assert_int_equal(a->path.steps, b->path.steps);
        const double off = same_steps(a, b, &pair->bed.task, a->path.steps);
        const double allowed = ROUNDING + SPREAD * tol * off * pair->bed.task.tableau->order;
        if (!(distance(a, b) <= allowed))
            fail_msg("%s, %s: gradients differ by %.2g > %.2g", pair->bed.problem.type->name, tableaux[k],
                     distance(a, b), allowed);
        assert_true(fabs(a->G0 - b->G0) <= allowed * fabs(a->G0));
        result_free(a);
        result_free(b);
    }
    bed_free(&pair->bed);
}

static void solves_are_ours(void **unused)
{
    struct pair pair;
    (void)unused;
    bed_create(&pair.bed, "glv", "identity", "n", 5.0, NULL);
    compare(&pair, 1e-5);
    bed_create(&pair.bed, "glv", "tracking", "n", 2.0, NULL); /* stops on the way */
    compare(&pair, 1e-5);
    bed_create(&pair.bed, "forced", "identity", NULL);
    compare(&pair, 1e-5);
    bed_create(&pair.bed, "initial", "terminal", NULL); /* x0(p), phi_dp */
    compare(&pair, 1e-5);
    bed_create(&pair.bed, "oscillator", "running", NULL); /* g, g_dp */
    pair.bed.task.dt = 1;                                 /* rejected at first */
    compare(&pair, 1e-5);
    bed_create(&pair.bed, "conduction", "sampled", NULL); /* sparse Jacobians */
    compare(&pair, 1e-5);
}

/* A first step that PETSc takes back by subtraction would leave nothing of the state. */
static void rejected_step_leaves_no_trace(void **unused)
{
    struct pair pair;
    (void)unused;
    bed_create(&pair.bed, "robertson", "identity", NULL);
    add_petsc(&pair);
    set_tableau(&pair, "cash_karp", 1e-8);
    pair.bed.task.dt = 0.1;
    struct result *a = ours(&pair), *b = petsc(&pair, PETSC_LANDING_CUT);
    assert_true(b->work.rejects > 0);
    assert_true(fabs(a->x0 - b->x0) <=
                1e-6 * fabs(a->x0)); /* on the boundary of stability steps may differ */
    result_free(a);
    result_free(b);
    bed_free(&pair.bed);
}

/* PETSc's own landing: the same but for the last steps, of which the last two are even. */
static void matchstep_ends_evenly(void **unused)
{
    struct pair pair;
    (void)unused;
    bed_create(&pair.bed, "glv", "identity", "n", 5.0, NULL);
    add_petsc(&pair);
    set_tableau(&pair, "dopri5", 1e-6);
    struct result *a = ours(&pair), *b = petsc(&pair, PETSC_LANDING_MATCHSTEP);
    const long last = b->path.steps - 1;
    same_steps(a, b, &pair.bed.task, last - 1);
    assert_true(fabs(b->path.h[last] - b->path.h[last - 1]) <= 1e-12 * b->path.t[last]);
    assert_true(b->path.h[last] < a->path.h[last - 1]);
    result_free(a);
    result_free(b);
    bed_free(&pair.bed);
}

static void fixed_steps_are_ours(void **unused)
{
    struct pair pair;
    (void)unused;
    bed_create(&pair.bed, "heat", "sampled", "n", 8.0, NULL);
    add_petsc(&pair);
    set_tableau(&pair, "rk4", 1e-6);
    pair.bed.task.controller = named(pair.registry.controllers, "fixed");
    pair.bed.task.dt = 5e-4;
    struct result *a = ours(&pair), b = {.count = 0};
    keep(&pair, bed_run(&pair.bed, "petsc_corrected", "adapt", (double)PETSC_ADAPT_NONE, NULL), &b);
    assert_int_equal(a->work.steps, b.work.steps);
    assert_true(distance(a, &b) <= ROUNDING);
    pair.bed.task.dt = 7e-4;
    assert_int_equal(bed_run(&pair.bed, "petsc_corrected", "adapt", (double)PETSC_ADAPT_NONE, NULL),
                     SENS_DT_MISFIT);
    free(b.gradient);
    result_free(a);
    bed_free(&pair.bed);
}

/* ---- the two faults ------------------------------------------------------------------------------------ */

static void parts(const struct pair *pair, const struct result *a, const struct result *b, double *dp,
                  double *dx0)
{
    const size_t p = pair->bed.cost.m * pair->bed.problem.np;
    *dp = relative_error(p, a->gradient, b->gradient);
    *dx0 = relative_error(a->count - p, a->gradient + p, b->gradient + p);
}

/* As shipped dG/dp is wrong by percents while dG/dx0 is right; from states alone dG/dx0 is wrong as well.
 * 1e-3 and 1e-1 tell these from errors of the tolerance, 1e-9. */
static void faults_show_and_are_cured(void **unused)
{
    struct pair pair;
    double dp, dx0;
    (void)unused;
    bed_create(&pair.bed, "glv", "identity", "n", 5.0, NULL);
    add_petsc(&pair);
    set_tableau(&pair, "dopri5", 1e-9);
    struct result *right = petsc(&pair, PETSC_LANDING_MATCHSTEP), *wrong = shipped(&pair);
    parts(&pair, wrong, right, &dp, &dx0);
    assert_true(dx0 <= ROUNDING);
#if PETSC_VERSION_LT(3, 22, 0)
    assert_true(dp > 1e-3);
#endif
    pair.bed.task.ckpt = bed_every(&pair.bed, 1);
    struct result *retaken = petsc(&pair, PETSC_LANDING_MATCHSTEP), *worse = shipped(&pair);
    assert_true(distance(retaken, right) <= ROUNDING);
    parts(&pair, worse, right, &dp, &dx0);
#if PETSC_VERSION_LT(3, 22, 0)
    assert_true(dx0 > 0.1);
#endif
    result_free(right);
    result_free(wrong);
    result_free(retaken);
    result_free(worse);
    bed_free(&pair.bed);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

/* Index of a choice of the option `type`. */
static double type_of(const char *name)
{
    const struct sens_option *const type = sens_plugin.methods[0]->options;
    for (size_t k = 0; type->choices[k]; k++)
        if (strcmp(type->choices[k], name) == 0) return (double)k;
    fail_msg("no type %s", name);
    return 0;
}

static void refusals_name_their_reason(void **unused)
{
    struct pair pair;
    (void)unused;
    bed_create(&pair.bed, "forced", "identity", NULL);
    add_petsc(&pair);
    assert_int_equal(bed_run(&pair.bed, "petsc_tsadjoint", "type", type_of("4"), NULL), SENS_UNSUPPORTED);
    assert_non_null(strstr(pair.bed.ctx.message, "adapt=none"));
    assert_int_equal(bed_run(&pair.bed, "petsc_tsadjoint", "type", type_of("arkimex"), NULL),
                     SENS_UNSUPPORTED);
    assert_non_null(strstr(pair.bed.ctx.message, "arkimex"));
    pair.bed.task.ckpt = bed_every(&pair.bed, 2);
    assert_int_equal(bed_run(&pair.bed, "petsc_corrected", NULL), SENS_UNSUPPORTED);
    pair.bed.task.ckpt = bed_every(&pair.bed, 0);
    pair.bed.task.max_steps = 3;
    assert_int_equal(bed_run(&pair.bed, "petsc_corrected", NULL), SENS_STEP_LIMIT);
    bed_free(&pair.bed);
}

/* A problem whose Jacobian makes the matrices of the reverse sweep of backward Euler singular: I / h. */
struct singular {
    struct sens_structure structure;
    const struct sens_structure *own;
    double h, t1;
    bool back;
};

static void singular_jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *value)
{
    const struct singular *self = (const struct singular *)pb->structure; /* its first member */
    const struct sens_pattern *pattern = pb->structure->sparsity;
    self->own->jacobian(pb, at, value);
    for (size_t i = 0; self->back && i < pattern->rows; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            value[e] = pattern->col[e] == i ? 1 / self->h : 0;
}

static void turn_back(void *singular, double t, double h, double t1)
{
    struct singular *self = singular;
    (void)t;
    self->h = h;
    self->back = t1 >= self->t1 * (1 - 1e-9);
}

/* PETSc ends such a sweep early and calls it a success. */
static void failed_sweep_is_a_failure(void **unused)
{
    struct pair pair;
    (void)unused;
    bed_create(&pair.bed, "conduction", "identity", NULL);
    add_petsc(&pair);
    struct sens_problem *pb = &pair.bed.problem;
    assert_non_null(pb->structure);
    struct singular singular = {.structure = *pb->structure, .own = pb->structure, .t1 = pb->t1};
    singular.structure.jacobian = singular_jacobian;
    pb->structure = &singular.structure;
    pair.bed.task.dt = (pb->t1 - pb->t0) / 64;
    const double none = (double)PETSC_ADAPT_NONE, beuler = type_of("beuler");
    assert_int_equal(bed_run(&pair.bed, "petsc_tsadjoint", "type", beuler, "adapt", none, NULL), SENS_OK);
    pair.bed.task.listener = (struct sens_listener){.step = turn_back, .self = &singular};
    assert_int_equal(bed_run(&pair.bed, "petsc_tsadjoint", "type", beuler, "adapt", none, NULL),
                     SENS_DIVERGED);
    assert_non_null(strstr(pair.bed.ctx.message, "adjoint"));
    bed_free(&pair.bed);
}

static void library_is_named_without_paths(void **unused)
{
    const char *line = petsc_library(NULL);
    (void)unused;
    assert_non_null(strstr(line, "PETSc 3."));
    assert_non_null(strstr(line, "BLAS "));
    assert_null(strchr(line, '/'));
    assert_null(strchr(line, '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_are_ours),           cmocka_unit_test(rejected_step_leaves_no_trace),
        cmocka_unit_test(matchstep_ends_evenly),     cmocka_unit_test(fixed_steps_are_ours),
        cmocka_unit_test(faults_show_and_are_cured), cmocka_unit_test(refusals_name_their_reason),
        cmocka_unit_test(failed_sweep_is_a_failure), cmocka_unit_test(library_is_named_without_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
