/* cfsa and cfsa_gsl: closed forms, the error's proportion to the tolerance, each other, and the discrete
 * tangent. */
#include <gsl/gsl_errno.h>

#include "continuous.h"

enum { INSIDE, OUTSIDE };
static const char *const methods[] = {"cfsa", "cfsa_gsl"};

/* The controller bounds the error of a step, so that the global error falls a little slower or faster than
 * tol: with an exponent between 5/6 and 6/5 for a pair of order five, and some room
 * for the few steps at 1e-5. */
static void error_follows_the_tolerance(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++) {
        check_slope(reg->problems[i]->name, "cfsa", "cash_karp", NULL, 0.8, 1.3);
        check_slope(reg->problems[i]->name, "cfsa", "dopri5", NULL, 0.8, 1.3);
    }
}

static void van_der_pol(void **state)
{
    (void)state;
    check_slope("vdp", "cfsa", "cash_karp", vdp_truth, 0.8, 1.3);
    /* The truth has 20 digits; stiff damping forgets local errors, the global one is a few times tol. */
    assert_true(error_of("vdp", "cfsa", "dopri5", 1e-12, vdp_truth) < 1e-11);
    assert_true(error_of("vdp", "cfsa_gsl", "dopri5", 1e-12, vdp_truth) < 1e-11);
}

/* tol 1e-12 over an interval of a few time constants: two digits of room. */
static void gsl_meets_the_closed_forms(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++)
        for (double stepper = 0; stepper < 4; stepper++) {
            struct method_bed bed;
            size_t count;
            bed_create(&bed, reg->problems[i]->name, "identity", NULL);
            sens_real *exact = closed_form(&bed);
            if (exact) {
                bed.task.rtol = bed.task.atol = 1e-12;
                assert_int_equal(bed_run(&bed, "cfsa_gsl", "stepper", stepper, NULL), SENS_OK);
                sens_real *gradient = bed_gradient(&bed, &count);
                const double error = relative_error(count, gradient, exact);
                if (!(error < 1e-10)) fail_msg("%s, stepper %g: %g", reg->problems[i]->name, stepper, error);
                free(gradient);
            }
            free(exact);
            bed_free(&bed);
        }
}

/* Two solvers that share the equations but nothing of the integration. At 1e-12, the worst conditioned
 * problem of the registry (arenstorf apart) amplifies by less than 1e3. */
static void the_two_agree(void **state)
{
    (void)state;
    check_against("cfsa", "cfsa_gsl", 1e-9);
}

/* And a method that shares not even the equations' code. */
static void discrete_tangent_agrees(void **state)
{
    (void)state;
    check_against("cfsa", "discrete_tangent", 1e-9);
}

/* The steps of the state alone, and on them the same sums in another order. */
static void outside_the_test_is_the_discrete_tangent(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++)
        for (size_t j = 0; reg->costs[j] && !reg->problems[i]->many_states; j++) {
            struct method_bed bed;
            size_t count;
            bed_create(&bed, reg->problems[i]->name, reg->costs[j]->name, NULL);
            set_cost(&bed, "rho", 0);
            assert_int_equal(bed_run(&bed, "discrete_tangent", NULL), SENS_OK);
            sens_real *tangent = bed_gradient(&bed, &count);
            const long steps = bed.work.steps;
            assert_int_equal(bed_run(&bed, "cfsa", "sens_test", (double)OUTSIDE, NULL), SENS_OK);
            sens_real *gradient = bed_gradient(&bed, &count);
            const double error = relative_error(count, gradient, tangent);
            assert_int_equal(bed.work.steps, steps);
            /* A few hundred steps of a few roundings each; arenstorf amplifies them by 1e3. */
            if (!(error < 1e-11))
                fail_msg("%s, %s: outside differs by %g", reg->problems[i]->name, reg->costs[j]->name, error);
            free(tangent);
            free(gradient);
            bed_free(&bed);
        }
}

/* Pairs of every kind, a first trial step that is rejected several times, steps cut by observations (after
 * which the slope of an FSAL pair is no longer known) and a quadrature over accepted steps only: the discrete
 * tangent does none of it by the same code. */
static void every_pair_outside_the_test(void **state)
{
    (void)state;
    static const char *const costs[] = {"identity", "running", "tracking"};
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->tableaux[i]; i++)
        for (size_t j = 0; j < sizeof costs / sizeof *costs && reg->tableaux[i]->e; j++) {
            struct method_bed bed;
            size_t count;
            bed_create(&bed, "glv", costs[j], NULL);
            set_cost(&bed, "rho", 0.5);
            bed.task.tableau = reg->tableaux[i];
            bed.task.dt = bed.problem.t1 - bed.problem.t0;
            assert_int_equal(bed_run(&bed, "discrete_tangent", NULL), SENS_OK);
            sens_real *tangent = bed_gradient(&bed, &count);
            const long steps = bed.work.steps, rejects = bed.work.rejects;
            assert_int_equal(bed_run(&bed, "cfsa", "sens_test", (double)OUTSIDE, NULL), SENS_OK);
            sens_real *gradient = bed_gradient(&bed, &count);
            const double error = relative_error(count, gradient, tangent);
            assert_true(rejects > 0);
            assert_int_equal(bed.work.steps, steps);
            assert_int_equal(bed.work.rejects, rejects);
            /* A few hundred stages of a few roundings each. */
            if (!(error < 1e-12))
                fail_msg("%s, %s: outside differs by %g", reg->tableaux[i]->name, costs[j], error);
            free(tangent);
            free(gradient);
            bed_free(&bed);
        }
}

/* The error norm is one of components, however they are cut into blocks and whatever lanes make these up:
 * rounding apart, so are the steps. */
static void blocks_do_not_change_the_norm(void **state)
{
    (void)state;
    static const char *const tableaux[] = {"cash_karp", "dopri5", "dop853"};
    static const int lanes[] = {1, 3, 8, 16, 100, 0};
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t c = 0; reg->controllers[c] && reg->controllers[c]->adaptive; c++)
        for (size_t i = 0; i < sizeof tableaux / sizeof *tableaux; i++) {
            struct method_bed bed;
            size_t count;
            long steps = 0;
            sens_real *first = NULL;
            bed_create(&bed, "glv", "identity", NULL);
            bed.task.tableau = named(reg->tableaux, tableaux[i]);
            bed.task.controller = reg->controllers[c];
            for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++) {
                bed.task.lanes = lanes[l];
                assert_int_equal(bed_run(&bed, "cfsa", NULL), SENS_OK);
                sens_real *gradient = bed_gradient(&bed, &count);
                if (!first) {
                    first = gradient;
                    steps = bed.work.steps;
                    continue;
                }
                const double error = relative_error(count, gradient, first);
                assert_int_equal(bed.work.steps, steps);
                /* The norm's rounding is in the size of every later step, whose error is of 1e-8. */
                if (!(error < 1e-13))
                    fail_msg("%s, %s, lanes %d: %g", tableaux[i], reg->controllers[c]->name, lanes[l], error);
                free(gradient);
            }
            free(first);
            bed_free(&bed);
        }
}

/* x' = p t^q is solved by very large steps whose error test sees no derivative; inside, the derivative is
 * tested too. */
static void inside_the_test_controls_the_sensitivities(void **state)
{
    (void)state;
    double error[2];
    for (int test = INSIDE; test <= OUTSIDE; test++) {
        struct method_bed bed;
        size_t count;
        bed_create(&bed, "forced", "identity", "form", 1.0, "q", 12.0, "p", 1e-12, NULL);
        sens_real *exact = closed_form(&bed);
        set_accuracy(&bed, "cash_karp", 1e-6);
        assert_int_equal(bed_run(&bed, "cfsa", "sens_test", (double)test, NULL), SENS_OK);
        sens_real *gradient = bed_gradient(&bed, &count);
        error[test] = relative_error(count, gradient, exact);
        free(exact);
        free(gradient);
        bed_free(&bed);
    }
    /* With p = 1e-12 the state stays within atol whatever the step; dx/dp is of the size of 1e2. */
    assert_true(error[INSIDE] < 1e-5 && error[OUTSIDE] > 1e-3);
}

/* dU/dalpha of the discrete map: the fixed step makes cfsa a discrete method (1000 steps, 2e-13). */
static void heat_equals_the_discrete_closed_form(void **state)
{
    (void)state;
    struct method_bed bed;
    bed_create(&bed, "heat", "identity", "n", 10.0, NULL);
    bed.task.tableau = named(bed.registry->tableaux, "rk4");
    bed.task.controller = named(bed.registry->controllers, "fixed");
    bed.task.dt = 1e-4;
    assert_int_equal(bed_run(&bed, "cfsa", NULL), SENS_OK);
    const struct sens_exact_query query = {SENS_EXACT_DISCRETE, bed.problem.t1, bed.task.tableau,
                                           bed.task.dt};
    sens_real *x = calloc(bed.problem.n, sizeof *x), *S = calloc(bed.problem.n, sizeof *S);
    assert_true(bed.problem.type->exact(&bed.problem, &query, bed.problem.p, x, S, NULL));
    assert_true(relative_error(bed.problem.n, bed.out.dGdp, S) < 1e-12);
    free(x);
    free(S);
    bed_free(&bed);
}

static void any_number_of_lanes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        check_lanes(methods[i], "identity", 0);
        check_lanes(methods[i], "running", 11);
    }
}

static void runs_are_repeatable(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        check_repeatable(methods[i], "running");
        check_repeatable(methods[i], "tracking");
        check_parts(methods[i]);
    }
}

static void failures_are_statuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) check_failures(methods[i]);
    struct method_bed bed;
    bed_create(&bed, "logistic", "identity", NULL);
    bed.task.rtol = bed.task.atol = 0;
    check_failure(&bed, "cfsa_gsl", SENS_BAD_INPUT);
    bed.task.controller = named(bed.registry->controllers, "fixed");
    bed.task.dt = (bed.problem.t1 - bed.problem.t0) / 2.5;
    check_failure(&bed, "cfsa", SENS_DT_MISFIT);
    bed_free(&bed);
}

/* The logistic equation, known only near its solution, which rises from y0 to K = p_1. */
static sens_status nan_above_the_limit(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->x[0] > 1.01 * at->p[1] ? (sens_real)NAN : at->p[0] * at->x[0] * (1 - at->x[0] / at->p[1]);
    return SENS_OK;
}

static sens_status refuses_above_the_limit(const struct sens_problem *pb, const struct sens_at *at,
                                           sens_real *dx)
{
    const sens_status status = nan_above_the_limit(pb, at, dx);
    return isnan(dx[0]) ? SENS_OUT_OF_DOMAIN : status;
}

/* A first trial step that leaves the domain is repeated with smaller ones, and leaves no trace. */
static void too_large_a_step_is_repeated(void **state)
{
    (void)state;
    sens_status (*const rhs[])(const struct sens_problem *, const struct sens_at *,
                               sens_real *) = {nan_above_the_limit, refuses_above_the_limit};
    for (size_t i = 0; i < 4; i++) {
        struct method_bed bed;
        size_t count;
        bed_create(&bed, "logistic", "identity", "r", 20.0, NULL);
        sens_real *exact = closed_form(&bed);
        struct sens_problem_type partial = *bed.problem.type;
        partial.rhs = rhs[i / 2];
        bed.problem.type = &partial;
        bed.task.dt = bed.problem.t1 - bed.problem.t0;
        set_accuracy(&bed, "dopri5", 1e-10);
        assert_int_equal(bed_run(&bed, methods[i % 2], NULL), SENS_OK);
        sens_real *gradient = bed_gradient(&bed, &count);
        const double error = relative_error(count, gradient, exact);
        if (!(error < 1e-8)) fail_msg("%s: %g", methods[i % 2], error);
        free(gradient);
        free(exact);
        bed_free(&bed);
    }
}

static void handler_of_the_caller(const char *reason, const char *file, int line, int number)
{
    (void)reason, (void)file, (void)line, (void)number;
}

static void error_handler_is_put_back(void **state)
{
    (void)state;
    gsl_error_handler_t *const before = gsl_set_error_handler(handler_of_the_caller);
    check_failures("cfsa_gsl");
    check_repeatable("cfsa_gsl", "running");
    assert_true(gsl_set_error_handler(before) == handler_of_the_caller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_follows_the_tolerance),
        cmocka_unit_test(van_der_pol),
        cmocka_unit_test(gsl_meets_the_closed_forms),
        cmocka_unit_test(the_two_agree),
        cmocka_unit_test(discrete_tangent_agrees),
        cmocka_unit_test(outside_the_test_is_the_discrete_tangent),
        cmocka_unit_test(every_pair_outside_the_test),
        cmocka_unit_test(blocks_do_not_change_the_norm),
        cmocka_unit_test(inside_the_test_controls_the_sensitivities),
        cmocka_unit_test(heat_equals_the_discrete_closed_form),
        cmocka_unit_test(any_number_of_lanes),
        cmocka_unit_test(runs_are_repeatable),
        cmocka_unit_test(failures_are_statuses),
        cmocka_unit_test(too_large_a_step_is_repeated),
        cmocka_unit_test(error_handler_is_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
