/* The interval of the median: ranks against the table of the binomial distribution, coverage by
 * simulation. */
#include <gsl/gsl_rng.h>
#include <math.h>

#include "record.h"
#include "testing.h"

#include "stats.h"

static void nothing_measured(void **state)
{
    (void)state;
    struct stats stats;
    stats_summarise(NULL, 0, &stats);
    assert_int_equal(stats.count, 0);
    assert_true(isnan(stats.median) && isnan(stats.min) && isnan(stats.lo) && isnan(stats.hi));
}

/* Ranks of the 95 % interval from tables of the sign test: the value 1, 2, ... n stands at its own rank. */
static void ranks(void **state)
{
    (void)state;
    static const struct {
        size_t count, lo;
    } table[] = {{1, 1},  {2, 1},  {5, 1},  {6, 1},  {8, 1},  {9, 2},
                 {10, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}, {50, 18}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        double sample[50];
        const size_t count = table[k].count;
        for (size_t i = 0; i < count; i++)
            sample[i] = (double)(count - i); /* in falling order: it has to sort */
        struct stats stats;
        stats_summarise(sample, count, &stats);
        assert_true(stats.min == 1);
        assert_true(stats.median == ((double)count + 1) / 2);
        assert_true(stats.lo == (double)table[k].lo);
        assert_true(stats.hi == (double)(count + 1 - table[k].lo));
    }
}

/* 2000 samples of 11 uniform numbers: the interval promises 95 % and, as ranks are whole, gives 98.8 %.
 * The limits are five standard deviations of the count away. */
static void coverage(void **state)
{
    (void)state;
    enum { TRIALS = 2000, COUNT = 11 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    int covered = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double sample[COUNT];
        for (int i = 0; i < COUNT; i++) sample[i] = gsl_rng_uniform(rng);
        struct stats stats;
        stats_summarise(sample, COUNT, &stats);
        covered += stats.lo <= 0.5 && 0.5 <= stats.hi;
    }
    gsl_rng_free(rng);
    const double expected = TRIALS * (1 - 2 * 12.0 / 2048), deviation = sqrt(TRIALS * 0.988 * 0.012);
    assert_true(fabs(covered - expected) < 5 * deviation);
}

/* By hand: of 15 the sign test leaves 2 * 576 of 2^15 outside of ranks 4 to 12, and 2 * 121 of 3 to 13; the
 * extremes of n miss 2 of 2^n. */
static void levels(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double level, coverage;
    } table[] = {{15, 0.95, 1 - 1152 / 32768.0},
                 {15, 0.975, 1 - 242 / 32768.0},
                 {7, 0.975, 1 - 2 / 128.0},
                 {6, 0.975, 1 - 2 / 64.0},
                 {3, 0.95, 0.75},
                 {2, 0.95, 0.5},
                 {1, 0.95, 0},
                 {0, 0.95, 0}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        assert_true(fabs(stats_coverage(table[k].count, table[k].level) - table[k].coverage) < 1e-15);
    double sample[15];
    struct stats stats;
    for (int i = 0; i < 15; i++) sample[i] = i + 1;
    stats_summarise(sample, 15, &stats);
    assert_true(stats.lo == 4 && stats.hi == 12 && stats.lo_wide == 3 && stats.hi_wide == 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_measured),
        cmocka_unit_test(ranks),
        cmocka_unit_test(coverage),
        cmocka_unit_test(levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
