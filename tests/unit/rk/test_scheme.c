/* The seam between driver and scheme: what the driver does with the statuses of a trial, whoever made it; the
 * operations of a scheme; tableaux that no scheme takes. */
#include "solver_support.h"
#include "testing.h"

static struct step_log log_a; /* too large for the stack */

/* ---- a scheme with troubles of its own ----------------------------------------------------------------- */

/* Steps longer than this fail, as where an iteration for the stages does not converge. */
static const double longest = 0.0625;
static sens_status trouble;

static sens_status troubled_try(struct sens_scheme *scheme, double h, double *err)
{
    return fabs(h) > longest ? trouble : sens_scheme_explicit.try(scheme, h, err);
}

/* From 0 to 2 with a first trial step that fails; adaptive: else fixed. */
static sens_status solve_with_trouble(bool adaptive, struct bench *bench)
{
    static struct sens_scheme_type troubled;
    const double stop = 2;
    bench_open(bench, tableau_named("dopri5"), adaptive ? "odeint" : "fixed", 1e-3, 0.5);
    troubled = sens_scheme_explicit;
    troubled.try = troubled_try;
    sens_solver_scheme(bench->solver)->type = &troubled;
    return bench_solve(bench, 0, 1, &stop, &log_a);
}

/* A recoverable status is answered by a smaller step; the trial is a rejected one. */
static void test_recoverable_trial(void **state)
{
    (void)state;
    const sens_status recoverable[] = {SENS_NOT_CONVERGED, SENS_SINGULAR, SENS_NONFINITE};
    for (size_t k = 0; k < sizeof recoverable / sizeof recoverable[0]; k++) {
        struct bench bench;
        trouble = recoverable[k];
        assert_int_equal(solve_with_trouble(true, &bench), SENS_OK);
        assert_true(bench.stats.rejects > 0 && (double)bench.stats.steps >= 2 / longest);
        for (long s = 0; s < log_a.steps; s++) assert_true(log_a.h[s] <= longest);
        assert_true(error_at(bench.y, 2) < 1e-3);
        bench_close(&bench);

        assert_int_equal(solve_with_trouble(false, &bench), SENS_DIVERGED); /* no smaller step to take */
        bench_close(&bench);
    }
}

static void test_fatal_trial(void **state)
{
    (void)state;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        struct bench bench;
        trouble = SENS_NO_MEMORY;
        assert_int_equal(solve_with_trouble(adaptive, &bench), SENS_NO_MEMORY);
        assert_int_equal(log_a.steps, 0);
        bench_close(&bench);
    }
}

/* ---- operations ---------------------------------------------------------------------------------------- */

/* Every call of f is counted, where it fails in a stage and where it is for the interpolant, too. */
static void test_slopes_counted(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    const double stops[] = {0.4, 1};
    for (size_t i = 0; tableaux[i]; i++)
        for (long fails = 0; fails < 20; fails++) {
            struct bench bench;
            bench_open(&bench, tableaux[i], tableaux[i]->e ? "petsc" : "fixed", 1e-4,
                       tableaux[i]->e ? 0 : 0.1);
            bench.system =
                (struct system){.fail_from = fails, .fail_to = fails, .fail_with = SENS_OUT_OF_DOMAIN};
            const sens_status status = bench_solve(&bench, 0, 2, stops, NULL);
            assert_true(status == SENS_OK || status == SENS_DIVERGED);
            assert_int_equal(sens_solver_scheme(bench.solver)->did.slopes, bench.system.calls);
            bench_close(&bench);
        }
}

/* ---- where stages go ----------------------------------------------------------------------------------- */

struct shelf {
    double Y[8][SENS_MAX_STAGES * SYSTEM_N];
    long steps;
};

static double *on_shelf(void *self, long k)
{
    struct shelf *shelf = self;
    return k < 3 ? shelf->Y[k] : NULL; /* then a place of the solver's own */
}

static sens_status see_place(void *self, const struct sens_step *step)
{
    struct shelf *shelf = self;
    assert_true(step->k >= 3 || step->Y == shelf->Y[step->k]);
    shelf->steps++;
    return SENS_OK;
}

static void test_places(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    const double stop = 1;
    for (size_t i = 0; tableaux[i]; i++) {
        struct bench own, placed;
        struct shelf shelf = {.steps = 0};
        const struct sens_step_watcher watcher = {see_place, &shelf};
        double y0[SYSTEM_N];
        bench_open(&own, tableaux[i], "fixed", 0, 0.125);
        bench_open(&placed, tableaux[i], "fixed", 0, 0.125);
        assert_int_equal(bench_solve(&own, 0, 1, &stop, &log_a), SENS_OK);
        sens_solver_place(placed.solver, on_shelf, &shelf);
        system_exact(0, y0);
        assert_int_equal(
            sens_solver_solve(&placed.ctx, placed.solver, 0, y0, 1, &stop, &watcher, placed.y, NULL),
            SENS_OK);
        assert_int_equal(shelf.steps, 8);
        assert_memory_equal(placed.y, own.y, sizeof own.y);
        for (int k = 0; k < 3; k++) assert_memory_equal(shelf.Y[k], log_a.y[k], sizeof log_a.y[k]);
        bench_close(&own);
        bench_close(&placed);
    }
}

/* ---- tableaux ------------------------------------------------------------------------------------------ */

static void refuse(const struct sens_tableau *tableau)
{
    struct sens_ctx ctx = {.cores = 0};
    struct system system = {.calls = 0};
    struct sens_ode_part part;
    struct sens_ode ode;
    struct sens_scheme *scheme = NULL;
    system_ode(&system, 1, &part, &ode);
    const struct sens_scheme_setup setup = {&ode, tableau, controller_named("fixed")};
    assert_int_equal(sens_scheme_create(&ctx, &setup, &scheme), SENS_UNSUPPORTED);
    assert_null(scheme);
    assert_non_null(strstr(ctx.message, tableau->name));
    sens_arena_release(&ctx.arena);
}

static void test_refused(void **state)
{
    (void)state;
    struct sens_tableau tableau = *tableau_named("rk4");
    tableau.family = SENS_FAMILIES;
    refuse(&tableau);
    tableau.family = SENS_FAMILY_EXPLICIT;
    tableau.extra_stages = SENS_MAX_STAGES;
    refuse(&tableau);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recoverable_trial), cmocka_unit_test(test_fatal_trial),
        cmocka_unit_test(test_slopes_counted),    cmocka_unit_test(test_places),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
