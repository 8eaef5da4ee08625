/* harness/analyse/whole.h - a direction in whole numbers. */
#ifndef ANALYSE_WHOLE_H
#define ANALYSE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

enum { WHOLE_LARGEST = 12 }; /* multiple of the smallest entry that is tried */

/* Entries of c [n] that are at most `bound` of the largest become 0. If the rest are, but for `bound` of each, in the
 * ratio of whole numbers of which the smallest is at most WHOLE_LARGEST, they become these; else the smallest becomes 1
 * or -1. The first that is not 0 becomes positive. Are they whole? A c of zeros stays, false. */
bool whole_ratios(size_t n, double *c, double bound);

#endif
