/* The solver: order of convergence, landing on stops, direction, the fixed step. The solution is known in
 * closed form (solver_support.h). */
#include <float.h>
#include <stdlib.h>

#include "solver_support.h"
#include "testing.h"

static struct step_log log_a, log_b; /* too large for the stack */

static sens_status keep_worst_error(void *self, const struct sens_step *step)
{
    double *worst = self;
    *worst = fmax(*worst, error_at(step->y1, step->t1));
    return SENS_OK;
}

/* Largest error over the steps of a fixed-step solve. */
static double fixed_error(const struct sens_tableau *tableau, double t0, double t1, int steps)
{
    struct bench bench;
    double y0[SYSTEM_N], worst = 0;
    const struct sens_step_watcher watcher = {keep_worst_error, &worst};
    bench_open(&bench, tableau, "fixed", 0, fabs(t1 - t0) / steps);
    system_exact(t0, y0);
    assert_int_equal(
        sens_solver_solve(&bench.ctx, bench.solver, t0, y0, 1, &t1, &watcher, bench.y, &bench.stats),
        SENS_OK);
    assert_int_equal(bench.stats.steps, steps);
    bench_close(&bench);
    return worst;
}

/* ---- accuracy ------------------------------------------------------------------------------------------ */

/* The slope over the last two halvings of the step whose error is above rounding: 50 ulp, and a quarter ulp a
 * step. The mirror test extends the result to backward integration. */
static void test_order(void **state)
{
    (void)state;
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        double error[3] = {1, 1, fixed_error(tableaux[i], 0, 2, 4)};
        for (int steps = 8; steps <= 4096; steps *= 2) {
            const double fine = fixed_error(tableaux[i], 0, 2, steps);
            if (fine < 1.2e-14 + 5e-17 * steps) break;
            error[0] = error[1];
            error[1] = error[2];
            error[2] = fine;
        }
        const double slope = log2(error[0] / error[2]) / 2;
        if (!(fabs(slope - tableaux[i]->order) < 0.25)) fail_msg("%s: order %g", tableaux[i]->name, slope);
    }
}

/* Error against tolerance over five decades, in logarithms: proportional means a slope of 1. Error control
 * per step of the lower of two neighbouring orders gives order/(order_hat + 1) = 1; a larger gap of orders
 * gives more. */
static void test_tolerance_proportionality(void **state)
{
    (void)state;
    const struct sens_registry *registry = sens_registry_baseline();
    for (size_t c = 0; registry->controllers[c]; c++)
        for (size_t i = 0; registry->tableaux[i]; i++) {
            const struct sens_tableau *tb = registry->tableaux[i];
            if (!tb->e || !registry->controllers[c]->adaptive || tb->order < 3) continue;
            const double stop = 3;
            double error[2];
            for (int k = 0; k < 2; k++) {
                struct bench bench;
                bench_open(&bench, tb, registry->controllers[c]->name, k ? 1e-9 : 1e-4, 1e-3);
                assert_int_equal(bench_solve(&bench, 0, 1, &stop, NULL), SENS_OK);
                error[k] = error_at(bench.y, stop);
                bench_close(&bench);
            }
            const double slope = log10(error[0] / error[1]) / 5;
            if (slope < 0.75 || slope > 1.7 || error[1] > 1e-7)
                fail_msg("%s, %s: errors %g %g", tb->name, registry->controllers[c]->name, error[0],
                         error[1]);
        }
}

/* ---- stops --------------------------------------------------------------------------------------------- */

static void check_log(const struct step_log *log, double t0, size_t n_stops, const double *stops)
{
    const double sign = stops[0] > t0 ? 1 : -1;
    size_t j = 0;
    for (long k = 0; k < log->steps; k++) {
        assert_true(log->t[k] == (k ? log->t1[k - 1] : t0));
        assert_true(sign * log->h[k] > 0);
        assert_true(fabs(log->t[k] + log->h[k] - log->t1[k]) <= 4 * DBL_EPSILON * fabs(log->t1[k]));
        if (k) assert_memory_equal(log->y[k], log->y1[k - 1], sizeof log->y[k]);
        if (log->stop[k] < 0) continue;
        assert_int_equal(log->stop[k], j);
        assert_true(log->t1[k] == stops[j]);
        j++;
    }
    assert_int_equal(j, n_stops);
}

static void test_landing(void **state)
{
    (void)state;
    const double forward[] = {0.1, 1.0 / 3, 0.7, 0.7000001, 1.9, 2}, backward[] = {1.9, 1.0 / 7, 0.1, -0.3};
    const struct sens_registry *registry = sens_registry_baseline();
    for (size_t c = 0; registry->controllers[c]; c++)
        for (size_t i = 0; registry->tableaux[i]; i++) {
            if (!registry->tableaux[i]->e || !registry->controllers[c]->adaptive) continue;
            struct bench bench;
            bench_open(&bench, registry->tableaux[i], registry->controllers[c]->name, 1e-5, 0);
            assert_int_equal(bench_solve(&bench, 0, 6, forward, &log_a), SENS_OK);
            check_log(&log_a, 0, 6, forward);
            assert_true(error_at(bench.y, 2) < 1e-3);
            assert_memory_equal(bench.y, log_a.y1[log_a.steps - 1], sizeof bench.y);
            assert_int_equal(bench.stats.steps, log_a.steps);
            assert_int_equal(bench_solve(&bench, 2, 4, backward, &log_a), SENS_OK);
            check_log(&log_a, 2, 4, backward);
            assert_true(error_at(bench.y, -0.3) < 1e-3);
            bench_close(&bench);
        }
}

/* Stops that cut a step short cost one step each: the step after them is as long as before. */
static void test_stop_keeps_step(void **state)
{
    (void)state;
    const double close[] = {1, 1 + 1e-9, 1 + 2e-9, 2}, one = 2;
    for (size_t c = 0; sens_controllers[c]->adaptive; c++) {
        struct bench bench;
        bench_open(&bench, tableau_named("cash_karp"), sens_controllers[c]->name, 1e-8, 1e-3);
        assert_int_equal(bench_solve(&bench, 0, 1, &one, NULL), SENS_OK);
        const long plain = bench.stats.steps;
        assert_int_equal(bench_solve(&bench, 0, 4, close, &log_a), SENS_OK);
        check_log(&log_a, 0, 4, close);
        assert_in_range(bench.stats.steps, plain, plain + 4);
        bench_close(&bench);
    }
}

/* A stop within rounding of the step's end is reached by that step, with no sliver after it. */
static void test_no_sliver(void **state)
{
    (void)state;
    struct bench bench;
    bench_open(&bench, tableau_named("cash_karp"), "odeint", 1,
               0.1); /* never rejects; grows only below 1/2 */
    double t = 0;
    const double far = 0.8;
    assert_int_equal(bench_solve(&bench, 0, 1, &far, &log_a), SENS_OK);
    const double end = log_a.t1[0];
    for (int ulp = -3; ulp <= 3; ulp++) {
        const double stop = end + ulp * DBL_EPSILON * end;
        assert_int_equal(bench_solve(&bench, t, 1, &stop, &log_b), SENS_OK);
        assert_int_equal(bench.stats.steps, 1);
        assert_true(log_b.t1[0] == stop);
    }
    bench_close(&bench);
}

/* Replacing t by -t and f by -f changes the sign of h and of the slopes and nothing else: the backward solve
 * of a system is, bit for bit, the forward solve of its mirror image. */
static sens_status mirrored_f(void *self, double t, const double *y, double *dy)
{
    const sens_status status = system_f(self, -t, y, dy);
    for (int i = 0; i < SYSTEM_N; i++) dy[i] = -dy[i];
    return status;
}

static void test_mirror(void **state)
{
    (void)state;
    const struct sens_registry *registry = sens_registry_baseline();
    for (size_t c = 0; registry->controllers[c]; c++)
        for (size_t i = 0; registry->tableaux[i]; i++) {
            const bool adaptive = registry->controllers[c]->adaptive;
            if (adaptive && !registry->tableaux[i]->e) continue;
            const double stops[] = {1.5, -0.5}, mirrored_stops[] = {-1.5, 0.5};
            struct bench bench, mirror;
            bench_open(&bench, registry->tableaux[i], registry->controllers[c]->name, 1e-6,
                       adaptive ? 0 : 0.125);
            bench_open(&mirror, registry->tableaux[i], registry->controllers[c]->name, 1e-6,
                       adaptive ? 0 : 0.125);
            mirror.ode.f = mirrored_f;
            assert_int_equal(bench_solve(&bench, 2, 2, stops, &log_a), SENS_OK);
            double y0[SYSTEM_N];
            system_exact(2, y0);
            log_b.steps = 0;
            const struct sens_step_watcher watcher = {log_step, &log_b};
            assert_int_equal(sens_solver_solve(&mirror.ctx, mirror.solver, -2, y0, 2, mirrored_stops,
                                               &watcher, mirror.y, &mirror.stats),
                             SENS_OK);
            assert_memory_equal(bench.y, mirror.y, sizeof bench.y);
            assert_int_equal(log_a.steps, log_b.steps);
            assert_int_equal(bench.stats.rejects, mirror.stats.rejects);
            for (long k = 0; k < log_a.steps; k++) assert_true(log_a.h[k] == -log_b.h[k]);
            bench_close(&bench);
            bench_close(&mirror);
        }
}

/* ---- fixed step ---------------------------------------------------------------------------------------- */

static void test_fixed_grid(void **state)
{
    (void)state;
    const double stops[] = {0.3, 1, 1.7};
    struct bench bench;
    bench_open(&bench, tableau_named("rk4"), "fixed", 0, 0.1);
    assert_int_equal(bench_solve(&bench, 0, 3, stops, &log_a), SENS_OK);
    check_log(&log_a, 0, 3, stops);
    assert_int_equal(bench.stats.steps, 17);
    assert_int_equal(bench.stats.rejects, 0);
    for (long k = 0; k < 17; k++) assert_true(fabs(log_a.t1[k] - 0.1 * (double)(k + 1)) < 4 * DBL_EPSILON);
    bench_close(&bench);
    for (int steps = 1; steps <= 300; steps++) { /* decimal intervals, where M h is often not the stop */
        const double stop = steps / 100.0;
        bench_open(&bench, tableau_named("euler"), "fixed", 0, 0.01);
        assert_int_equal(bench_solve(&bench, 0, 1, &stop, &log_a), SENS_OK);
        check_log(&log_a, 0, 1, &stop);
        assert_int_equal(bench.stats.steps, steps);
        bench_close(&bench);
    }
    /* 1e5 steps of 1e-5: neither the 1e5-fold sum of dt nor t1 - t decides the last step */
    bench_open(&bench, tableau_named("euler"), "fixed", 0, 1e-5);
    assert_int_equal(bench_solve(&bench, 0, 1, &stops[1], NULL), SENS_OK);
    assert_int_equal(bench.stats.steps, 100000);
    bench_close(&bench);
}

static void test_fixed_refusals(void **state)
{
    (void)state;
    const double one = 1, two[] = {0.5, 0.95};
    const double misfit[] = {0.3, 0.0999, 1.5, 3, 0.1 * (1 + 1e-7)};
    struct bench bench;
    for (size_t i = 0; i < sizeof misfit / sizeof misfit[0]; i++) {
        bench_open(&bench, tableau_named("rk4"), "fixed", 0, misfit[i]);
        assert_int_equal(bench_solve(&bench, 0, 1, &one, NULL), SENS_DT_MISFIT);
        assert_int_equal(bench.system.calls, 0);
        const char *nearest = strstr(bench.ctx.message, "that does is ");
        assert_non_null(nearest);
        const double dt = strtod(nearest + strlen("that does is "), NULL);
        bench_close(&bench);
        bench_open(&bench, tableau_named("rk4"), "fixed", 0, dt); /* the message's advice works */
        assert_int_equal(bench_solve(&bench, 0, 1, &one, NULL), SENS_OK);
        bench_close(&bench);
    }
    bench_open(&bench, tableau_named("rk4"), "fixed", 0, 0.1); /* the second segment is the one that fails */
    assert_int_equal(bench_solve(&bench, 0, 2, two, NULL), SENS_DT_MISFIT);
    assert_int_equal(bench.system.calls, 0);
    bench_close(&bench);
    bench_open(&bench, tableau_named("rk4"), "fixed", 0, 0);
    assert_int_equal(bench_solve(&bench, 0, 1, &one, NULL), SENS_BAD_INPUT);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),      cmocka_unit_test(test_tolerance_proportionality),
        cmocka_unit_test(test_landing),    cmocka_unit_test(test_stop_keeps_step),
        cmocka_unit_test(test_no_sliver),  cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_fixed_grid), cmocka_unit_test(test_fixed_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
