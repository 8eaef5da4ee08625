/* casa_dense and casa_reverse: closed forms, the error's proportion to the tolerance, the discrete adjoint,
 * the separate tolerances, and the instability of integrating the state back. */
#include "continuous.h"

enum { INSIDE, OUTSIDE };
static const char *const methods[] = {"casa_dense", "casa_reverse"};

/* Pairs whose interpolant is as accurate as their steps; see test_cfsa.c for the exponents. */
static void error_follows_the_tolerance(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++) {
        check_slope(reg->problems[i]->name, "casa_dense", "dopri5", NULL, 0.75, 1.3);
        check_slope(reg->problems[i]->name, "casa_dense", "tsit5", NULL, 0.75, 1.3);
    }
}

static void van_der_pol(void **state)
{
    (void)state;
    /* lambda is damped within 1e-3 of t1; what remains is the error of the interpolated state. */
    check_slope("vdp", "casa_dense", "dopri5", vdp_truth, 0.75, 1.3);
    assert_true(error_of("vdp", "casa_dense", "dop853", 1e-12, vdp_truth) < 1e-10);
}

static void discrete_adjoint_agrees(void **state)
{
    (void)state;
    check_against("casa_dense", "discrete_adjoint", 1e-9);
}

/* ---- the state integrated back ------------------------------------------------------------------------- */

/* Without stiffness the state survives the way back: errors of a hundred times tol at most. */
static void reverse_is_right_without_stiffness(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++) {
        const double error = error_of(reg->problems[i]->name, "casa_reverse", "dopri5", 1e-9, NULL);
        if (error > 1e-7) fail_msg("%s: %g", reg->problems[i]->name, error);
    }
}

static double reverse_error_of_decay(double k)
{
    struct method_bed bed;
    size_t count;
    bed_create(&bed, "decay", "terminal", "k", k, NULL);
    set_cost(&bed, "rho", 0);
    set_accuracy(&bed, "dopri5", 1e-9);
    assert_int_equal(bed_run(&bed, "casa_reverse", NULL), SENS_OK);
    sens_real *gradient = bed_gradient(&bed, &count);
    const double error = distance_to("discrete_adjoint", &bed, gradient, count);
    free(gradient);
    bed_free(&bed);
    return error;
}

/* y' = -k y: growth, k < 0, decays on the way back; decay grows, and the error with it by about e^(|k| T). */
static void reverse_prefers_growth_to_decay(void **state)
{
    (void)state;
    const double growth = reverse_error_of_decay(-8), decay = reverse_error_of_decay(8);
    assert_true(growth < 1e-7);
    if (!(decay > 30 * growth)) fail_msg("growth %g, decay %g", growth, decay);
}

/* Modes of rate up to 8 n^2 = 7200 over T = 0.1: e^720 overflows. A status or an error larger than the
 * gradient, while the same task with the stored state is right. */
static void reverse_is_unstable_on_heat(void **state)
{
    (void)state;
    struct method_bed bed;
    size_t count;
    bed_create(&bed, "heat", "terminal", "n", 30.0, NULL);
    set_accuracy(&bed, "dopri5", 1e-6);
    set_cost(&bed, "rho", 0);
    bed.task.max_steps = 20000;
    const sens_status status = bed_run(&bed, "casa_reverse", NULL);
    sens_real *gradient = bed_gradient(&bed, &count);
    assert_true(status != SENS_OK || distance_to("discrete_adjoint", &bed, gradient, count) > 1);
    free(gradient);
    set_accuracy(&bed, "dopri5", 1e-6);
    assert_int_equal(bed_run(&bed, "casa_dense", NULL), SENS_OK);
    gradient = bed_gradient(&bed, &count);
    assert_true(distance_to("discrete_adjoint", &bed, gradient, count) < 1e-3);
    free(gradient);
    bed_free(&bed);
}

/* A failed backward solve reports what failed and where. */
static void reverse_explains_its_failure(void **state)
{
    (void)state;
    struct method_bed bed;
    bed_create(&bed, "robertson", "identity", NULL);
    const sens_status status = bed_run(&bed, "casa_reverse", NULL);
    assert_true(sens_fatal(status));
    assert_non_null(strstr(bed.ctx.message, "backward"));
    bed_free(&bed);
}

/* ---- tolerances and error tests ------------------------------------------------------------------------ */

struct outcome {
    double error;
    long steps;
};

/* casa_dense at tol 1e-10 with one option, against the closed form. */
static struct outcome outcome_of(struct method_bed *bed, const char *option, double value)
{
    size_t count;
    sens_real *exact = closed_form(bed);
    assert_non_null(exact);
    set_accuracy(bed, "dopri5", 1e-10);
    assert_int_equal(bed_run(bed, "casa_dense", option, value, NULL), SENS_OK);
    sens_real *gradient = bed_gradient(bed, &count);
    const struct outcome outcome = {relative_error(count, gradient, exact), bed->work.steps_reverse};
    free(gradient);
    free(exact);
    bed_free(bed);
    return outcome;
}

static struct outcome logistic_outcome(const char *option, double value)
{
    struct method_bed bed;
    bed_create(&bed, "logistic", "identity", NULL);
    return outcome_of(&bed, option, value);
}

/* y' = p t^q: lambda is constant, its error 0 whatever the step; only the test of mu = int t^q dt asks for
 * small ones. */
static struct outcome quadrature_outcome(const char *option, double value)
{
    struct method_bed bed;
    bed_create(&bed, "forced", "identity", "form", 1.0, "q", 20.0, "T", 1.0, NULL);
    return outcome_of(&bed, option, value);
}

/* Each tolerance that is loosened from 1e-10 to 1e-4 costs digits and saves steps, both by far: a pair of
 * order five takes 1e6^(1/5) = 16 times fewer. */
static void tolerances_of_their_own(void **state)
{
    (void)state;
    const struct outcome logistic = logistic_outcome("rtol_b", 0),
                         quadrature = quadrature_outcome("rtol_q", 0);
    assert_true(logistic.error < 1e-8 && quadrature.error < 1e-8);
    const char *const lambda[] = {"rtol_b", "atol_b"}, *const mu[] = {"rtol_q", "atol_q"};
    for (int q = 0; q < 2; q++) {
        const struct outcome loose = logistic_outcome(lambda[q], 1e-4);
        assert_true(loose.error > 100 * logistic.error && loose.error < 1e-2);
        assert_true(loose.steps < logistic.steps / 2);
        const struct outcome loose_mu = quadrature_outcome(mu[q], 1e-4);
        assert_true(loose_mu.error > 100 * quadrature.error && loose_mu.error < 1e-1);
        assert_true(loose_mu.steps < quadrature.steps / 2);
    }
}

static void quadratures_in_the_test_are_controlled(void **state)
{
    (void)state;
    assert_true(quadrature_outcome("quad_test", INSIDE).error < 1e-8);
    assert_true(quadrature_outcome("quad_test", OUTSIDE).error > 1e-4);
}

static void any_number_of_lanes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        check_lanes(methods[i], "identity", 0);
        check_lanes(methods[i], "running", 3);
        check_lanes(methods[i], "terminal", 11);
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

/* The last limit leaves room for the forward solve and for each backward interval, not for all of them. */
static void failures_are_statuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        check_failures(methods[i]);
        struct method_bed bed;
        bed_create(&bed, "oscillator", "tracking", NULL);
        assert_int_equal(bed_run(&bed, methods[i], NULL), SENS_OK);
        assert_true(bed.work.steps_reverse + bed.work.rejects_reverse > bed.work.steps + bed.work.rejects);
        bed.task.max_steps = bed.work.steps + bed.work.rejects;
        check_failure(&bed, methods[i], SENS_STEP_LIMIT);
        assert_non_null(strstr(bed.ctx.message, "backward"));
        bed_free(&bed);
    }
}

/* ---- declared structure -------------------------------------------------------------------------------- */

/* Multiplied through structure, or by the problem's own products: what the counts say, and the same gradient to
 * rounding, some hundred steps of it. Few states; more, with coupling and outer products; a sparse Jacobian. */
static void structure_is_used(void **state)
{
    (void)state;
    const struct {
        const char *problem, *option;
        double size;
    } cases[] = {{"glv", "n", 3}, {"glv", "n", 21}, {"conduction", "n", 10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct method_bed bed;
        size_t count;
        bed_create(&bed, cases[i].problem, "identity", cases[i].option, cases[i].size, NULL);
        assert_int_equal(bed_run(&bed, "casa_dense", NULL), SENS_OK);
        const size_t slopes = bed.work.vjp / bed.cost.m;
        if (slopes <= (size_t)bed.work.steps_reverse || slopes * bed.cost.m != bed.work.vjp)
            fail_msg("%s: %zu vectors", cases[i].problem, bed.work.vjp);
        sens_real *declared = bed_gradient(&bed, &count);
        bed.problem.structure = NULL;
        assert_int_equal(bed_run(&bed, "casa_dense", NULL), SENS_OK);
        assert_true(bed.work.vjp == 0 && bed.work.vjp_p == 0);
        sens_real *plain = bed_gradient(&bed, &count);
        double size = 0, apart = 0;
        for (size_t q = 0; q < count; q++) {
            size = fmax(size, fabs(plain[q]));
            apart = fmax(apart, fabs(plain[q] - declared[q]));
        }
        if (!(apart <= 1e-11 * size)) fail_msg("%s: %g of %g", cases[i].problem, apart, size);
        free(declared);
        free(plain);
        bed_free(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_is_used),
        cmocka_unit_test(error_follows_the_tolerance),
        cmocka_unit_test(van_der_pol),
        cmocka_unit_test(discrete_adjoint_agrees),
        cmocka_unit_test(reverse_is_right_without_stiffness),
        cmocka_unit_test(reverse_prefers_growth_to_decay),
        cmocka_unit_test(reverse_is_unstable_on_heat),
        cmocka_unit_test(reverse_explains_its_failure),
        cmocka_unit_test(tolerances_of_their_own),
        cmocka_unit_test(quadratures_in_the_test_are_controlled),
        cmocka_unit_test(any_number_of_lanes),
        cmocka_unit_test(runs_are_repeatable),
        cmocka_unit_test(failures_are_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
