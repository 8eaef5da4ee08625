/* finite_difference: the mean of the exact derivative over the bump, by closed forms; its model of truncation
 * and rounding; and, on the frozen grid, the derivative of the discrete map. */
#include "support.h"

enum scheme { FORWARD, CENTRAL };
enum bump_kind { RELATIVE, ABSOLUTE };
enum grid { OWN, FROZEN };
enum { MAX_N = 16, MAX_NP = 64 };

static sens_status difference(struct method_bed *bed, enum scheme scheme, enum bump_kind kind, double bump,
                              enum grid grid)
{
    return bed_run(bed, "finite_difference", "scheme", (double)scheme, "bump_kind", (double)kind, "bump",
                   bump, "grid", (double)grid, NULL);
}

/* An accurate solve of the problem with the cost `identity`; false when it is too large or has no closed
 * form. */
static bool exact_bed(struct method_bed *bed, const struct sens_problem_type *type)
{
    if (!type->exact || type->many_states) return false;
    bed_create(bed, type->name, "identity", NULL);
    bed->task.tableau = named(bed->registry->tableaux, "dop853");
    bed->task.controller = named(bed->registry->controllers, "hairer-pi");
    bed->task.rtol = bed->task.atol = 1e-13;
    sens_real x[MAX_N];
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = bed->problem.t1};
    if (bed->problem.n <= MAX_N && bed->problem.np <= MAX_NP &&
        type->exact(&bed->problem, &query, bed->problem.p, x, NULL, NULL))
        return true;
    bed_free(bed);
    return false;
}

/* Column k of the exact derivative with q_k moved by `shift`; q as in finite_difference.c. */
static bool exact_column(const struct method_bed *bed, size_t k, double shift, sens_real *column /*[n]*/)
{
    const size_t n = bed->problem.n, np = bed->problem.np;
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = bed->problem.t1};
    sens_real p[MAX_NP], x0[MAX_N], x[MAX_N], S[MAX_N * MAX_NP], S0[MAX_N * MAX_N];
    struct sens_problem moved = bed->problem;
    memcpy(p, bed->problem.p, np * sizeof *p);
    memcpy(x0, bed->problem.x0, n * sizeof *x0);
    *(k < np ? &p[k] : &x0[k - np]) += shift;
    moved.x0 = x0;
    if (!moved.type->exact(&moved, &query, p, x, S, S0)) return false;
    for (size_t i = 0; i < n; i++) column[i] = k < np ? S[i * np + k] : S0[i * n + k - np];
    return true;
}

static double nominal(const struct method_bed *bed, size_t k)
{
    return k < bed->problem.np ? bed->problem.p[k] : bed->problem.x0[k - bed->problem.np];
}

static double computed(const struct method_bed *bed, size_t k, size_t i)
{
    const size_t n = bed->problem.n, np = bed->problem.np;
    return k < np ? bed->out.dGdp[i * np + k] : bed->out.dGdx0[i * n + k - np];
}

/* The quotient is the mean of dG/dq over the interval of the bump, here by Simpson's rule. */
static void check_column(const struct method_bed *bed, size_t k, enum scheme scheme, double h)
{
    sens_real left[MAX_N], middle[MAX_N], right[MAX_N];
    const double start = scheme == CENTRAL ? -h : 0;
    if (!exact_column(bed, k, start, left) || !exact_column(bed, k, (start + h) / 2, middle) ||
        !exact_column(bed, k, h, right))
        return; /* a closed form of the nominal case only */
    for (size_t i = 0; i < bed->problem.n; i++) {
        const double mean = (left[i] + 4 * middle[i] + right[i]) / 6;
        /* The solve's own error and its rounding over the bump; Simpson's (2h)^4/2880 is below them for h <=
         * 1e-3. */
        const double bound = 1e-10 * (1 + fabs(mean)) + 1e-14 * (1 + fabs(bed->out.x[i])) / h;
        if (!(fabs(computed(bed, k, i) - mean) <= bound))
            fail_msg("%s: dx_%zu/dq_%zu is %.12g, not %.12g", bed->problem.type->name, i, k,
                     computed(bed, k, i), mean);
    }
}

static void quotient_is_the_mean_derivative(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    size_t problems = 0;
    for (size_t j = 0; reg->problems[j]; j++) {
        struct method_bed bed;
        if (!exact_bed(&bed, reg->problems[j])) continue;
        for (int variant = 0; variant < 8; variant++) {
            const enum scheme scheme = variant & 1 ? CENTRAL : FORWARD;
            const enum bump_kind kind = variant & 2 ? ABSOLUTE : RELATIVE;
            const double bump = variant & 4 ? 1e-3 : 1e-5;
            assert_int_equal(difference(&bed, scheme, kind, bump, FROZEN), SENS_OK);
            for (size_t k = 0; k < bed.problem.np + bed.problem.n; k++) {
                const double size = fabs(nominal(&bed, k));
                check_column(&bed, k, scheme, kind == RELATIVE && size > 0 ? bump * size : bump);
            }
        }
        problems++;
        bed_free(&bed);
    }
    assert_true(problems >= 5);
}

/* decay: G = e^(-k T), so dG/dk = -T G, G'' = T^2 G, G''' = -T^3 G. A solve of some 30 steps rounds G by a
 * few eps. */
static void error_follows_the_model(void **state)
{
    (void)state;
    struct method_bed bed;
    assert_true(exact_bed(&bed, named(sens_registry_baseline()->problems, "decay")));
    const double T = bed.problem.t1, G = exp(-T * bed.problem.p[0]), rounding = 8 * SENS_EPSILON * G;
    for (int exponent = 1; exponent <= 14; exponent++) {
        const double h = pow(10, -exponent),
                     beyond = exp(T * h); /* growth of the next derivative over the bump */
        const double model[] = {h / 2 * T * T * G, h * h / 6 * T * T * T * G};
        for (int scheme = FORWARD; scheme <= CENTRAL; scheme++) {
            assert_int_equal(difference(&bed, (enum scheme)scheme, ABSOLUTE, h, FROZEN), SENS_OK);
            const double error = fabs(bed.out.dGdp[0] + T * G), noise = 1e-12 + rounding / h;
            assert_true(error <= beyond * model[scheme] + noise);
            assert_true(error >= model[scheme] / beyond - noise);
        }
    }
    bed_free(&bed);
}

/* |dG - exact|_2 / |exact|_2 with the default bump. */
static double default_error(struct method_bed *bed, enum scheme scheme, enum grid grid)
{
    double difference_2 = 0, size_2 = 0;
    assert_int_equal(difference(bed, scheme, RELATIVE, 0, grid), SENS_OK);
    for (size_t k = 0; k < bed->problem.np; k++) {
        sens_real column[MAX_N];
        assert_true(exact_column(bed, k, 0, column));
        for (size_t i = 0; i < bed->problem.n; i++) {
            difference_2 += pow(computed(bed, k, i) - column[i], 2);
            size_2 += pow(column[i], 2);
        }
    }
    return sqrt(difference_2 / size_2);
}

/* With the best bumps, eps^(1/2) = 1.5e-8 against eps^(2/3) = 4e-11, each times a constant of the problem. */
static void central_is_better_than_forward(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t j = 0; reg->problems[j]; j++) {
        struct method_bed bed;
        if (!exact_bed(&bed, reg->problems[j])) continue;
        const double forward = default_error(&bed, FORWARD, FROZEN),
                     central = default_error(&bed, CENTRAL, FROZEN);
        if (!(central <= 1e-9 && forward <= 1e-6 && (central < forward / 10 || forward < 1e-9)))
            fail_msg("%s: forward %g, central %g", bed.problem.type->name, forward, central);
        /* On its own grid the noise is tol over the bump. */
        assert_true(default_error(&bed, CENTRAL, OWN) <= 1e-13 / 6e-6 * 100);
        bed_free(&bed);
    }
}

/* Relative distance of the central quotient on the frozen grid from the discrete tangent. */
static double distance(struct method_bed *bed, const sens_real *tangent, double bump)
{
    size_t count;
    assert_int_equal(difference(bed, CENTRAL, RELATIVE, bump, FROZEN), SENS_OK);
    sens_real *gradient = bed_gradient(bed, &count);
    const double error = relative_error(count, gradient, tangent);
    free(gradient);
    return error;
}

/* At a tolerance so loose that the discrete derivative and that of the solution differ in the third digit,
 * the quotient goes to the former, with the square of the bump: 100 times closer for a tenth of it. */
static void check_convergence(const char *problem, const char *cost)
{
    struct method_bed bed;
    bed_create(&bed, problem, cost, NULL);
    bed.task.rtol = bed.task.atol = 1e-3;
    assert_int_equal(bed_run(&bed, "discrete_tangent", NULL), SENS_OK);
    const struct sens_work work = bed.work;
    const sens_real G = bed.out.G[0], x = bed.out.x[0];
    size_t count;
    sens_real *tangent = bed_gradient(&bed, &count);
    const double far = distance(&bed, tangent, 1e-2), near = distance(&bed, tangent, 1e-3);
    if (!(near <= 1e-4 && (near <= far / 50 || near <= 1e-11)))
        fail_msg("%s, %s: distance from the tangent %g, then %g", problem, cost, far, near);
    assert_int_equal(bed.work.steps, work.steps);
    assert_int_equal(bed.work.rejects, work.rejects);
    assert_true(bed.out.G[0] == G && bed.out.x[0] == x);
    free(tangent);
    bed_free(&bed);
}

static void frozen_grid_converges_to_the_tangent(void **state)
{
    (void)state;
    static const char *const problem[] = {"glv", "forced", "initial", "logistic", "oscillator"};
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; i < sizeof problem / sizeof *problem; i++)
        for (size_t j = 0; reg->costs[j]; j++) check_convergence(problem[i], reg->costs[j]->name);
}

static void failures_are_statuses(void **state)
{
    (void)state;
    struct method_bed bed;
    bed_create(&bed, "logistic", "identity", NULL);
    assert_int_equal(difference(&bed, FORWARD, RELATIVE, 1e-20, OWN), SENS_BAD_INPUT);
    bed.task.max_steps = 2;
    assert_int_equal(difference(&bed, FORWARD, RELATIVE, 0, OWN), SENS_STEP_LIMIT);
    assert_int_equal(difference(&bed, FORWARD, RELATIVE, 0, FROZEN), SENS_STEP_LIMIT);
    bed_free(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotient_is_the_mean_derivative),
        cmocka_unit_test(error_follows_the_model),
        cmocka_unit_test(central_is_better_than_forward),
        cmocka_unit_test(frozen_grid_converges_to_the_tangent),
        cmocka_unit_test(failures_are_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
