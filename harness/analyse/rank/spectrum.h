/* harness/analyse/rank/spectrum.h - which parameters the stacked matrix can tell apart.
 *
 *     M D = Q R P^T           D = diag(length): the order in which columns add most that is new (dgeqp3)
 *     M = U diag(sigma) V^T   columns of length 1
 *     condition index         sigma_1 / sigma_j
 *     proportion              of the variance of parameter k that comes from sigma_j: (V_kj / sigma_j)^2, by their sum
 *                             over j (Belsley, Kuh and Welsch, Regression Diagnostics, 1980, chapter 3; no centering)
 *
 * A sigma below the noise counts as the noise in the last two. */
#ifndef ANALYSE_SPECTRUM_H
#define ANALYSE_SPECTRUM_H

#include "stacked.h"

struct spectrum {       /* memory of the arena; cols of the stacked matrix */
    size_t cols, rank;  /* sigma above the noise */
    size_t *order;      /* [cols] column that comes r-th */
    double *pivot;      /* [cols] |R_rr|: what column order[r] adds to those before it */
    double *R;          /* [cols][cols] by rows, of M alone: columns, in that order, of length 1 */
    double *sigma;      /* [cols] falling */
    double *V;          /* [cols][cols]: V[j] is the vector of sigma_j, by columns of M */
    double *condition;  /* [cols] */
    double *proportion; /* [cols][cols]: [j][k] */
};

/* SENS_NO_MEMORY, SENS_UNAVAILABLE: no LAPACK, SENS_NOT_CONVERGED; messages in ctx. */
sens_status spectrum_make(struct sens_ctx *ctx, const struct stacked *stacked, struct spectrum *spectrum);

#endif
