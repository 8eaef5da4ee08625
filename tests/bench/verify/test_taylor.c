/* The order of a Taylor remainder, and of errors on a ladder of steps: of made-up sequences whose powers are
 * known, and of a quadratic functional of a linear problem. */
#include "expected_support.h"

#include "scene.h"
#include "taylor.h"

/* ---- slopes -------------------------------------------------------------------------------------------- */

enum { COUNT = TAYLOR_POINTS };

struct remainder { /* |a eps + c eps^2 + d eps^3| + what is below the noise */
    double a, c, d, noise;
};

static bool slope_of(const struct remainder *of, struct taylor *fit)
{
    double eps[COUNT], r[COUNT], noise[COUNT];
    taylor_scales(0.01, eps);
    for (int k = 0; k < COUNT; k++) {
        r[k] = fabs(of->a * eps[k] + of->c * eps[k] * eps[k] + of->d * pow(eps[k], 3)) + 0.5 * of->noise;
        noise[k] = of->noise;
    }
    return taylor_slope(COUNT, eps, r, noise, fit);
}

static void scales_fall_by_half_decades(void **state)
{
    double eps[COUNT];
    (void)state;
    taylor_scales(0.03, eps);
    assert_true(eps[0] == 0.03);
    for (int k = 0; k + 2 < COUNT; k++) assert_true(fabs(eps[k] / eps[k + 2] - 10) < 1e-12);
}

static void slopes_of_powers(void **state)
{
    static const struct {
        struct remainder of;
        double slope;
    } known[] = {{{0, 3, 0, 0}, 2},       {{5, 0, 0, 0}, 1},        {{0, 0, 2, 0}, 3},
                 {{0, 3, 0, 1e-14}, 2},   {{1e-3, 1, 0, 1e-14}, 1}, /* a small error shows at the low end */
                 {{1e-4, 3, 0, 1e-14}, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct taylor fit;
        assert_true(slope_of(&known[k].of, &fit));
        if (!(fabs(fit.slope - known[k].slope) < 0.1))
            fail_msg("case %zu: %.3f is not %.0f", k, fit.slope, known[k].slope);
        assert_true(fit.high >= 9.9 * fit.low);
    }
}

static void no_slope_of_noise(void **state)
{
    const struct remainder nothing = {0, 0, 0, 1e-12}, hidden = {0, 1e-9, 0, 1e-12};
    struct taylor fit;
    (void)state;
    assert_false(slope_of(&nothing, &fit));
    assert_false(slope_of(&hidden, &fit));
}

/* ---- remainders of a task ------------------------------------------------------------------------------ */

/* The worst over the rays of a solved task whose gradient is off by a share of G in one entry. */
static struct worst remainders(size_t entry, bool by_x0, double share)
{
    struct fixture f;
    struct expected right;
    struct worst worst = {.count = 0};
    fixture_create(&f, &discrete_method, 16);
    assert_true(expected_grid(&f.bed, &f.bed.grid)); /* as if it were reported */
    assert_int_equal(expected_map(&f.bed, &f.grid, &right), SENS_OK);
    struct sens_out got = bed_shape(&f.bed);
    out_add(&f.bed, &got, 1, &right.value);
    if (by_x0)
        got.dGdx0[entry] += share * right.value.G[entry / N];
    else
        got.dGdp[entry] += share * right.value.G[entry / NP];
    taylor_remainders(&worst, &f.bed, &got, &right.value, &right.bound);
    fixture_free(&f);
    return worst;
}

static void right_gradients_pass(void **state)
{
    const struct worst worst = remainders(0, false, 0);
    (void)state;
    assert_int_equal(worst.count, 2 * M); /* along p and along x0 */
    assert_true(worst_passes(&worst));
    assert_true(worst.value < 0.1 && worst.bound == 0.5); /* 2 - slope */
}

static void wrong_gradients_fail(void **state)
{
    (void)state;
    for (size_t entry = 0; entry < M * NP; entry++) {
        const struct worst worst = remainders(entry, false, 0.01);
        if (worst_passes(&worst)) fail_msg("dGdp, entry %zu", entry);
    }
    for (size_t entry = 0; entry < M * N; entry++) {
        const struct worst worst = remainders(entry, true, -0.01);
        if (worst_passes(&worst)) fail_msg("dGdx0, entry %zu", entry);
    }
}

/* r = 1e-6 eps / (eps + knee), which is a line above the knee and its square's below, against the error of a
 * derivative,
 * 1e-6 eps; the noise is told a thousand times too large. */
static void lines_that_break_off(void **state)
{
    double eps[TAYLOR_POINTS], saturated[TAYLOR_POINTS], wrong[TAYLOR_POINTS], noise[TAYLOR_POINTS];
    const double knee = 1e-5;
    (void)state;
    taylor_scales(1e-2, eps);
    for (int k = 0; k < TAYLOR_POINTS; k++) {
        wrong[k] = 1e-6 * eps[k];
        saturated[k] = wrong[k] * eps[k] / (eps[k] + knee);
        noise[k] = 1e-14;
    }
    assert_true(taylor_breaks_off(TAYLOR_POINTS, eps, saturated, noise, eps[5]));
    assert_false(taylor_breaks_off(TAYLOR_POINTS, eps, wrong, noise, eps[5]));
    for (int k = 6; k < TAYLOR_POINTS; k++) wrong[k] += (k % 2 ? 1 : -1) * noise[k];
    assert_false(taylor_breaks_off(TAYLOR_POINTS, eps, wrong, noise, eps[5]));
    for (int k = 0; k < TAYLOR_POINTS; k++) noise[k] = 1; /* nothing can be told */
    assert_false(taylor_breaks_off(TAYLOR_POINTS, eps, saturated, noise, eps[5]));
}

/* ---- ladders ------------------------------------------------------------------------------------------- */

static void ladders_show_the_order(void **state)
{
    (void)state;
    for (int order = 1; order <= 8; order++) {
        struct ladder ladder = {.count = 0};
        double slope = 0;
        for (int k = 0; k < 10; k++) {
            const double h = pow(2, -k);
            ladder_add(&ladder, h, 3 * pow(h, order) + 1e-14, 1e-14);
        }
        assert_true(ladder_slope(&ladder, &slope));
        if (!(fabs(slope - order) < 0.05)) fail_msg("order %d: slope %.3f", order, slope);
    }
}

static void ladders_need_two_clean_rungs(void **state)
{
    struct ladder ladder = {.count = 0};
    double slope;
    (void)state;
    ladder_add(&ladder, 1, 1e-3, 1e-12);
    ladder_add(&ladder, 0.5, 29e-12, 1e-12);
    assert_true(ladder_clean(&ladder, 0) && !ladder_clean(&ladder, 1));
    assert_false(ladder_slope(&ladder, &slope));
    ladder.error[1] = 31e-12;
    assert_true(ladder_clean(&ladder, 1) && ladder_slope(&ladder, &slope));
    ladder.error[1] = NAN;
    assert_false(ladder_clean(&ladder, 1));
}

/* What is no number on any rung has no order, and no bound lets that pass. */
static void ladders_of_what_is_no_number(void **state)
{
    (void)state;
    for (int bad = 0; bad < 4; bad++) {
        struct ladder ladder = {.count = 0};
        struct worst worst = {.count = 0};
        double slope = 0;
        for (int k = 0; k < 4; k++) ladder_add(&ladder, pow(2, -k), k == bad ? NAN : pow(2, -4 * k), 1e-12);
        assert_true(ladder_slope(&ladder, &slope) && isnan(slope));
        worst_note(&worst, ladder_missing(1, slope), 0.5, "order");
        assert_false(worst_passes(&worst));
    }
    assert_true(ladder_missing(4, 3.25) == 0.75 && ladder_missing(4, 4) == 0 && ladder_missing(4, 5) == 0);
}

/* An error that stays where it is, or is small by accident on one rung. */
static void ladders_of_wrong_and_lucky_errors(void **state)
{
    struct ladder stays = {.count = 0}, lucky = {.count = 0};
    double slope;
    (void)state;
    for (int k = 0; k < 8; k++) ladder_add(&stays, pow(2, -k), pow(2, -4 * k) + 1e-3, 1e-12);
    assert_true(ladder_slope(&stays, &slope) && slope < 0.1);
    for (int k = 0; k < 6; k++) ladder_add(&lucky, pow(2, -k), (k == 4 ? 0.01 : 1) * pow(2, -4 * k), 1e-12);
    assert_true(ladder_slope(&lucky, &slope) && fabs(slope - 4) < 1e-9);
}

/* Two clean rungs before the asymptotic range; the third, not clean, is at most its error and its floor. */
static void ladders_that_end_in_rounding(void **state)
{
    struct ladder ladder = {.count = 0};
    double slope;
    (void)state;
    ladder_add(&ladder, 1, 6e-8, 3e-12);
    ladder_add(&ladder, 0.5, 3.1e-9, 3e-12);
    assert_true(ladder_slope(&ladder, &slope) && slope < 4.3);
    ladder_add(&ladder, 0.25, 8e-11, 3e-12);
    assert_false(ladder_clean(&ladder, 2));
    assert_true(ladder_slope(&ladder, &slope) && fabs(slope - log2(3.1e-9 / 8.3e-11)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scales_fall_by_half_decades),
                                       cmocka_unit_test(slopes_of_powers),
                                       cmocka_unit_test(no_slope_of_noise),
                                       cmocka_unit_test(right_gradients_pass),
                                       cmocka_unit_test(wrong_gradients_fail),
                                       cmocka_unit_test(lines_that_break_off),
                                       cmocka_unit_test(ladders_show_the_order),
                                       cmocka_unit_test(ladders_need_two_clean_rungs),
                                       cmocka_unit_test(ladders_of_what_is_no_number),
                                       cmocka_unit_test(ladders_of_wrong_and_lucky_errors),
                                       cmocka_unit_test(ladders_that_end_in_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
