/* When Newton's method is at its end: after corrections as given, of a state of 1. */
#include "newton.h"
#include "testing.h"

enum { MOST = 8 };

static const struct sens_ode_part part = {.count = 1, .rtol = 1e-8, .atol = 1e-8, .tested = true};
static const struct sens_ode ode = {.n = 1, .n_parts = 1, .part = &part};

/* After how many of these corrections it is, 0: of none. */
static int ends_after(int count, const double *correction)
{
    const sens_real Y = 1;
    struct sens_newton it = {.size = 0};
    for (int k = 0; k < count; k++) {
        const enum sens_newton_next next = sens_newton_judge(&ode, 1, &correction[k], &Y, &it);
        if (next == SENS_NEWTON_DONE) return k + 1;
    }
    return 0;
}

/* What is left is at most theta / (1 - theta) of the last one. */
static void test_linear_convergence(void **state)
{
    (void)state;
    const double shrink[MOST] = {1e-2, 1e-6, 1e-10, 1e-14, 1e-18};
    assert_int_equal(ends_after(5, shrink), 4);
}

/* The second passes through 0: its ratio is 1e-7, the one that follows 6e-5. After the second 6e-14 is left. */
static void test_lucky_ratio(void **state)
{
    (void)state;
    const double lucky[MOST] = {1e-2, 1e-9, -6e-14, 4e-18};
    assert_int_equal(ends_after(4, lucky), 3);
}

/* Of a linear f by the right matrix the second correction is rounding. */
static void test_linear_problem(void **state)
{
    (void)state;
    const double rounding[MOST] = {1e-2, 3e-17};
    assert_int_equal(ends_after(2, rounding), 2);
}

/* Corrections that do not shrink are at their end where they are rounding, and fail where they are not. */
static void test_no_convergence(void **state)
{
    (void)state;
    const double noise[MOST] = {1e-13, 1e-14, 9e-15}, stuck[MOST] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    assert_int_equal(ends_after(3, noise), 3);
    assert_int_equal(ends_after(5, stuck), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_convergence),
        cmocka_unit_test(test_lucky_ratio),
        cmocka_unit_test(test_linear_problem),
        cmocka_unit_test(test_no_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
