/* harness/analyse/matrix/whole.h - a direction in whole numbers. */
#ifndef ANALYSE_WHOLE_H
#define ANALYSE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Entries of c [n] that are at most `bound` of the largest become 0. If the rest are, but for `bound` of each, in the
 * ratio of whole numbers up to `most`, they become the smallest such; else the smallest becomes 1 or -1. The first that
 * is not 0 becomes positive. Are they whole? A c of zeros stays, false. */
bool whole_ratios(size_t n, double *c, int most, double bound);

#endif
