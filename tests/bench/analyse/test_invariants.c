/* harness/analyse: rankings against their closed form; invariants found, kept and broken; directions in whole
 * numbers. */
#include <math.h>

#include "analysis_support.h"
#include "importance.h"
#include "invariants.h"
#include "whole.h"

/* y = y0 e^(-k t): p S/y = -k t, so that over t = 0, 1, 2, 3, 4 with k = 1/2 the sums are known. */
static void importance_of_decay(void **state)
{
    (void)state;
    struct analysed me;
    struct importance found;
    analysed_solve(&me, "problem=decay T=10 k=0.5 y0=3", "0:4:5");
    assert_int_equal(importance_rank(&me.ctx, &me.analysis, 0, 1, &found), SENS_OK);
    const double expected[IMPORTANCES] = {
        [MSQR] = 0.5 * sqrt(6), [MABS] = 1, [L1] = 5, [L2] = 0.5 * sqrt(30)};
    assert_int_equal(found.values, 5);
    for (size_t m = 0; m < IMPORTANCES; m++) {
        if (!(fabs(found.value[m] - expected[m]) < 1e-7))
            fail_msg("%s: %.12g", importance_name[m], found.value[m]);
        assert_true(found.error[m] >= 0 && found.error[m] < 1e-7);
    }
    me.analysis.scale = SCALE_LARGEST; /* of y0 at t = 0: y0 k t e^(-k t) / y0 */
    assert_int_equal(importance_rank(&me.ctx, &me.analysis, 0, 1, &found), SENS_OK);
    double sum = 0;
    for (int t = 0; t <= 4; t++) sum += 0.5 * t * exp(-0.5 * t);
    assert_true(fabs(found.value[L1] - sum) < 1e-7);
    analysed_end(&me);
    analysed_solve(&me, "problem=decay T=10 k=0 y0=3", "0:4:5");
    assert_int_equal(importance_rank(&me.ctx, &me.analysis, 0, 1, &found), SENS_OK);
    assert_int_equal(found.values, 0);
    for (size_t m = 0; m < IMPORTANCES; m++) assert_true(isnan(found.value[m]));
    analysed_end(&me);
}

static void the_largest_is_first(void **state)
{
    (void)state;
    struct analysed me;
    struct importance rank[3];
    analysed_solve(&me, "problem=robertson T=40", "40");
    assert_int_equal(importance_rank(&me.ctx, &me.analysis, 1, 1, rank), SENS_OK);
    assert_int_equal(rank[0].parameter, 2);
    assert_int_equal(rank[1].parameter, 1);
    assert_int_equal(rank[2].parameter, 0);
    analysed_end(&me);
}

/* ---- invariants ---------------------------------------------------------------------------------------- */

static void mass_of_robertson(void **state)
{
    (void)state;
    struct analysed me;
    struct invariants found;
    struct invariant_check check;
    char text[INVARIANT_TEXT];
    analysed_solve(&me, "problem=robertson T=40", NULL);
    assert_int_equal(invariants_find(&me.ctx, &me.analysis, &found), SENS_OK);
    assert_int_equal(found.count, 1);
    for (size_t i = 0; i < 3; i++) assert_true(found.c[i] == 1);
    invariant_text(&me.analysis, found.c, text);
    assert_string_equal(text, "x[0] + x[1] + x[2]");
    assert_int_equal(
        invariant_follow(&me.ctx, &me.analysis, &me.analysis.at_tol, found.c, found.depends, &check),
        SENS_OK);
    assert_true(check.value == 1 && check.drift_x < 1e-14 && check.drift_S < 1e-14);
    /* A millionth more in one entry of S of both solves, or in one of x, breaks it. */
    const size_t entry = 20 * 9 + 1;
    double *const x = me.analysis.at_tol.x + 20 * 3;
    const double right = me.analysis.at_tol.S[entry], state_right = *x;
    me.analysis.at_tol.S[entry] *= 1 + 1e-6, me.analysis.closer.S[entry] *= 1 + 1e-6;
    assert_int_equal(
        invariant_follow(&me.ctx, &me.analysis, &me.analysis.at_tol, found.c, found.depends, &check),
        SENS_OK);
    assert_true(check.drift_S > 1e-7 && check.drift_x < 1e-14);
    me.analysis.at_tol.S[entry] = right, me.analysis.closer.S[entry] = right;
    *x *= 1 + 1e-6;
    assert_int_equal(
        invariant_follow(&me.ctx, &me.analysis, &me.analysis.at_tol, found.c, found.depends, &check),
        SENS_OK);
    assert_true(check.drift_x > 1e-7 && check.drift_S < 1e-14);
    *x = state_right;
    analysed_end(&me);
}

static void none_where_there_is_none(void **state)
{
    (void)state;
    static const char *const without[] = {"problem=logistic", "problem=decay", "problem=glv n=4",
                                          "problem=vdp"};
    for (size_t w = 0; w < sizeof without / sizeof without[0]; w++) {
        struct analysed me;
        struct invariants found;
        analysed_solve(&me, without[w], "0.2");
        assert_int_equal(invariants_find(&me.ctx, &me.analysis, &found), SENS_OK);
        if (found.count) fail_msg("%s has none", without[w]);
        analysed_end(&me);
    }
}

/* ---- whole numbers ------------------------------------------------------------------------------------- */

static void whole_directions(void **state)
{
    (void)state;
    double ones[] = {-0.5, -0.5, 0}, thirds[] = {1.0 / 3, -0.5, 1e-12}, none[] = {1, 1.41421356},
           zeros[] = {0, 0};
    assert_true(whole_ratios(3, ones, 12, 1e-9) && ones[0] == 1 && ones[1] == 1 && ones[2] == 0);
    assert_true(whole_ratios(3, thirds, 12, 1e-9) && thirds[0] == 2 && thirds[1] == -3 && thirds[2] == 0);
    assert_false(whole_ratios(2, none, 1000, 1e-6));
    assert_true(fabs(none[1] - 1.41421356) < 1e-15);
    double large[] = {-1, 11.25};
    assert_false(whole_ratios(2, large, 12, 1e-9));
    assert_true(large[0] == 1 && large[1] == -11.25);
    assert_true(whole_ratios(2, large, 45, 1e-9) && large[0] == 4 && large[1] == -45);
    assert_false(whole_ratios(2, zeros, 12, 1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(importance_of_decay), cmocka_unit_test(the_largest_is_first),
        cmocka_unit_test(mass_of_robertson),   cmocka_unit_test(none_where_there_is_none),
        cmocka_unit_test(whole_directions),
    };
    return has_lapack() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
