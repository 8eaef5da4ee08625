/* harness/analyse/rank/covariance.h - how exactly data determine the parameters, and these the states.
 *
 *     C = (sum_ij S_i(t_j)^T S_i(t_j) / sigma_i^2)^-1,     sd of x_i(t) = sqrt(S_i(t) C S_i(t)^T)
 *
 * for data of every chosen state at every time with independent errors of standard deviation sigma_i: linear regression
 * near the given values. The chosen parameters are unknown, all others are known. With M the matrix of S / sigma,
 * columns divided by their lengths D, and M P = Q R, C = D^-1 P R^-1 R^-T P^T D^-1: both are sums over R^-T v. */
#ifndef ANALYSE_COVARIANCE_H
#define ANALYSE_COVARIANCE_H

#include "spectrum.h"

struct covariance { /* memory of the arena */
    const struct analysis *analysis;
    const struct solution *solution;
    struct stacked stacked;
    struct spectrum spectrum;
    size_t cols; /* parameters: stacked.parameter[cols] */
    double *
        root; /* [cols][cols]: row k is R^-T P^T D^-1 of the k-th unit vector, so that C_kl = root_k . root_l */
    double *work; /* [2 cols] */
};

/* Of one of the two solutions. SENS_SINGULAR, with a message in ctx: the data do not determine the parameters. Else as
 * stacked_make and spectrum_make. */
sens_status covariance_make(struct sens_ctx *ctx, const struct analysis *analysis,
                            const struct solution *solution, struct covariance *covariance);

/* C_kl, by columns. */
double covariance_entry(const struct covariance *covariance, size_t k, size_t l);

/* Standard deviation of x_i(t_j). */
double covariance_band(const struct covariance *covariance, size_t j, size_t i);

#endif
