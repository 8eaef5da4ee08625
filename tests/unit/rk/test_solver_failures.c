/* Every way in which a solve can fail, with its outputs left untouched; and what a solve takes from the
 * arena. */
#include "solver_support.h"
#include "testing.h"

/* ---- failures ------------------------------------------------------------------------------------------ */

/* Solves on [0, 2] with what `bench` is set to; the outputs must not have been touched unless it succeeds. */
static sens_status solve_guarded(struct bench *bench)
{
    const double stop = 2, guard[SYSTEM_N] = {-7, -8, -9};
    memcpy(bench->y, guard, sizeof guard);
    const sens_status status = bench_solve(bench, 0, 1, &stop, NULL);
    if (status != SENS_OK) assert_memory_equal(bench->y, guard, sizeof guard);
    return status;
}

/* f fails in its k-th call, once or for good, by a NaN or by a recoverable status. */
static void test_recoverable_failure(void **state)
{
    (void)state;
    const sens_status kind[] = {SENS_OK, SENS_NONFINITE, SENS_OUT_OF_DOMAIN};
    const char *const names[] = {"cash_karp", "dopri5", "bs32"};
    for (int i = 0; i < 3; i++)
        for (int w = 0; w < 3; w++)
            for (long k = 1; k <= 20; k++) {
                const struct sens_tableau *tb = tableau_named(names[i]);
                if (!tb) continue;
                struct bench bench;
                bench_open(&bench, tb, "odeint", 1e-6, 1e-2);
                bench.system = (struct system){.fail_from = k, .fail_to = k, .fail_with = kind[w]};
                const sens_status once = solve_guarded(&bench);
                if (once == SENS_OK) {
                    assert_true(bench.stats.rejects >= 1);
                    assert_true(error_at(bench.y, 2) < 1e-4);
                } else {
                    /* f is pure, so a first slope that came out as NaN is not asked for again; one that an
                     * FSAL pair would carry over is caught in the step that makes it */
                    assert_true(!tb->fsal || k == 1);
                    assert_int_equal(once, SENS_DIVERGED);
                    assert_int_equal(kind[w], SENS_OK);
                }

                bench.system = (struct system){.fail_from = k, .fail_to = INT32_MAX, .fail_with = kind[w]};
                assert_int_equal(solve_guarded(&bench), SENS_DIVERGED);
                assert_true(strlen(bench.ctx.message) > 0);
                bench_close(&bench);

                bench_open(&bench, tb, "fixed", 0, 0.25);
                bench.system = (struct system){.fail_from = k, .fail_to = INT32_MAX, .fail_with = kind[w]};
                assert_int_equal(solve_guarded(&bench), SENS_DIVERGED);
                bench_close(&bench);
            }
}

static void test_fatal_failure(void **state)
{
    (void)state;
    const char *const controller[] = {"odeint", "fixed"};
    for (int c = 0; c < 2; c++)
        for (long k = 1; k <= 20; k++) {
            struct bench bench;
            bench_open(&bench, tableau_named("cash_karp"), controller[c], 1e-6, 0.25);
            bench.system = (struct system){.fail_from = k, .fail_to = k, .fail_with = SENS_RHS_FAILED};
            assert_int_equal(solve_guarded(&bench), SENS_RHS_FAILED);
            assert_int_equal(bench.system.calls, k);
            bench_close(&bench);
        }
}

static void test_step_limit(void **state)
{
    (void)state;
    struct bench bench;
    bench_open(&bench, tableau_named("cash_karp"), "odeint", 1e-10, 1);
    assert_int_equal(solve_guarded(&bench), SENS_OK);
    const struct sens_solver_stats needed = bench.stats;
    assert_true(needed.rejects > 0);
    bench.settings.max_steps = needed.steps + needed.rejects;
    assert_int_equal(solve_guarded(&bench), SENS_OK);
    bench.settings.max_steps--;
    assert_int_equal(solve_guarded(&bench), SENS_STEP_LIMIT);
    assert_int_equal(bench.stats.steps + bench.stats.rejects, bench.settings.max_steps);
    bench_close(&bench);
    bench_open(&bench, tableau_named("rk4"), "fixed", 0, 0.25);
    bench.settings.max_steps = 7;
    assert_int_equal(solve_guarded(&bench), SENS_STEP_LIMIT);
    assert_int_equal(bench.stats.steps, 7);
    bench_close(&bench);
}

/* y' = y^2, y(0) = 1 ends at t = 1: never a value past it. */
static sens_status blow_up_f(void *self, double t, const double *y, double *dy)
{
    (void)self, (void)t;
    for (int i = 0; i < SYSTEM_N; i++) dy[i] = y[i] * y[i];
    return SENS_OK;
}

static void test_blow_up(void **state)
{
    (void)state;
    const struct sens_registry *registry = sens_registry_baseline();
    for (size_t c = 0; registry->controllers[c]; c++)
        for (size_t i = 0; registry->tableaux[i]; i++) {
            if (!registry->controllers[c]->adaptive || !registry->tableaux[i]->e) continue;
            struct bench bench;
            bench_open(&bench, registry->tableaux[i], registry->controllers[c]->name, 1e-6, 1e-3);
            bench.ode.f = blow_up_f;
            const sens_status status = solve_guarded(&bench);
            if (status != SENS_STEP_UNDERFLOW && status != SENS_DIVERGED)
                fail_msg("%s, %s: %s", registry->tableaux[i]->name, registry->controllers[c]->name,
                         sens_status_name(status));
            bench_close(&bench);
        }
}

/* y' = (t - 1)^2 from y(1) = 0 without absolute tolerance: the error stays as large as its scale, or the
 * scale is 0, however small the step. Every candidate is finite, so that is not a divergence. */
static sens_status flat_f(void *self, double t, const double *y, double *dy)
{
    (void)self, (void)y;
    for (int i = 0; i < SYSTEM_N; i++) dy[i] = (t - 1) * (t - 1);
    return SENS_OK;
}

static void test_no_tolerance(void **state)
{
    (void)state;
    for (size_t c = 0; sens_controllers[c]; c++) {
        if (!sens_controllers[c]->adaptive) continue;
        const double y0[SYSTEM_N] = {0}, stop = 2;
        struct bench bench;
        bench_open(&bench, tableau_named("heun"), sens_controllers[c]->name, 1e-6, 1e-2);
        bench.ode.f = flat_f;
        bench.part.atol = 0;
        const sens_status status =
            sens_solver_solve(&bench.ctx, bench.solver, 1, y0, 1, &stop, NULL, bench.y, &bench.stats);
        if (status != SENS_STEP_UNDERFLOW)
            fail_msg("%s: %s", sens_controllers[c]->name, sens_status_name(status));
        bench_close(&bench);
    }
}

static void test_unsupported(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        struct bench bench;
        bench_open(&bench, tableaux[i], "odeint", 1e-3, 0.01);
        assert_int_equal(solve_guarded(&bench), tableaux[i]->e ? SENS_OK : SENS_UNSUPPORTED);
        bench_close(&bench);
    }
}

static void test_bad_stops(void **state)
{
    (void)state;
    const double bad[][2] = {{0, 1}, {1, 1}, {1, 0.5}, {-1, 1}, {1, NAN}, {1, INFINITY}};
    struct bench bench;
    bench_open(&bench, tableau_named("cash_karp"), "odeint", 1e-3, 0.01);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(bench_solve(&bench, 0, 2, bad[i], NULL), SENS_BAD_INPUT);
    assert_int_equal(bench_solve(&bench, 0, 0, NULL, NULL), SENS_BAD_INPUT);
    bench_close(&bench);
}

static sens_status stop_at_third(void *self, const struct sens_step *step)
{
    (void)self;
    return step->k == 2 ? SENS_INTERRUPTED : SENS_OK;
}

static void test_observer_ends_solve(void **state)
{
    (void)state;
    struct bench bench;
    bench_open(&bench, tableau_named("cash_karp"), "odeint", 1e-6, 0.01);
    const struct sens_step_watcher watcher = {stop_at_third, NULL};
    double y0[SYSTEM_N], stop = 2;
    system_exact(0, y0);
    assert_int_equal(
        sens_solver_solve(&bench.ctx, bench.solver, 0, y0, 1, &stop, &watcher, bench.y, &bench.stats),
        SENS_INTERRUPTED);
    assert_int_equal(bench.stats.steps, 3);
    bench_close(&bench);
}

/* Solving takes nothing from the arena, and a second solve repeats the first bit for bit. */
static void test_repeatable_without_memory(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        struct bench bench;
        double first[SYSTEM_N];
        bench_open(&bench, tableaux[i], tableaux[i]->e ? "hairer-pi" : "fixed", 1e-5, 0.01);
        const size_t allocations = bench.ctx.arena.allocations;
        assert_int_equal(solve_guarded(&bench), SENS_OK);
        memcpy(first, bench.y, sizeof first);
        assert_int_equal(solve_guarded(&bench), SENS_OK);
        assert_memory_equal(first, bench.y, sizeof first);
        assert_int_equal(bench.ctx.arena.allocations, allocations);
        bench_close(&bench);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    struct bench bench;
    bench_open(&bench, tableau_named("cash_karp"), "odeint", 1e-6, 0.01);
    const size_t needed = bench.ctx.arena.allocations;
    bench_close(&bench);
    for (size_t k = 1; k <= needed; k++) {
        struct sens_solver *solver = NULL;
        struct sens_ctx ctx = {.arena = {.fail_at = k}};
        assert_int_equal(sens_solver_create(&ctx, &bench.ode, &bench.settings, &solver), SENS_NO_MEMORY);
        assert_null(solver);
        sens_arena_release(&ctx.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recoverable_failure), cmocka_unit_test(test_fatal_failure),
        cmocka_unit_test(test_step_limit),          cmocka_unit_test(test_blow_up),
        cmocka_unit_test(test_unsupported),         cmocka_unit_test(test_bad_stops),
        cmocka_unit_test(test_observer_ends_solve), cmocka_unit_test(test_repeatable_without_memory),
        cmocka_unit_test(test_no_memory),           cmocka_unit_test(test_no_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
