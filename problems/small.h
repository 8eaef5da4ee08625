/* problems/small.h - derivative products of problems with a few states, from their Jacobians as matrices.
 *
 *     J = df/dx [n][n],   F = df/dp [n][np],   both row-major
 *
 * Such a problem writes J and F by hand and takes its product slots from here; its data begins with a
 * struct small_jacobians. */
#ifndef SMALL_H
#define SMALL_H

#include "sens/problem.h"

enum { SMALL_STATES = 4, SMALL_PARAMETERS = 4 }; /* n and np at most */

struct small_jacobians {
    double rhs; /* its operations (sens/problem.h) */
    void (*dx)(const struct sens_problem *pb, const struct sens_at *at, sens_real *J /*[n][n]*/);
    void (*dp)(const struct sens_problem *pb, const struct sens_at *at, sens_real *F /*[n][np]*/);
    /* The derivatives of J and F along v = (dt, dx, dp), one lane with no part NULL; where small_hvp is used. */
    void (*along)(const struct sens_problem *pb, const struct sens_at *at, const struct sens_direction *v,
                  sens_real *dJ /*[n][n]*/, sens_real *dF /*[n][np]*/);
};

/* The slots of sens_problem_type of the same names. */
void small_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
               sens_real *OUT);
void small_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
               sens_real *OUT);
void small_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                      sens_real *OUT);
void small_vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                       const sens_real *p, size_t L, const sens_real *W, sens_real *MU);
void small_hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
               const struct sens_direction *v, const sens_real *W, sens_real *OUT, sens_real *MU);
void small_operations(const struct sens_problem *pb, struct sens_operations *ops);

/* All of these but small_hvp, for a type. */
#define SMALL_PRODUCTS                                                                                       \
    .vjp = small_vjp, .jvp = small_jvp, .jvp_p_cols = small_jvp_p_cols, .vjp_p_batch = small_vjp_p_batch,    \
    .operations = small_operations

/* For create: sets every field of *pb but type, on the interval [0, T]. x0 [n] and p [np] are copied to the
 * arena, *data is not. SENS_NO_MEMORY. */
sens_status small_create(struct sens_ctx *ctx, size_t n, const sens_real *x0, size_t np, const sens_real *p,
                         double T, const struct small_jacobians *data, struct sens_problem *pb);

/* Identities (sens/problem.h), one row for each state:
 *
 *     small_homogeneous    x(t1) = S0 x0              f linear in x; true of every Runge-Kutta map
 *     small_time_scaling   sum_k p_k S_k = T f(x(t1))  f linear in p and autonomous, T = t1 - t0 */
size_t small_rows(const struct sens_problem *pb);
void small_homogeneous(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                       const sens_real *S0, sens_real *residual, sens_real *size);
void small_time_scaling(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                        const sens_real *S0, sens_real *residual, sens_real *size);

/* det A for n <= SMALL_STATES by elimination; size: the product of the rows' sums of magnitudes, which bounds
 * the terms it is made of. */
sens_real small_determinant(size_t n, const sens_real *A, sens_real *size);

#endif
