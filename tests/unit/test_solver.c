/* The solver: order of convergence, landing on stops, direction, the fixed step, replay, parts, the first step and
 * every way to fail. The solution is known in closed form (erk_support.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdlib.h>

#include "erk_support.h"

static struct step_log log_a, log_b; /* too large for the stack */

/* One solver and its surroundings. */
struct bench {
    struct sens_ctx ctx;
    struct system system;
    struct sens_ode_part part;
    struct sens_ode ode;
    struct sens_erk_settings settings;
    struct sens_erk *erk;
    struct sens_erk_stats stats;
    double y[SYSTEM_N]; /* end state */
};

static void bench_open(struct bench *bench, const struct sens_tableau *tableau, const char *controller,
                       double tol, double dt)
{
    *bench = (struct bench){
        .settings = {
            .tableau = tableau, .controller = controller_named(controller), .dt = dt, .max_steps = 1000000}};
    system_ode(&bench->system, tol, &bench->part, &bench->ode);
    assert_int_equal(sens_erk_create(&bench->ctx, &bench->ode, &bench->settings, &bench->erk), SENS_OK);
}

/* From the exact state at t0; log may be NULL. */
static sens_status bench_solve(struct bench *bench, double t0, size_t n_stops, const double *stops,
                               struct step_log *log)
{
    const struct sens_erk_observer observer = {log_step, log};
    double y0[SYSTEM_N];
    system_exact(t0, y0);
    if (log) log->steps = 0;
    return sens_erk_solve(&bench->ctx, bench->erk, t0, y0, n_stops, stops, log ? &observer : NULL, bench->y,
                          &bench->stats);
}

static void bench_close(struct bench *bench)
{
    sens_arena_release(&bench->ctx.arena);
}

static double error_at(const double *y, double t)
{
    double exact[SYSTEM_N], worst = 0;
    system_exact(t, exact);
    for (int i = 0; i < SYSTEM_N; i++) worst = fmax(worst, fabs(y[i] - exact[i]));
    return worst;
}

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
    const struct sens_erk_observer observer = {keep_worst_error, &worst};
    bench_open(&bench, tableau, "fixed", 0, fabs(t1 - t0) / steps);
    system_exact(t0, y0);
    assert_int_equal(sens_erk_solve(&bench.ctx, bench.erk, t0, y0, 1, &t1, &observer, bench.y, &bench.stats),
                     SENS_OK);
    assert_int_equal(bench.stats.steps, steps);
    bench_close(&bench);
    return worst;
}

/* ---- accuracy ---------------------------------------------------------------------------------------------------- */

/* The slope over the last two halvings of the step whose error is above rounding: 50 ulp, and a quarter ulp a step. The mirror test
 * extends the result to backward integration. */
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

/* Error against tolerance over five decades, in logarithms: proportional means a slope of 1. Error control per step
 * of the lower of two neighbouring orders gives order/(order_hat + 1) = 1; a larger gap of orders gives more. */
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

/* ---- stops ------------------------------------------------------------------------------------------------------- */

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

/* Replacing t by -t and f by -f changes the sign of h and of the slopes and nothing else: the backward solve of a
 * system is, bit for bit, the forward solve of its mirror image. */
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
            const struct sens_erk_observer observer = {log_step, &log_b};
            assert_int_equal(sens_erk_solve(&mirror.ctx, mirror.erk, -2, y0, 2, mirrored_stops, &observer,
                                            mirror.y, &mirror.stats),
                             SENS_OK);
            assert_memory_equal(bench.y, mirror.y, sizeof bench.y);
            assert_int_equal(log_a.steps, log_b.steps);
            assert_int_equal(bench.stats.rejects, mirror.stats.rejects);
            for (long k = 0; k < log_a.steps; k++) assert_true(log_a.h[k] == -log_b.h[k]);
            bench_close(&bench);
            bench_close(&mirror);
        }
}

/* ---- fixed step ---------------------------------------------------------------------------------------------------- */

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

/* ---- one step, replayed or recomputed --------------------------------------------------------------------------------- */

/* Compares every step with sens_erk_stages, its first slope evaluated afresh. */
struct recomputer {
    const struct sens_tableau *tableau;
    const struct sens_ode *ode;
    double Y[MAX_STAGES * SYSTEM_N], K[MAX_STAGES * SYSTEM_N], y1[SYSTEM_N];
};

static sens_status recompute(void *self, const struct sens_step *step)
{
    struct recomputer *again = self;
    const size_t size = (size_t)again->tableau->stages * SYSTEM_N * sizeof(double);
    assert_int_equal(sens_erk_stages(again->tableau, again->ode, step->t, step->h, step->y, false, again->Y,
                                     again->K, again->y1),
                     SENS_OK);
    assert_memory_equal(again->Y, step->Y, size);
    assert_memory_equal(again->K, step->K, size);
    assert_memory_equal(again->y1, step->y1, sizeof again->y1);
    return SENS_OK;
}

static void test_recomputed_stages(void **state)
{
    (void)state;
    const double stops[] = {0.4, 1, 2};
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++) {
        struct bench bench;
        bench_open(&bench, tableaux[i], tableaux[i]->e ? "odeint" : "fixed", 1e-6, tableaux[i]->e ? 0 : 0.05);
        struct recomputer again = {.tableau = tableaux[i], .ode = &bench.ode};
        const struct sens_erk_observer observer = {recompute, &again};
        double y0[SYSTEM_N];
        system_exact(0, y0);
        assert_int_equal(sens_erk_solve(&bench.ctx, bench.erk, 0, y0, 3, stops, &observer, bench.y, NULL),
                         SENS_OK);
        bench_close(&bench);
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
        const struct sens_grid grid = {log_a.steps, log_a.t, log_a.h, log_a.stop};
        const struct sens_erk_observer observer = {log_step, &log_b};
        double y0[SYSTEM_N], y[SYSTEM_N];
        system_exact(0, y0);
        log_b.steps = 0;
        assert_int_equal(sens_erk_replay(&bench.ctx, bench.erk, y0, &grid, &observer, y), SENS_OK);
        assert_memory_equal(y, bench.y, sizeof y);
        assert_int_equal(log_b.steps, log_a.steps);
        const size_t steps = (size_t)log_a.steps;
        assert_memory_equal(log_b.y, log_a.y, steps * sizeof log_a.y[0]);
        assert_memory_equal(log_b.t1, log_a.t1, steps * sizeof log_a.t1[0]);
        assert_memory_equal(log_b.stop, log_a.stop, steps * sizeof log_a.stop[0]);
        bench_close(&bench);
    }
}

/* An FSAL pair evaluates f (stages - 1) times a trial, once more at the start and after a step that was cut to land. */
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
        const long trials = bench.stats.steps + bench.stats.rejects;
        assert_in_range(bench.system.calls, trials * (tb->stages - 1) + 1, trials * (tb->stages - 1) + 2);
        bench_close(&bench);
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------------ */

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
            wide.ode = (struct sens_ode){2 * SYSTEM_N, doubled_f, &wide.system, 2, part};
            assert_int_equal(sens_erk_create(&wide.ctx, &wide.ode, &wide.settings, &wide.erk), SENS_OK);
            double y0[2 * SYSTEM_N] = {0}, y[2 * SYSTEM_N];
            system_exact(0, y0);
            log_b.steps = 0;
            const struct sens_erk_observer observer = {log_step, &log_b}; /* keeps the first components */
            assert_int_equal(sens_erk_solve(&wide.ctx, wide.erk, 0, y0, 1, &stop, &observer, y, &wide.stats),
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

/* ---- the first step ----------------------------------------------------------------------------------------------- */

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
        bench.ode = (struct sens_ode){1, decay_f, NULL, 1, &part};
        const double y0 = 1, stop = sign * 3.0;
        double y = 0, h = 0;
        const struct sens_erk_observer observer = {keep_first_h, &h};
        assert_int_equal(sens_erk_solve(&bench.ctx, bench.erk, 0, &y0, 1, &stop, &observer, &y, NULL),
                         SENS_OK);
        assert_true(fabs(h / (sign * pow(1e-8, 1.0 / 6)) - 1) < 1e-12);
        assert_true(fabs(y / exp(-stop) - 1) < 1e-4);
        bench_close(&bench);
    }
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
        assert_int_equal(sens_erk_solve(&bench.ctx, bench.erk, 0, y0, 1, &stop, NULL, bench.y, NULL),
                         SENS_OK);
        assert_true(fabs(bench.y[0] - exp(-1)) < 1e-7);
        bench_close(&bench);
    }
}

/* ---- failures -------------------------------------------------------------------------------------------------------- */

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
                } else { /* f is pure, so a first slope that came out as NaN is not asked for again */
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
    const struct sens_erk_stats needed = bench.stats;
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
    const struct sens_erk_observer observer = {stop_at_third, NULL};
    double y0[SYSTEM_N], stop = 2;
    system_exact(0, y0);
    assert_int_equal(sens_erk_solve(&bench.ctx, bench.erk, 0, y0, 1, &stop, &observer, bench.y, &bench.stats),
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
        struct sens_erk *erk = NULL;
        struct sens_ctx ctx = {.arena = {.fail_at = k}};
        assert_int_equal(sens_erk_create(&ctx, &bench.ode, &bench.settings, &erk), SENS_NO_MEMORY);
        assert_null(erk);
        sens_arena_release(&ctx.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_tolerance_proportionality),
        cmocka_unit_test(test_landing),
        cmocka_unit_test(test_stop_keeps_step),
        cmocka_unit_test(test_no_sliver),
        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_fixed_grid),
        cmocka_unit_test(test_fixed_refusals),
        cmocka_unit_test(test_recomputed_stages),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_fsal_calls),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_tight_part),
        cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_given_first_step),
        cmocka_unit_test(test_component_at_rest),
        cmocka_unit_test(test_recoverable_failure),
        cmocka_unit_test(test_fatal_failure),
        cmocka_unit_test(test_step_limit),
        cmocka_unit_test(test_blow_up),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_bad_stops),
        cmocka_unit_test(test_observer_ends_solve),
        cmocka_unit_test(test_repeatable_without_memory),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
