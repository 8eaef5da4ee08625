/* harness/base/stats.h - what a set of timings says. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stddef.h>

/* The wide interval is for a quotient of two medians: where each is in its own with 97.5 %, both are with 95
 * % at least, whatever they have to do with each other (Bonferroni). */
#define STATS_LEVEL      0.95
#define STATS_WIDE_LEVEL 0.975

struct stats {
    size_t count;
    double min, median;
    double lo, hi;           /* 95 % confidence interval of the median */
    double lo_wide, hi_wide; /* 97.5 % */
};

/* Summarises sample[count] and sorts it on the way. Everything is NaN when count is 0. With fewer than six
 * samples no interval reaches 95 %, with fewer than seven none 97.5 %; the ends are then the extremes. */
void stats_summarise(double *sample, size_t count, struct stats *stats);

/* What the interval of this level covers with so many samples: ranks are whole numbers, so it is more, or, as
 * the extremes do not reach the level, less. 0 with one sample or none. */
double stats_coverage(size_t count, double level);

#endif
