/* harness/analyse: S(t) on a grid against closed forms at every time; grids, names and what is refused. */
#include <math.h>

#include "analysis_support.h"
#include "scaled.h"

/* At rtol 1e-8 with steps of order 5: the errors measured are below 1e-9, of a sign or a column that is wrong, 1. */
static const double bound = 1e-7;

static void slopes_are_the_closed_form(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "problem=logistic",
        "problem=decay",
        "problem=forced",
        "problem=initial",
        "problem=logistic method=finite_difference tableau=dopri5",
        "problem=logistic method=casa_dense tableau=dopri5 rtol=1e-10 atol=1e-12",
        "problem=logistic method=cfsa_gsl"};
    for (size_t c = 0; c < sizeof keys / sizeof keys[0]; c++) {
        struct analysed me;
        analysed_solve(&me, keys[c], NULL);
        const struct analysis *const analysis = &me.analysis;
        const size_t n = analysis->n, np = analysis->np;
        double *const x = SENS_NEW(&me.ctx, double, n), *const S = SENS_NEW(&me.ctx, double, n *np);
        assert_int_equal(analysis->grid.times, 21);
        for (size_t j = 0; j < analysis->grid.times; j++) {
            const struct sens_exact_query at = {.level = SENS_EXACT_ODE, .t = analysis->grid.t[j]};
            assert_true(me.cell.problem.type->exact(&me.cell.problem, &at, analysis->p, x, S, NULL));
            for (size_t i = 0; i < n; i++) {
                const double size = 1 + fabs(x[i]);
                assert_true(fabs(solution_state(analysis, &analysis->at_tol, j, i) - x[i]) <= bound * size);
                for (size_t k = 0; k < np; k++) {
                    const double off = solution_slope(analysis, &analysis->at_tol, j, i, k) - S[i * np + k];
                    if (!(fabs(off) <= bound * (1 + fabs(S[i * np + k]))))
                        fail_msg("%s: S(%g)[%zu][%zu] is off by %g", keys[c], at.t, i, k, off);
                }
            }
        }
        analysed_end(&me);
    }
}

/* y = y0 e^(-k t): full is -k t, whatever y0; of y0 = 0 it has no value, of k = 0 neither has. */
static void scaled_values_of_decay(void **state)
{
    (void)state;
    struct analysed me;
    analysed_solve(&me, "problem=decay T=10 k=0.5 y0=3", "0:4:5");
    for (size_t j = 0; j < 5; j++) {
        assert_true(fabs(scaled_full(&me.analysis, &me.analysis.at_tol, j, 0, 0) + 0.5 * (double)j) < bound);
        assert_true(fabs(scaled_half(&me.analysis, &me.analysis.at_tol, j, 0, 0) +
                         0.5 * (double)j * 3 * exp(-0.5 * (double)j)) < bound);
    }
    analysed_end(&me);
    analysed_solve(&me, "problem=decay T=10 k=0.5 y0=0", "0:4:5");
    assert_true(isnan(scaled_full(&me.analysis, &me.analysis.at_tol, 4, 0, 0)));
    assert_true(scaled_half(&me.analysis, &me.analysis.at_tol, 4, 0, 0) == 0);
    analysed_end(&me);
    analysed_solve(&me, "problem=decay T=10 k=0 y0=3", "0:4:5");
    assert_true(isnan(scaled_half(&me.analysis, &me.analysis.at_tol, 4, 0, 0)));
    assert_true(isnan(scaled_full(&me.analysis, &me.analysis.at_tol, 4, 0, 0)));
    assert_true(fabs(solution_slope(&me.analysis, &me.analysis.at_tol, 4, 0, 0) + 12) < 12 * bound);
    analysed_end(&me);
}

static void names_are_those_of_options(void **state)
{
    (void)state;
    struct analysed me;
    assert_int_equal(analysed_plan(&me, "problem=logistic", NULL), SENS_OK);
    assert_string_equal(me.analysis.labels.parameter[0], "r");
    assert_string_equal(me.analysis.labels.parameter[1], "K");
    assert_string_equal(me.analysis.labels.state[0], "y0");
    analysed_end(&me);
    assert_int_equal(analysed_plan(&me, "problem=glv n=2", NULL), SENS_OK);
    assert_string_equal(me.analysis.labels.parameter[5], "p[5]");
    assert_string_equal(me.analysis.labels.state[1], "x[1]");
    struct selection chosen;
    const char *const *const name = me.analysis.labels.parameter;
    assert_int_equal(labels_select(&me.ctx, "--parameters", "p[4],p[0]", 6, name, &chosen, &me.error),
                     SENS_OK);
    assert_int_equal(chosen.count, 2);
    assert_int_equal(chosen.index[0], 4);
    assert_int_equal(chosen.index[1], 0);
    static const char *const bad[] = {"", "p[0],", ",p[0]", "p[0],p[0]", "p[6]", "p"};
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++)
        assert_int_equal(labels_select(&me.ctx, "--parameters", bad[b], 6, name, &chosen, &me.error),
                         SENS_BAD_INPUT);
    analysed_end(&me);
}

static void grids(void **state)
{
    (void)state;
    struct analysed me;
    assert_int_equal(analysed_plan(&me, "problem=decay T=100", "log:1:100:3"), SENS_OK);
    assert_true(me.analysis.grid.t[0] == 1 && me.analysis.grid.t[2] == 100);
    assert_true(fabs(me.analysis.grid.t[1] - 10) < 1e-12);
    analysed_end(&me);
    static const char *const bad[] = {
        "0:1", "0:1:1",   "1:0:5", "0:1:2.5", "log:0:1:3", "0:1:5:6",   "0:101:3",      "-1:1:3",      "0",
        "nan", "0:inf:3", "",      "::",      "log:1:2",   "/dev/null", "no such file", "0:1:99999999"};
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        if (analysed_plan(&me, "problem=decay T=100", bad[b]) != SENS_BAD_INPUT)
            fail_msg("taken: '%s'", bad[b]);
        assert_non_null(strstr(me.error.text, "--times"));
        analysed_end(&me);
    }
}

/* What cannot be answered is said before anything is solved. */
static void refusals(void **state)
{
    (void)state;
    struct analysed me;
    assert_int_equal(analysed_plan(&me, "problem=decay tableau=dopri5 controller=fixed dt=0.1", NULL),
                     SENS_UNSUPPORTED);
    analysed_end(&me);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_the_closed_form),
        cmocka_unit_test(scaled_values_of_decay),
        cmocka_unit_test(names_are_those_of_options),
        cmocka_unit_test(grids),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
