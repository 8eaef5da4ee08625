/* harness/analyse/fit/minimise.h - least squares: the parameters at which chi2 = sum r_e^2 is smallest.
 *
 * Levenberg-Marquardt by GSL (gsl_multifit_nlinear, trust regions) with the exact Jacobian of the residuals. A solve
 * that fails on the way makes the trust region smaller, and so does a step that would take a parameter beyond ten times
 * itself, or its logarithm as far. The fit has converged when a full Gauss-Newton step would take
 * no more off chi2 than 1e-10 of the variance of the data, a step of 1e-5 standard deviations, and what errors of rtol
 * in the solution add: rtol^2 sum_e w_e (z_e / sigma_e)^2. */
#ifndef FIT_MINIMISE_H
#define FIT_MINIMISE_H

#include "fit_model.h"
#include "spread.h"

struct minimum {
    double chi2;
    size_t iterations;
    double decrement; /* that is left */
};

/* Moves q [count] from where it is to the minimum over all coordinates but `fixed` (model->count: over all); r and J
 * stand there afterwards. A status with a message in ctx: that of the method where the first solve fails,
 * SENS_NOT_CONVERGED, SENS_NO_MEMORY. GSL's handler of errors has to be off. */
sens_status minimise(struct sens_ctx *ctx, struct fit_model *model, size_t fixed, double *q,
                     struct minimum *minimum);

#endif
