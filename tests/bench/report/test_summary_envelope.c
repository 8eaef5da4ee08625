/* The time to an accuracy from the points of one curve, with known answers. */
#include "summary_support.h"

#include <math.h>

/* The time where it is no bound. */
static double reached(size_t count, double error[], double seconds[], double goal)
{
    bool bound;
    const double found = accuracy_seconds(count, error, seconds, goal, &bound);
    assert_false(bound);
    return found;
}

/* t = e^(-1/4): a line in logarithms, so that any goal between the ends has its exact time. */
static void lines_are_met(void **state)
{
    (void)state;
    double error[] = {1e-3, 1e-11, 1e-5, 1e-9}, seconds[4];
    for (int i = 0; i < 4; i++) seconds[i] = pow(error[i], -0.25);
    assert_near(reached(4, error, seconds, 1e-4), 10);
    assert_near(reached(4, error, seconds, 1e-8), 100);
    assert_near(reached(4, error, seconds, 1e-5), pow(1e-5, -0.25)); /* a point of the curve */
    assert_true(reached(4, error, seconds, 1e-5) == pow(1e-5, -0.25));
}

/* Between (1e-4, 1) and (1e-6, 100) half of the decades is a tenfold time. */
static void logarithms_are_linear(void **state)
{
    (void)state;
    double error[] = {1e-6, 1e-4}, seconds[] = {100, 1};
    assert_near(reached(2, error, seconds, 1e-5), 10);
    assert_near(reached(2, error, seconds, 3e-5), pow(10, 2 * -log10(0.3) / 2));
}

static void nothing_is_extrapolated(void **state)
{
    (void)state;
    double error[] = {1e-6, 1e-4}, seconds[] = {100, 1};
    bool bound;
    assert_true(accuracy_seconds(2, error, seconds, 2e-4, &bound) == 1 && bound); /* looser might be faster */
    assert_true(isnan(reached(2, error, seconds, 9e-7)));
    assert_true(isnan(reached(0, error, seconds, 1e-5)));
    assert_true(accuracy_seconds(1, error, seconds, 1e-5, &bound) == 100 && bound);
    assert_true(reached(2, error, seconds, 1e-6) == 100); /* the ends are known */
    error[0] = NAN;
    assert_true(isnan(reached(2, error, seconds, 1e-5)));
}

/* A looser tolerance that is slower, a tighter one that is worse: both beaten by others. */
static void the_envelope_counts(void **state)
{
    (void)state;
    double error[] = {1e-2, 1e-4, 1e-5, 2e-5, 1e-6, 1e-6}, seconds[] = {50, 1, 60, 40, 100, 30};
    assert_near(reached(6, error, seconds, 1e-5), pow(30, 0.5)); /* between (1e-4, 1), (1e-6, 30) */
}

/* The fastest point is not the loosest: what it is more exact than takes its time, and is no bound, as the
 * looser tolerances were tried. */
static void the_fastest_need_not_be_the_loosest(void **state)
{
    (void)state;
    double error[] = {1e-2, 1e-4, 1e-6}, seconds[] = {50, 1, 30};
    assert_true(reached(3, error, seconds, 1e-2) == 1);
    assert_true(reached(3, error, seconds, 1e-3) == 1);
    assert_true(reached(3, error, seconds, 1e-4) == 1);
    assert_near(reached(3, error, seconds, 1e-5), pow(30, 0.5));
    assert_true(isnan(reached(3, error, seconds, 1e-7)));
    bool bound;
    assert_true(accuracy_seconds(3, error, seconds, 2e-2, &bound) == 1 && bound);
    double equal[] = {1e-3, 1e-3, 1e-5}, slow[] = {9, 2, 20}; /* of two with one error the faster */
    assert_near(reached(3, equal, slow, 1e-4), pow(40, 0.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_met),
        cmocka_unit_test(logarithms_are_linear),
        cmocka_unit_test(nothing_is_extrapolated),
        cmocka_unit_test(the_envelope_counts),
        cmocka_unit_test(the_fastest_need_not_be_the_loosest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
