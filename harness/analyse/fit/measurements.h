/* harness/analyse/fit/measurements.h - measured states, and how far a solution is from them.
 *
 *     r_e = sqrt(w_e) (x_e - z_e) / sigma_e,    x_e = x_(i_e)(t_(j_e)),    chi2 = sum_e r_e^2
 *
 * As a cost r is the vector of functionals, so that its dG/dp [e][k] is the Jacobian dr_e/dp_k of the fit. */
#ifndef FIT_MEASUREMENTS_H
#define FIT_MEASUREMENTS_H

#include "refuse.h"
#include "sens/cost.h"

struct measured {
    size_t state, time; /* of the times of the cost */
    double z, sigma, root_weight;
};

struct measurements { /* memory of the arena */
    size_t count, times;
    struct measured *all; /* [count] in the order of the times */
    sens_real *t;         /* [times] increasing */
    bool sigma_known;     /* else sigma = 1, and the fit tells how large the errors are */
};

/* Of the data of a tracking cost (sens_value says how they stand); what has no weight is left out. SENS_BAD_INPUT with
 * a message: none, or a standard deviation for some of them and not for others. SENS_NO_MEMORY. */
sens_status measurements_read(struct sens_ctx *ctx, const struct sens_value *data, size_t n,
                              struct measurements *measurements, struct bench_error *error);

/* r as a cost. *measurements has to stay. */
sens_status measurements_cost(struct sens_ctx *ctx, const struct measurements *measurements,
                              const struct sens_problem *pb, struct sens_cost *cost);

#endif
