/* casa_dense and casa_reverse: closed forms, the error's proportion to the tolerance, the discrete adjoint, mu in
 * and out of the error test, the separate tolerances, and the instability of integrating the state back. */
#include "continuous.h"

enum { INSIDE, OUTSIDE };
static const char *const methods[] = {"casa_dense", "casa_reverse"};

/* Pairs whose interpolant is as accurate as their steps; see test_cfsa.c for the exponents. Of a cubic the error falls
 * as tol^(4/6) with verner65, as tol^(4/8) with fehlberg78, for whose order an interval may be two steps long at 1e-5,
 * and no worse than it is at 1e-7. */
static void error_follows_the_tolerance(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double least;
    } pairs[] = {{"dopri5", 0.75}, {"tsit5", 0.75}, {"verner65", 0.75}, {"fehlberg78", 0.6}};
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            check_slope(reg->problems[i]->name, "casa_dense", pairs[k].name, NULL, pairs[k].least, 1.3);
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

/* ---- mu in and out of the error test ------------------------------------------------------------------- */

static double error_at(const char *problem, const char *cost, const char *method, int quad_test, double tol)
{
    struct method_bed bed;
    size_t count;
    bed_create(&bed, problem, cost, NULL);
    set_accuracy(&bed, "dopri5", tol);
    assert_int_equal(bed_run(&bed, method, "quad_test", (double)quad_test, NULL), SENS_OK);
    sens_real *gradient = bed_gradient(&bed, &count);
    const double error = distance_to("discrete_adjoint", &bed, gradient, count);
    free(gradient);
    bed_free(&bed);
    return error;
}

/* The truth is the derivative of steps of order eight at 1e-12. Over five decades of the tolerance, between a limit
 * that rounding has not yet and one where the steps are many. */
static void both_tests_follow_the_tolerance(void **state)
{
    (void)state;
    const char *const costs[] = {"identity", "running", "tracking"}, *const problems[] = {"glv",
                                                                                          "oscillator"};
    for (size_t q = 0; q < 24; q++) {
        const char *cost = costs[q % 3], *problem = problems[q / 3 % 2], *method = methods[q / 6 % 2];
        const int quad_test = q < 12 ? INSIDE : OUTSIDE;
        const double loose = error_at(problem, cost, method, quad_test, 1e-5),
                     tight = error_at(problem, cost, method, quad_test, 1e-10);
        const double slope = log10(loose / tight) / 5;
        if (!(slope >= 0.75 && slope <= 1.3))
            fail_msg("%s, %s, %s, quad_test %d: errors %g at 1e-5 and %g at 1e-10, slope %g", problem, cost,
                     method, quad_test, loose, tight, slope);
    }
}

struct shape { /* of a case on equal steps */
    const char *problem, *cost, *tableau;
    double n;
    bool structure;
    int lanes;
    size_t cache; /* bytes of the second level, which chooses the points of a batch, and of the third */
    bool room;    /* for the points of a step: mu is no part of the system */
};

static sens_real *on_equal_steps(struct method_bed *bed, const struct shape *shape, const char *method,
                                 int quad_test, size_t *count)
{
    bed_create(bed, shape->problem, shape->cost, "n", shape->n, NULL);
    set_cost(bed, "discount", 0.5); /* the integrand depends on t */
    if (!shape->structure) bed->problem.structure = NULL;
    bed->task.lanes = shape->lanes;
    bed->ctx.cache.l2 = bed->ctx.cache.l3 = shape->cache;
    fix_steps(bed, named(bed->registry->tableaux, shape->tableau), 300);
    assert_int_equal(bed_run(bed, method, "quad_test", (double)quad_test, NULL), SENS_OK);
    return bed_gradient(bed, count);
}

/* On equal steps nothing is tested: mu is the same sum, a stage at a time within the solver or in batches after
 * it, to the rounding of its 2000 terms. Batches of 72 points, and of P / n where the cache is small; where
 * that is less than a step has, mu stays in the system. */
static void outside_sums_what_inside_solves(void **state)
{
    (void)state;
    const struct shape shapes[] = {{"glv", "identity", "cash_karp", 11, true, 4, 0, true},
                                   {"glv", "identity", "dopri5", 11, true, 0, 1, true},
                                   {"glv", "running", "dop853", 3, true, 2, 0, true},
                                   {"glv", "tracking", "rk4", 11, false, 3, 0, true},
                                   {"heat", "identity", "rk4", 5, true, 3, 1, false},
                                   {"heat", "running", "euler", 5, false, 0, 0, true},
                                   {"conduction", "running", "rk4", 6, true, 1, 2000, true}};
    for (size_t q = 0; q < 2 * sizeof shapes / sizeof shapes[0]; q++) {
        const struct shape *shape = &shapes[q / 2];
        const char *method = methods[q % 2];
        struct method_bed in, out;
        size_t count;
        if (strcmp(method, "casa_reverse") == 0 && strcmp(shape->problem, "glv") != 0)
            continue; /* unstable */
        sens_real *inside = on_equal_steps(&in, shape, method, INSIDE, &count);
        sens_real *outside = on_equal_steps(&out, shape, method, OUTSIDE, &count);
        assert_int_equal(in.work.steps_reverse, out.work.steps_reverse);
        const double apart = relative_error(count, outside, inside);
        if (!(apart < 1e-13 && (out.work.batch > 0) == shape->room))
            fail_msg("%s, %s, %s, %s: inside and outside are %g apart", method, shape->problem, shape->cost,
                     shape->tableau, apart);
        free(inside);
        free(outside);
        bed_free(&in);
        bed_free(&out);
    }
}

/* On equal steps groups of blocks are solved for one after the other, where they would not stay in the cache together:
 * the bits of all at once. Groups of one block, of four (where J is formed), and a last one that is narrower. */
static void groups_are_independent(void **state)
{
    (void)state;
    const struct shape shapes[] = {{"heat", "identity", "rk4", 5, true, 3, 1, false},
                                   {"heat", "identity", "dopri5", 6, true, 4, 1, false},
                                   {"glv", "identity", "cash_karp", 35, true, 8, 1, false},
                                   {"glv", "identity", "rk4", 35, false, 4, 1, false},
                                   {"conduction", "identity", "rk4", 12, false, 5, 1, false}};
    for (size_t q = 0; q < sizeof shapes / sizeof shapes[0]; q++) {
        struct shape all = shapes[q];
        struct method_bed apart, together;
        size_t count;
        all.cache = (size_t)1 << 40;
        sens_real *one = on_equal_steps(&apart, &shapes[q], "casa_dense", INSIDE, &count);
        sens_real *two = on_equal_steps(&together, &all, "casa_dense", INSIDE, &count);
        assert_int_equal(apart.work.steps_reverse, together.work.steps_reverse);
        assert_true(apart.work.steps_reverse == 300);
        assert_true(apart.ctx.arena.peak < together.ctx.arena.peak); /* there were groups */
        if (memcmp(one, two, count * sizeof *one) != 0)
            fail_msg("%s, %s: groups are %g apart from all at once", all.problem, all.tableau,
                     relative_error(count, one, two));
        free(one);
        free(two);
        bed_free(&apart);
        bed_free(&together);
    }
}

/* Products by df/dp outside: of accepted steps, and of stages with b_i != 0, four of Cash-Karp's six. */
static void outside_asks_for_products_of_accepted_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct method_bed bed;
        bed_create(&bed, "glv", "identity", "n", 11.0, NULL);
        bed.task.dt = 2; /* too long: some steps are rejected */
        assert_int_equal(bed_run(&bed, methods[i], "quad_test", (double)OUTSIDE, NULL), SENS_OK);
        assert_true(bed.work.rejects_reverse > 0);
        assert_int_equal(bed.work.vjp_p, 4 * (size_t)bed.work.steps_reverse * bed.cost.m);
        assert_true(bed.work.vjp > 5 * (size_t)bed.work.steps_reverse * bed.cost.m);
        bed_free(&bed);
    }
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

/* casa_dense at tol 1e-10 with one more option, against the closed form. */
static struct outcome outcome_of(struct method_bed *bed, int quad_test, const char *option, double value)
{
    size_t count;
    sens_real *exact = closed_form(bed);
    assert_non_null(exact);
    set_accuracy(bed, "dopri5", 1e-10);
    assert_int_equal(bed_run(bed, "casa_dense", "quad_test", (double)quad_test, option, value, NULL),
                     SENS_OK);
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
    return outcome_of(&bed, INSIDE, option, value);
}

/* y' = p t^q: lambda is constant, its error 0 whatever the step; only the test of mu = int t^q dt asks for
 * small ones. */
static struct outcome quadrature_outcome(int quad_test, const char *option, double value)
{
    struct method_bed bed;
    bed_create(&bed, "forced", "identity", "form", 1.0, "q", 20.0, "T", 1.0, NULL);
    return outcome_of(&bed, quad_test, option, value);
}

/* Each tolerance that is loosened from 1e-10 to 1e-4 costs digits and saves steps, both by far: a pair of
 * order five takes 1e6^(1/5) = 16 times fewer. */
static void tolerances_of_their_own(void **state)
{
    (void)state;
    const struct outcome logistic = logistic_outcome("rtol_b", 0),
                         quadrature = quadrature_outcome(INSIDE, "rtol_q", 0);
    assert_true(logistic.error < 1e-8 && quadrature.error < 1e-8);
    const char *const lambda[] = {"rtol_b", "atol_b"}, *const mu[] = {"rtol_q", "atol_q"};
    for (int q = 0; q < 2; q++) {
        const struct outcome loose = logistic_outcome(lambda[q], 1e-4);
        assert_true(loose.error > 100 * logistic.error && loose.error < 1e-2);
        assert_true(loose.steps < logistic.steps / 2);
        const struct outcome loose_mu = quadrature_outcome(INSIDE, mu[q], 1e-4);
        assert_true(loose_mu.error > 100 * quadrature.error && loose_mu.error < 1e-1);
        assert_true(loose_mu.steps < quadrature.steps / 2);
    }
}

static void quadratures_in_the_test_are_controlled(void **state)
{
    (void)state;
    const struct outcome inside = quadrature_outcome(INSIDE, NULL, 0),
                         outside = quadrature_outcome(OUTSIDE, NULL, 0);
    assert_true(inside.error < 1e-8 && outside.error > 1e-4);
    const struct outcome loose = quadrature_outcome(OUTSIDE, "rtol_q", 1e-2); /* of a test that is not made */
    assert_true(loose.error == outside.error && loose.steps == outside.steps);
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
        cmocka_unit_test(both_tests_follow_the_tolerance),
        cmocka_unit_test(outside_sums_what_inside_solves),
        cmocka_unit_test(groups_are_independent),
        cmocka_unit_test(outside_asks_for_products_of_accepted_steps),
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
