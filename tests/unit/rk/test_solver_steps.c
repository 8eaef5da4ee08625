/* The solver step by step: recomputed and replayed to the bit, parts of the state, the first trial step. */
#include "solver_support.h"
#include "testing.h"

static struct step_log log_a, log_b; /* too large for the stack */

/* ---- one step, replayed or recomputed ------------------------------------------------------------------ */

/* Compares every step with one that another scheme takes and restages, its first slope evaluated afresh. */
struct recomputer {
    struct sens_scheme *scheme;
    double next[SENS_MAX_STAGES * SYSTEM_N];
};

static void assert_same_stages(const struct sens_scheme *scheme, const double *Y,
                               const struct sens_step *step)
{
    const size_t size = scheme->stage_size * sizeof(double);
    assert_memory_equal(Y, step->Y, size);
    assert_memory_equal(step->y, step->Y, SYSTEM_N * sizeof(double));
}

static sens_status recompute(void *self, const struct sens_step *step)
{
    struct recomputer *again = self;
    struct sens_scheme *scheme = again->scheme;
    double Y[SENS_MAX_STAGES * SYSTEM_N];
    scheme->type->start(scheme, step->t, step->y, NULL);
    assert_int_equal(scheme->type->try(scheme, step->h, NULL), SENS_OK);
    assert_same_stages(scheme, scheme->Y, step);
    assert_memory_equal(scheme->K, step->K, scheme->stage_size * sizeof(double));
    assert_memory_equal(scheme->y1, step->y1, SYSTEM_N * sizeof(double));

    for (int last = 0; last < 2; last++) { /* its end is asked for, or is not */
        scheme->type->start(scheme, step->t, step->y, Y);
        assert_int_equal(scheme->type->restage(scheme, step->h, step->t1, last ? NULL : again->next),
                         SENS_OK);
        assert_same_stages(scheme, Y, step);
        if (last) continue;
        assert_memory_equal(again->next, step->y1, SYSTEM_N * sizeof(double));
        assert_true(scheme->t == step->t1 && scheme->Y == again->next);
    }
    return SENS_OK;
}

static void check_recomputed_stages(const struct sens_tableau *tableau, const char *controller, double dt)
{
    const double stops[] = {0.4, 1, 2};
    struct bench bench;
    bench_open(&bench, tableau, controller, 1e-6, dt);
    const struct sens_scheme_setup setup = {&bench.ode, tableau, controller_named(controller)};
    struct recomputer again;
    assert_int_equal(sens_scheme_create(&bench.ctx, &setup, &again.scheme), SENS_OK);
    const struct sens_step_watcher watcher = {recompute, &again};
    double y0[SYSTEM_N];
    system_exact(0, y0);
    assert_int_equal(sens_solver_solve(&bench.ctx, bench.solver, 0, y0, 3, stops, &watcher, bench.y, NULL),
                     SENS_OK);
    bench_close(&bench);
}

/* In fixed steps t1 often differs from t + h by an ulp: a slope carried over by an FSAL pair would be
 * another's. */
static void test_recomputed_stages(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        check_recomputed_stages(tableaux[i], "fixed", 0.05);
        check_recomputed_stages(tableaux[i], "fixed", 0.1);
        if (tableaux[i]->e) check_recomputed_stages(tableaux[i], "odeint", 0);
    }
}

static void test_replay(void **state)
{
    (void)state;
    const double stops[] = {0.4, 1, 2};
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        struct bench bench;
        bench_open(&bench, tableaux[i], tableaux[i]->e ? "petsc" : "fixed", 1e-6, tableaux[i]->e ? 0 : 0.05);
        assert_int_equal(bench_solve(&bench, 0, 3, stops, &log_a), SENS_OK);
        log_a.t[log_a.steps] = 2;
        const struct sens_grid grid = {
            .n_steps = log_a.steps, .t = log_a.t, .h = log_a.h, .stop = log_a.stop};
        const struct sens_step_watcher watcher = {log_step, &log_b};
        double y0[SYSTEM_N], y[SYSTEM_N];
        system_exact(0, y0);
        log_b.steps = 0;
        assert_int_equal(sens_solver_replay(&bench.ctx, bench.solver, y0, &grid, &watcher, y), SENS_OK);
        assert_memory_equal(y, bench.y, sizeof y);
        assert_int_equal(log_b.steps, log_a.steps);
        const size_t steps = (size_t)log_a.steps;
        assert_memory_equal(log_b.y, log_a.y, steps * sizeof log_a.y[0]);
        assert_memory_equal(log_b.t1, log_a.t1, steps * sizeof log_a.t1[0]);
        assert_memory_equal(log_b.stop, log_a.stop, steps * sizeof log_a.stop[0]);
        bench_close(&bench);
    }
}

/* An FSAL pair evaluates f (stages - 1) times a trial, once more at the start and after a step that was cut
 * to land. */
static void test_fsal_calls(void **state)
{
    (void)state;
    const double stops[] = {0.4, 2};
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        const struct sens_tableau *tb = tableaux[i];
        if (!tb->fsal || !tb->e) continue;
        struct bench bench;
        bench_open(&bench, tb, "odeint", 1e-6, 1e-3);
        assert_int_equal(bench_solve(&bench, 0, 2, stops, &log_a), SENS_OK);
        assert_int_equal(sens_solver_scheme(bench.solver)->did.slopes, bench.system.calls);
        const long trials = bench.stats.steps + bench.stats.rejects;
        assert_in_range(bench.system.calls, trials * (tb->stages - 1) + 1, trials * (tb->stages - 1) + 2);
        bench_close(&bench);
    }
}

/* ---- parts --------------------------------------------------------------------------------------------- */

/* The system with a copy of itself behind it, scaled out of all proportion. */
static sens_status doubled_f(void *self, double t, const double *y, double *dy)
{
    const sens_status status = system_f(self, t, y, dy);
    for (int i = 0; i < SYSTEM_N; i++) dy[SYSTEM_N + i] = 1e8 * cos(50 * t) * y[i];
    return status;
}

static void test_parts(void **state)
{
    (void)state;
    const double stop = 2;
    for (size_t c = 0; sens_controllers[c]->adaptive; c++)
        for (int loose = 0; loose < 2; loose++) {
            struct bench bench, wide;
            bench_open(&bench, tableau_named("cash_karp"), sens_controllers[c]->name, 1e-10, 1e-3);
            assert_int_equal(bench_solve(&bench, 0, 1, &stop, &log_a), SENS_OK);

            /* a part outside the test, or so loose that it never matters to a maximum norm */
            const struct sens_ode_part part[] = {{SYSTEM_N, 1e-10, 1e-10, true},
                                                 {SYSTEM_N, 0, 1e30, loose == 1}};
            bench_open(&wide, tableau_named("cash_karp"), sens_controllers[c]->name, 1e-10, 1e-3);
            wide.ode = (struct sens_ode){
                .n = 2 * SYSTEM_N, .f = doubled_f, .self = &wide.system, .n_parts = 2, .part = part};
            assert_int_equal(sens_solver_create(&wide.ctx, &wide.ode, &wide.settings, &wide.solver), SENS_OK);
            double y0[2 * SYSTEM_N] = {0}, y[2 * SYSTEM_N];
            system_exact(0, y0);
            log_b.steps = 0;
            const struct sens_step_watcher watcher = {log_step, &log_b}; /* keeps the first components */
            assert_int_equal(
                sens_solver_solve(&wide.ctx, wide.solver, 0, y0, 1, &stop, &watcher, y, &wide.stats),
                SENS_OK);
            if (!loose || sens_controllers[c] == controller_named("odeint")) {
                assert_int_equal(wide.stats.steps, bench.stats.steps);
                assert_memory_equal(y, bench.y, sizeof bench.y);
                assert_memory_equal(log_b.h, log_a.h, (size_t)log_a.steps * sizeof log_a.h[0]);
            } else { /* a mean over twice the components is smaller: fewer steps */
                assert_true(wide.stats.steps < bench.stats.steps);
            }
            bench_close(&bench);
            bench_close(&wide);
        }
}

/* A tight part alone must bring in many more steps. */
static void test_tight_part(void **state)
{
    (void)state;
    const double stop = 2;
    long steps[2];
    for (int tight = 0; tight < 2; tight++) {
        const struct sens_ode_part part[] = {{1, 1e-4, 1e-4, true},
                                             {2, tight ? 1e-10 : 1e-4, tight ? 1e-10 : 1e-4, true}};
        struct bench bench;
        bench_open(&bench, tableau_named("cash_karp"), "hairer-pi", 1e-4, 0);
        bench.ode.n_parts = 2;
        bench.ode.part = part;
        assert_int_equal(bench_solve(&bench, 0, 1, &stop, NULL), SENS_OK);
        steps[tight] = bench.stats.steps;
        bench_close(&bench);
    }
    assert_true(steps[1] > 8 * steps[0]);
}

/* ---- the first step ------------------------------------------------------------------------------------ */

static sens_status decay_f(void *self, double t, const double *y, double *dy)
{
    (void)self, (void)t;
    dy[0] = -y[0];
    return SENS_OK;
}

static sens_status keep_first_h(void *self, const struct sens_step *step)
{
    if (step->k == 0) *(double *)self = step->h;
    return SENS_OK;
}

/* y' = -y, y = 1, rtol = 1e-6, atol = 0: d0 = d1 = 1e6, h0 = 0.01, |f1 - f0| = 0.01, d2 = 1e6,
 * h1 = (0.01 / 1e6)^(1/6), h = min(100 h0, h1); forward and backward. */
static void test_first_step(void **state)
{
    (void)state;
    const struct sens_ode_part part = {1, 1e-6, 0, true};
    for (int sign = -1; sign <= 1; sign += 2) {
        struct bench bench;
        bench_open(&bench, tableau_named("cash_karp"), "odeint", 0, 0);
        bench.ode = (struct sens_ode){.n = 1, .f = decay_f, .self = NULL, .n_parts = 1, .part = &part};
        const double y0 = 1, stop = sign * 3.0;
        double y = 0, h = 0;
        const struct sens_step_watcher watcher = {keep_first_h, &h};
        assert_int_equal(sens_solver_solve(&bench.ctx, bench.solver, 0, &y0, 1, &stop, &watcher, &y, NULL),
                         SENS_OK);
        assert_true(fabs(h / (sign * pow(1e-8, 1.0 / 6)) - 1) < 1e-12);
        assert_true(fabs(y / exp(-stop) - 1) < 1e-4);
        bench_close(&bench);
    }
}

/* y' = -1000 y, rtol = 0.1: h0 = 1e-5, h1 = (0.01 / 1e7)^(1/6) = 0.03, so 100 h0 = 1e-3 decides. */
static sens_status fast_decay_f(void *self, double t, const double *y, double *dy)
{
    (void)self, (void)t;
    dy[0] = -1000 * y[0];
    return SENS_OK;
}

static void test_first_step_of_fast_decay(void **state)
{
    (void)state;
    const struct sens_ode_part part = {1, 0.1, 0, true};
    struct bench bench;
    bench_open(&bench, tableau_named("cash_karp"), "odeint", 0, 0);
    bench.ode = (struct sens_ode){.n = 1, .f = fast_decay_f, .self = NULL, .n_parts = 1, .part = &part};
    const double y0 = 1, stop = 0.01;
    double y = 0, h = 0;
    const struct sens_step_watcher watcher = {keep_first_h, &h};
    assert_int_equal(sens_solver_solve(&bench.ctx, bench.solver, 0, &y0, 1, &stop, &watcher, &y, NULL),
                     SENS_OK);
    assert_true(fabs(h / 1e-3 - 1) < 1e-12);
    bench_close(&bench);
}

/* dt is the first trial; it never exceeds the interval, and its sign is the solver's own business. */
static void test_given_first_step(void **state)
{
    (void)state;
    const double trial[] = {1e-3, 100}, first[] = {1e-3, 0.125};
    for (int k = 0; k < 2; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct bench bench;
            bench_open(&bench, tableau_named("cash_karp"), "odeint", 1, trial[k]);
            const double stop = sign * 0.125;
            assert_int_equal(bench_solve(&bench, 0, 1, &stop, &log_a), SENS_OK);
            assert_true(log_a.h[0] == sign * first[k]);
            bench_close(&bench);
        }
}

/* A component that rests at zero does not fail a purely relative test (0 / 0). */
static sens_status resting_f(void *self, double t, const double *y, double *dy)
{
    (void)self, (void)t;
    dy[0] = -y[0];
    dy[1] = dy[2] = 0;
    return SENS_OK;
}

static void test_component_at_rest(void **state)
{
    (void)state;
    for (size_t c = 0; sens_controllers[c]->adaptive; c++) {
        struct bench bench;
        bench_open(&bench, tableau_named("cash_karp"), sens_controllers[c]->name, 1e-8, 0);
        bench.ode.f = resting_f;
        bench.part.atol = 0;
        const double y0[] = {1, 0, 0}, stop = 1;
        assert_int_equal(sens_solver_solve(&bench.ctx, bench.solver, 0, y0, 1, &stop, NULL, bench.y, NULL),
                         SENS_OK);
        assert_true(fabs(bench.y[0] - exp(-1)) < 1e-7);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recomputed_stages),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_fsal_calls),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_tight_part),
        cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_first_step_of_fast_decay),
        cmocka_unit_test(test_given_first_step),
        cmocka_unit_test(test_component_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
