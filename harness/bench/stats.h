/* harness/bench/stats.h - what a set of timings says. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

struct stats {
    size_t count;
    double min, median;
    double lo, hi; /* 95 % confidence interval of the median */
};

/* Summarises sample[count] and sorts it on the way. Everything is NaN when count is 0. With fewer than six
 * samples no interval reaches 95 %; lo and hi are then the extremes. */
void stats_summarise(double *sample, size_t count, struct stats *stats);

/* The q-quantile, 0 <= q <= 1, by linear interpolation; sorts sample[count]. NaN when count is 0. */
double stats_quantile(double *sample, size_t count, double q);

#endif
