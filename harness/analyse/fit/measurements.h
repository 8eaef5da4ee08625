/* harness/analyse/fit/measurements.h - what was measured, in the order of the residuals
 *
 *     r_e = sqrt(w_e) (y_e - z_e) / sigma_e,    chi2 = sum_e r_e^2
 *
 * that cost=tracking with residuals=on has as its outputs, one experiment after the other; its dG/dp [e][k] is the
 * Jacobian dr_e/dp_k of the fit. */
#ifndef FIT_MEASUREMENTS_H
#define FIT_MEASUREMENTS_H

#include "refuse.h"
#include "sens/cost.h"

struct measured {
    size_t of; /* a state, or n + the number of a quantity */
    double t, z, sigma, root_weight;
};

struct measurements { /* memory of the arena */
    size_t count;
    struct measured *all; /* [count] in the order of the times */
    bool sigma_known;     /* else sigma = 1, and the fit tells how large the errors are */
};

/* Of the data of a tracking cost (sens_value says how they stand); what has no weight is left out. SENS_BAD_INPUT with
 * a message: none, or a standard deviation for some of them and not for others. SENS_NO_MEMORY. */
sens_status measurements_read(struct sens_ctx *ctx, const struct sens_value *data, size_t n,
                              struct measurements *measurements, struct bench_error *error);

#endif
