/* Median of a sample and the confidence interval of the median by order statistics:
 *     P(x_(j) <= median <= x_(n+1-j)) = 1 - 2 P(B <= j - 1),   B ~ Binomial(n, 1/2),
 * free of any assumption on the distribution (David and Nagaraja, Order Statistics, 3rd ed., section 7.1). */
#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* The largest j whose interval still covers 95 %; 1 when none does. */
static size_t interval_rank(size_t count)
{
    const double tail = 0.025;
    size_t j = 1;
    while (j < count / 2 && gsl_cdf_binomial_P((unsigned)j, 0.5, (unsigned)count) <= tail) j++;
    return j;
}

void stats_summarise(double *sample, size_t count, struct stats *stats)
{
    *stats = (struct stats){count, NAN, NAN, NAN, NAN};
    if (count == 0) return;
    gsl_sort(sample, 1, count);
    const size_t j = interval_rank(count);
    stats->min = sample[0];
    stats->median = gsl_stats_median_from_sorted_data(sample, 1, count);
    stats->lo = sample[j - 1];
    stats->hi = sample[count - j];
}

double stats_quantile(double *sample, size_t count, double q)
{
    if (count == 0) return NAN;
    gsl_sort(sample, 1, count);
    return gsl_stats_quantile_from_sorted_data(sample, 1, count, q);
}
