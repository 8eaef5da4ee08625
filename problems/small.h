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
    void (*dx)(const struct sens_problem *pb, struct sens_at at, sens_real *J /*[n][n]*/);
    void (*dp)(const struct sens_problem *pb, struct sens_at at, sens_real *F /*[n][np]*/);
};

/* The slots of sens_problem_type of the same names. */
void small_vjp(const struct sens_problem *pb, struct sens_at at, size_t L, const sens_real *W,
               sens_real *OUT);
void small_jvp(const struct sens_problem *pb, struct sens_at at, size_t L, const sens_real *V,
               sens_real *OUT);
void small_jvp_p_cols(const struct sens_problem *pb, struct sens_at at, size_t k0, size_t L, sens_real *OUT);
void small_vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                       const sens_real *p, size_t L, const sens_real *W, sens_real *MU);

/* For create: sets every field of *pb but type, on the interval [0, T]. x0 [n] and p [np] are copied to the
 * arena, *data is not. SENS_NO_MEMORY. */
sens_status small_create(struct sens_ctx *ctx, size_t n, const sens_real *x0, size_t np, const sens_real *p,
                         double T, const struct small_jacobians *data, struct sens_problem *pb);

#endif
