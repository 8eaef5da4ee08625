/* harness/verify/tasks/probe_series.h - the numbers that the probe and its cost are made of. */
#ifndef VERIFY_PROBE_SERIES_H
#define VERIFY_PROBE_SERIES_H

#include "verify.h"

/* [count] numbers in middle + [-range, range), by the fractional parts of multiples of an irrational number,
 * another for each kind; in v's arena. */
double *probe_series(struct verify *v, size_t count, double irrational, double middle, double range);

#endif
