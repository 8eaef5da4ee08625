/* The interval of a quotient of two medians: its level is kept, by simulation, and said. */
#include "summary_support.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "record.h"
#include "stats.h"

enum { SAMPLES_MAX = 64, TRIALS = 4000 };

/* A row of times with median 1: skewed to long ones, as times are, by so many samples. */
static void measure(gsl_rng *rng, size_t count, bool wide, struct record *row)
{
    double sample[SAMPLES_MAX];
    struct stats stats;
    for (size_t i = 0; i < count; i++) sample[i] = gsl_ran_lognormal(rng, 0, 0.3);
    stats_summarise(sample, count, &stats);
    row->number[COL_samples] = (double)count;
    row->number[COL_t_total_s] = stats.median;
    row->number[COL_t_lo_s] = stats.lo;
    row->number[COL_t_hi_s] = stats.hi;
    row->number[COL_t_lo_wide_s] = wide ? stats.lo_wide : NAN;
    row->number[COL_t_hi_wide_s] = wide ? stats.hi_wide : NAN;
}

/* The share of trials in which the interval holds the quotient of the true medians, which is 1. */
static double covered(gsl_rng *rng, size_t count, size_t other, bool wide, struct ratio *ratio)
{
    struct record *over = record_create(), *under = record_create();
    int held = 0;
    assert_true(over && under);
    strcpy(over->text[COL_status], "ok");
    strcpy(under->text[COL_status], "ok");
    for (int trial = 0; trial < TRIALS; trial++) {
        measure(rng, count, wide, over);
        measure(rng, other, wide, under);
        *ratio = summary_ratio(over, under);
        held += ratio->lo <= 1 && 1 <= ratio->hi;
    }
    free(over);
    free(under);
    return held / (double)TRIALS;
}

/* The level is a bound from below: five standard deviations of a count of that many trials are allowed. */
static void the_level_is_kept(void **state)
{
    (void)state;
    static const struct {
        size_t count, other;
        bool wide;
        double level;
    } row[] = {{15, 15, true, 0.95}, {7, 7, true, 0.95},    {50, 9, true, 0.95}, {15, 15, false, 0.9},
               {6, 30, false, 0.9},  {3, 15, false, 0.714}, {3, 3, true, 0.5},   {2, 2, false, 0}};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct ratio ratio;
        const double share = covered(rng, row[i].count, row[i].other, row[i].wide, &ratio);
        if (!(ratio.level >= row[i].level - 1e-12))
            fail_msg("%zu: level %g, not %g", i, ratio.level, row[i].level);
        const double deviation = sqrt(ratio.level * (1 - ratio.level) / TRIALS);
        if (!(share >= ratio.level - 5 * deviation)) fail_msg("%zu: %g held, said %g", i, share, ratio.level);
    }
    gsl_rng_free(rng);
}

static void the_level_is_said(void **state)
{
    (void)state;
    char text[RATIO_TEXT];
    summary_ratio_text((struct ratio){2.106, 2.05, 2.163, 0.95}, 2, text);
    assert_string_equal(text, "2.11 [2.05, 2.16] 95 %");
    summary_ratio_text((struct ratio){2.106, 2.05, 2.163, 0.9499}, 1, text); /* at least: never rounded up */
    assert_string_equal(text, "2.1 [2.0, 2.2] 94 %");
    summary_ratio_text((struct ratio){2.106, 2.05, 2.163, 0}, 2, text); /* one sample */
    assert_string_equal(text, "2.11 [no interval]");
    summary_ratio_text((struct ratio){2.106, NAN, 2.163, 0.95}, 2, text);
    assert_string_equal(text, "2.11 [no interval]");
}

/* Both rows need the wide interval: with one of each kind the level is that of the narrow ones. */
static void rows_of_before_have_less(void **state)
{
    struct summary *summary = *state;
    struct record *row[2];
    for (int i = 0; i < 2; i++) {
        row[i] = add_row(summary, "mine", "cfsa", 5);
        row[i]->number[COL_samples] = 15;
        row[i]->number[COL_t_total_s] = 2;
        row[i]->number[COL_t_lo_s] = 1;
        row[i]->number[COL_t_hi_s] = 4;
        row[i]->number[COL_t_lo_wide_s] = 0.5;
        row[i]->number[COL_t_hi_wide_s] = 8;
    }
    struct ratio ratio = summary_ratio(row[0], row[1]);
    assert_true(ratio.lo == 0.5 / 8 && ratio.hi == 16 && ratio.level > 0.98);
    row[1]->number[COL_t_lo_wide_s] = NAN;
    ratio = summary_ratio(row[0], row[1]);
    assert_true(ratio.lo == 0.25 && ratio.hi == 4 && ratio.level > 0.92 && ratio.level < 0.93);
    strcpy(row[1]->text[COL_status], "timeout");
    assert_true(isnan(summary_ratio(row[0], row[1]).value));
    assert_true(isnan(summary_ratio(NULL, row[0]).value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_level_is_kept),
        cmocka_unit_test(the_level_is_said),
        cmocka_unit_test_setup_teardown(rows_of_before_have_less, make_summary, drop_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
