/* harness/analyse/matrix/data_error.h - how exactly each state is measured. */
#ifndef ANALYSE_DATA_ERROR_H
#define ANALYSE_DATA_ERROR_H

#include "analysis.h"

/* "0.1" for all chosen states, "5%" of the largest value of each, or one for each by name: "A=0.1,B=5%". Sets
 * analysis->sigma, of the arena. SENS_BAD_INPUT: not positive, twice, or a chosen state without one; SENS_NO_MEMORY. */
sens_status data_error_read(struct sens_ctx *ctx, const char *text, struct analysis *analysis,
                            struct bench_error *error);

/* The standard deviations at all times of one solution, [times][n]; NaN: not given. SENS_NO_MEMORY;
 * SENS_UNSUPPORTED, with a message in ctx: a percentage of a state that is 0 at all times. */
sens_status data_error_units(struct sens_ctx *ctx, const struct analysis *analysis,
                             const struct solution *solution, double **unit);

#endif
