/* harness/analyse/fit/spread.h - how exactly the residuals determine the parameters near a point.
 *
 * With J_ek = dr_e/dq_k, D the lengths of its columns and J D^-1 = U s V^T,
 *
 *     C = D^-1 V s^-2 V^T D^-1        covariance of the coordinates q where the data have unit errors,
 *     decrement = |U^T r|^2           by how much a full Gauss-Newton step would lower chi2.
 *
 * Singular values below 100 rtol of the largest are not known from 0: the parameters in such a direction have no
 * variance, which is then infinite. */
#ifndef FIT_SPREAD_H
#define FIT_SPREAD_H

#include "fit_model.h"

struct spread { /* memory of the arena */
    size_t cols, rank;
    double *variance; /* [cols] C_kk; infinite: not determined */
    double *C;        /* [cols][cols]; of the determined directions alone where rank < cols */
    double decrement;
};

/* Where r and J stand. fixed: a parameter that is none of the columns; model->count: none. SENS_NO_MEMORY;
 * SENS_NOT_CONVERGED of GSL's singular values. */
sens_status spread_make(struct sens_ctx *ctx, const struct fit_model *model, size_t fixed,
                        struct spread *spread);

#endif
