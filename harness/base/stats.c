/* Median of a sample and the confidence interval of the median by order statistics:
 *     P(x_(j) <= median <= x_(n+1-j)) = 1 - 2 P(B <= j - 1),   B ~ Binomial(n, 1/2),
 * free of any assumption on the distribution (David and Nagaraja, Order Statistics, 3rd ed., section 7.1). */
#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* What the interval from rank j to rank n + 1 - j covers, j >= 1. */
static double coverage(size_t count, size_t j)
{
    return 1 - 2 * gsl_cdf_binomial_P((unsigned)(j - 1), 0.5, (unsigned)count);
}

/* The largest j whose interval still covers the level; 1 when none does. */
static size_t interval_rank(size_t count, double level)
{
    size_t j = 1;
    while (j < count / 2 && coverage(count, j + 1) >= level) j++;
    return j;
}

double stats_coverage(size_t count, double level)
{
    return count ? coverage(count, interval_rank(count, level)) : 0;
}

void stats_summarise(double *sample, size_t count, struct stats *stats)
{
    *stats = (struct stats){count, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count == 0) return;
    gsl_sort(sample, 1, count);
    const size_t j = interval_rank(count, STATS_LEVEL), wide = interval_rank(count, STATS_WIDE_LEVEL);
    stats->min = sample[0];
    stats->median = gsl_stats_median_from_sorted_data(sample, 1, count);
    stats->lo = sample[j - 1];
    stats->hi = sample[count - j];
    stats->lo_wide = sample[wide - 1];
    stats->hi_wide = sample[count - wide];
}
