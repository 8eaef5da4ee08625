/* harness/analyse/matrix/scaled.h - sensitivities without units.
 *
 *     half   p_k S_ik          = dx_i / d ln|p_k|
 *     full   p_k S_ik / x_i    = d ln|x_i| / d ln|p_k|
 *
 * NaN, written as `undefined`: both, of a parameter that is 0, which has no logarithm; full, where x_i is 0 or not
 * known from it: no larger than the absolute tolerance, or its own error, the distance between the two solves, is a
 * tenth of it or more. */
#ifndef ANALYSE_SCALED_H
#define ANALYSE_SCALED_H

#include "analysis.h"

double scaled_half(const struct analysis *analysis, const struct solution *solution, size_t j, size_t i,
                   size_t k);
double scaled_full(const struct analysis *analysis, const struct solution *solution, size_t j, size_t i,
                   size_t k);

/* What the sensitivities of x_i(t_j) are divided by where those of several states stand together: |x_i(t_j)|, or the
 * largest |x_i| of all times, [times][n], of one solution; NaN: it may be 0. SENS_NO_MEMORY. */
sens_status scaled_units(struct sens_ctx *ctx, const struct analysis *analysis,
                         const struct solution *solution, enum scale scale, double **unit);

/* May x_i(t_j) be 0? */
bool scaled_state_vanishes(const struct analysis *analysis, size_t j, size_t i);

#endif
