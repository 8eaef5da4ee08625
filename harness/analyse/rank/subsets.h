/* harness/analyse/rank/subsets.h - every subset K of the columns of the stacked matrix (Brun, Reichert and Kuensch,
 * Water Resour. Res. 37 (2001) 1015):
 *
 *     collinearity gamma_K = 1 / (smallest singular value of M_K, columns of length 1)
 *     information  rho_K   = det((M D)_K^T (M D)_K)^(1 / 2|K|); the subset of a size with the largest is D-optimal
 *
 * gamma_K from 20 on means, by their rule, that changes of one parameter are made up for by the others to 5 %. Subsets
 * that share their first columns share the work: column c adds one row and column to the triangle of its subset, and
 * its smallest singular value is that of the triangle. */
#ifndef ANALYSE_SUBSETS_H
#define ANALYSE_SUBSETS_H

#include "spectrum.h"

struct subset {
    size_t size;
    const size_t *column; /* [size] of the stacked matrix, increasing */
    double gamma;         /* infinite where the singular value is not above the noise */
    double rho;           /* 0 there */
};

/* The largest size up to which all subsets, from two columns on, are at most `limit`; 0: those of two are more. */
size_t subsets_size(size_t cols, double limit);

/* Calls `each` for all subsets of 2 ... largest columns. SENS_NO_MEMORY. */
sens_status subsets_visit(struct sens_ctx *ctx, const struct stacked *stacked,
                          const struct spectrum *spectrum, size_t largest,
                          void (*each)(void *self, const struct subset *subset), void *self);

#endif
