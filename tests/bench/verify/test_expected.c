/* What the checks expect, against closed forms: the derivative of a map and of a solution, the steps, and what
 * rounding, a tolerance and a difference quotient may do. */
#include "expected_support.h"
#include "probe.h"

/* ---- values -------------------------------------------------------------------------------------------- */

static void map_is_the_closed_form(void **state)
{
    static const long steps[] = {1, 4, 40};
    (void)state;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        struct fixture f;
        struct expected forward, reverse;
        struct oracle oracle;
        const struct known known = closed_form(steps[k]);
        fixture_create(&f, &discrete_method, steps[k]);
        assert_int_equal(expected_map(&f.bed, &f.grid, &forward), SENS_OK);
        assert_int_equal(expected_map_in_reverse(&f.bed, &f.grid, &reverse), SENS_OK);
        assert_known(&forward.value, &known, &forward.bound);
        assert_known(&reverse.value, &known, &reverse.bound);
        struct sens_out adjoint = bed_shape(&f.bed);
        oracle_create(&f.bed, f.bed.task.tableau, &f.grid, &oracle);
        assert_int_equal(oracle_adjoint(&oracle, &adjoint), SENS_OK);
        assert_known(&adjoint, &known, &forward.bound);
        fixture_free(&f);
    }
}

/* A bound that holds is worth something only where it is small: 32 times some ten roundings, and 4 eps at
 * least. */
static void rounding_is_small(void **state)
{
    struct fixture f;
    struct expected map;
    (void)state;
    fixture_create(&f, &discrete_method, 4);
    assert_int_equal(expected_map(&f.bed, &f.grid, &map), SENS_OK);
    for (size_t q = 0; q < M * NP; q++) {
        const double largest = fmax(fabs(map.value.dGdp[q / NP * NP]), fabs(map.value.dGdp[q / NP * NP + 2]));
        const bool zero = map.value.dGdp[q] == 0;
        assert_true(zero || map.bound.dGdp[q] >= 4 * DBL_EPSILON * fabs(map.value.dGdp[q]));
        assert_true(map.bound.dGdp[q] <= 32 * 64 * DBL_EPSILON * largest);
    }
    struct worst wrong = {.count = 0};
    map.value.dGdp[1] *= 1 + 1e-11;
    const struct known known = closed_form(4);
    for (size_t q = 0; q < M * NP; q++)
        worst_note(&wrong, fabs(map.value.dGdp[q] - known.dGdp[q]), map.bound.dGdp[q], "entry %zu", q);
    assert_false(worst_passes(&wrong));
    fixture_free(&f);
}

static void exact_is_the_closed_form(void **state)
{
    struct fixture f;
    struct expected exact, reverse, stiff;
    struct sens_out truth, unsure;
    const struct known known = closed_form(0);
    (void)state;
    fixture_create(&f, &continuous_method, 0);
    assert_int_equal(expected_exact(&f.bed, &exact), SENS_OK);
    assert_int_equal(expected_exact_in_reverse(&f.bed, &reverse), SENS_OK);
    assert_int_equal(oracle_stiff_truth(&f.bed, &truth, &unsure), SENS_OK);
    assert_int_equal(expected_stiff(&f.bed, &stiff), SENS_OK);
    assert_known(&exact.value, &known, &exact.bound);
    assert_known(&reverse.value, &known, &reverse.bound);
    assert_known(&truth, &known, &unsure);
    assert_known(&stiff.value, &known, &unsure);
    assert_true(expected_weakness(&f.bed, &exact) < 1e-11);
    assert_true(expected_weakness(&f.bed, &reverse) < 1e-11);
    fixture_free(&f);
}

/* x and dx/dq of the closed form, as the problem's own. */
static bool linear_exact(const struct sens_problem *pb, const struct sens_exact_query *query, const double *p,
                         double *x, double *S, double *S0)
{
    const bool discrete = query->level == SENS_EXACT_DISCRETE;
    if (discrete && strcmp(query->tableau->name, "rk4") != 0) return false;
    const struct known known = closed_form_at(p, pb->x0, discrete ? lround(LENGTH / query->dt) : 0);
    memcpy(x, known.x, sizeof known.x);
    /* From the gradient of G = (x_0^2, x_0 x_1), solved for that of x. */
    for (size_t k = 0; S && k < NP; k++) {
        S[k] = known.dGdp[k] / (2 * x[0]);
        S[NP + k] = (known.dGdp[NP + k] - x[1] * S[k]) / x[0];
    }
    for (size_t k = 0; S0 && k < N; k++) {
        S0[k] = known.dGdx0[k] / (2 * x[0]);
        S0[N + k] = (known.dGdx0[N + k] - x[1] * S0[k]) / x[0];
    }
    return true;
}

/* Closed forms of a problem go before fine steps, and through the cost. */
static void forms_are_used(void **state)
{
    struct fixture f;
    struct expected exact;
    struct sens_out value;
    struct sens_problem_type formed = linear_type;
    (void)state;
    fixture_create(&f, &discrete_method, 8);
    assert_false(expected_discrete_form(&f.bed, &value));
    assert_false(expected_has_form(&f.v, &f.bed.problem));
    formed.exact = linear_exact;
    f.bed.problem.type = &formed;
    assert_true(expected_has_form(&f.v, &f.bed.problem));
    assert_true(expected_discrete_form(&f.bed, &value));
    assert_int_equal(expected_exact(&f.bed, &exact), SENS_OK);
    const struct known map = closed_form(8), known = closed_form(0);
    for (size_t i = 0; i < N; i++) assert_true(exact.value.x[i] == known.x[i] && value.x[i] == map.x[i]);
    assert_within(M * NP, value.dGdp, map.dGdp, NULL, "dGdp of the form");
    assert_within(M * N, exact.value.dGdx0, known.dGdx0, NULL, "dGdx0 of the form");
    const double early = LENGTH / 2;
    f.bed.cost.t_obs = &early; /* not the final state alone: the form cannot be used */
    assert_false(expected_discrete_form(&f.bed, &value));
    fixture_free(&f);
}

/* ---- quotients ----------------------------------------------------------------------------------------- */

/* x is linear in x0, so that G bends by G'' = 2 dx_0/dx0_k dx_i/dx0_k alone: a quotient over 64 bumps is off by
 * half of that times them, and the noise of two values comes over one. */
static void quotient_is_truncation_and_noise(void **state)
{
    enum { STEPS = 8 };
    static const double noise[M] = {1e-13, 3e-12};
    struct fixture f;
    (void)state;
    fixture_create(&f, &difference_method, STEPS);
    struct expected allowed = expected_zero(&f.bed);
    memcpy(allowed.bound.G, noise, sizeof noise);
    assert_int_equal(expected_allow_quotient(&f.bed, &f.grid, &allowed), SENS_OK);
    for (size_t k = 0; k < N; k++) {
        double x0[N] = {0, 0};
        x0[k] = 1;
        const struct known unit = closed_form_at(P, x0, STEPS); /* x of it is column k of dx/dx0 */
        const double curvature[M] = {2 * unit.x[0] * unit.x[0], 2 * unit.x[0] * unit.x[1]};
        const double bump = sqrt(DBL_EPSILON) * fabs(X0[k]);
        for (size_t c = 0; c < M; c++) {
            const double truncation = 32 * bump * fabs(curvature[c]), rounding = 2 * noise[c] / bump;
            const double want = truncation + rounding, got = allowed.bound.dGdx0[c * N + k];
            if (!(fabs(got - want) <= 1e-3 * want)) fail_msg("[%zu][%zu] %.6g is not %.6g", c, k, got, want);
        }
    }
    assert_true(allowed.bound.G[0] == noise[0] && allowed.bound.G[1] == noise[1]);
    fixture_free(&f);
}

/* What is allowed holds forward and two-sided quotients of bumps of the best size, and nothing a thousandth
 * off. */
static void quotients_are_within(void **state)
{
    enum { STEPS = 8 };
    struct fixture f;
    struct expected expected;
    const struct known here = closed_form(STEPS);
    (void)state;
    fixture_create(&f, &difference_method, STEPS);
    assert_int_equal(expected_declared(&f.bed, &expected), SENS_OK);
    for (size_t k = 0; k < NP; k++) {
        double p[NP];
        memcpy(p, P, sizeof p);
        const double bump = sqrt(DBL_EPSILON) * P[k];
        p[k] += bump;
        const struct known above = closed_form_at(p, X0, STEPS);
        for (size_t c = 0; c < M; c++) {
            const double quotient = (above.G[c] - here.G[c]) / bump, right = expected.value.dGdp[c * NP + k];
            assert_true(fabs(quotient - right) <= expected.bound.dGdp[c * NP + k]);
            assert_true(right == 0 || fabs(1e-3 * right) > expected.bound.dGdp[c * NP + k]);
        }
    }
    fixture_free(&f);
}

static sens_status failing_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    (void)at;
    (void)dx;
    return SENS_NONFINITE;
}

static void difference_finds_its_steps(void **state)
{
    struct fixture f;
    struct expected expected;
    struct sens_problem_type broken = linear_type;
    (void)state;
    fixture_create(&f, &difference_method, 8);
    const long steps = expected_difference(&f.bed, &expected);
    assert_true(steps > 0 && steps % 8 == 0);
    const struct known known = closed_form(steps);
    assert_known(&expected.value, &known, &expected.bound);
    assert_true(expected_weakness(&f.bed, &expected) < 1e-2);
    broken.rhs = failing_rhs;
    f.bed.problem.type = &broken;
    assert_int_equal(expected_difference(&f.bed, &expected), 0);
    assert_non_null(strstr(expected.why, "own solve fails"));
    fixture_free(&f);
}

/* ---- tolerances ---------------------------------------------------------------------------------------- */

/* x_1 decays by itself: an error of rtol |x| + atol after each step, of one sign, ends as their sum, each
 * multiplied by what the rest of the map does to it; 16 times that is allowed. On fine steps the truncation of
 * coarser ones at the tolerance is small beside it. */
static void errors_add_up(void **state)
{
    enum { STEPS = 200 };
    const struct local_error errors[] = {{1e-7, 0}, {0, 1e-7}, {2e-7, 3e-7}};
    struct fixture f;
    double step, unused, sum[3] = {0};
    (void)state;
    fixture_create(&f, &continuous_method, STEPS);
    assert_true(bed_tableau(&f.bed, "dopri5"));
    propagate(-P[2], STEPS, &step, &unused);
    step = pow(step, 1.0 / STEPS);
    for (int k = 1; k <= STEPS; k++) {
        const double x = fabs(X0[1]) * pow(step, k), rest = pow(step, STEPS - k);
        for (size_t e = 0; e < 3; e++) sum[e] += rest * (errors[e].rtol * x + errors[e].atol);
    }
    for (size_t e = 0; e < 3; e++) {
        struct expected allowed = expected_zero(&f.bed);
        assert_int_equal(expected_allow_errors(&f.bed, &f.grid, errors[e], &allowed), SENS_OK);
        const double got = allowed.bound.x[1], want = 16 * sum[e];
        if (!(fabs(got - want) <= 1e-3 * want)) fail_msg("case %zu: %.6g is not %.6g", e, got, want);
    }
    fixture_free(&f);
}

static void local_errors(void **state)
{
    struct fixture f;
    struct sens_tableau tableau;
    (void)state;
    fixture_create(&f, &continuous_method, 0);
    f.bed.task.rtol = 1e-8;
    f.bed.task.atol = 1e-6;
    assert_true(expected_local_error(&f.bed).rtol == 8e-8);
    assert_true(expected_local_error(&f.bed).atol == 8e-6);
    tableau = *f.bed.task.tableau;
    f.bed.task.tableau = &tableau;
    tableau.order_hat = 4; /* errors tol = C h^5 */
    tableau.dense_order = 3;
    assert_true(fabs(expected_interpolant_error(&f.bed).rtol / pow(10, -8 * 4.0 / 5) - 1) <= 1e-12);
    assert_true(fabs(expected_interpolant_error(&f.bed).atol / pow(10, -6 * 4.0 / 5) - 1) <= 1e-12);
    tableau.dense_order = 4;
    assert_true(expected_interpolant_error(&f.bed).rtol == 1e-8);
    tableau.dense_order = 7; /* no better than the steps */
    assert_true(expected_interpolant_error(&f.bed).rtol == 1e-8);
    fixture_free(&f);
}

static void horizon_is_the_interval(void **state)
{
    struct fixture f;
    struct bed bed;
    struct expected exact, expected;
    const struct known known = closed_form(0);
    (void)state;
    fixture_create(&f, &continuous_method, 0);
    const struct horizon want = {&f.bed.problem, &continuous_method, 1e-8, PROBE_AT_T1, NULL, false};
    assert_int_equal(expected_horizon(&f.v, &want, &bed, &exact, &expected), SENS_OK);
    assert_true(bed.problem.t1 == LENGTH && bed.task.rtol == 1e-8 && bed.task.atol == 1e-8);
    assert_within(N, expected.value.x, known.x, exact.bound.x, "x");
    struct expected allowed = expected_zero(&bed);
    assert_true(expected_grid(&bed, &f.grid));
    assert_int_equal(expected_allow_errors(&bed, &f.grid, expected_interpolant_error(&bed), &allowed),
                     SENS_OK);
    for (size_t i = 0; i < N; i++) assert_true(expected.bound.x[i] == allowed.bound.x[i] + exact.bound.x[i]);
    for (size_t i = 0; i < N; i++) assert_true(allowed.bound.x[i] > 1e-8 * fabs(known.x[i]));
    assert_true(expected_weakness(&bed, &expected) < 1e-2);
    bed_free(&bed);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(map_is_the_closed_form),
                                       cmocka_unit_test(rounding_is_small),
                                       cmocka_unit_test(exact_is_the_closed_form),
                                       cmocka_unit_test(forms_are_used),
                                       cmocka_unit_test(quotient_is_truncation_and_noise),
                                       cmocka_unit_test(quotients_are_within),
                                       cmocka_unit_test(difference_finds_its_steps),
                                       cmocka_unit_test(errors_add_up),
                                       cmocka_unit_test(local_errors),
                                       cmocka_unit_test(horizon_is_the_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
