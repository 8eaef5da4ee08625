/* problems/costs/quadratic.h - the quadratic form that the terminal and the running cost share.
 *
 *     Q_c(x, p) = 1/2 sum_i w_ci x_i^2 + 1/2 rho |p|^2,   w_ci = 1 + ((c (i + 1)) mod 61)/64
 *
 * c and i count from 0: the first functional weighs all states by 1.
 * The weights are exact in every precision.
 *
 * The derivatives are by hand: references in extended precision need them in that precision, the derived
 * ones are compared with them (tests/bench/derive/test_derived_cost.c), and a lane costs two operations a state. */
#ifndef QUADRATIC_H
#define QUADRATIC_H

#include "sens/cost.h"

struct quadratic {
    sens_real rho;
    const sens_real *w; /* [n][m] */
};

/* Builds the weights in the arena. SENS_NO_MEMORY. */
sens_status quadratic_create(struct sens_ctx *ctx, size_t n, size_t m, sens_real rho, struct quadratic *form);

/* G[c] += scale Q_c and its derivatives, in the shapes of sens/cost.h. */
void quadratic_add(const struct sens_cost *cost, const struct quadratic *form, const sens_real *x,
                   const sens_real *p, sens_real scale, sens_real *G);
void quadratic_add_dx(const struct sens_cost *cost, const struct quadratic *form, const sens_real *x,
                      sens_real scale, size_t c0, size_t L, sens_real *OUT);
void quadratic_add_dp(const struct sens_cost *cost, const struct quadratic *form, const sens_real *p,
                      sens_real scale, size_t c0, size_t L, sens_real *MU);

#endif
