/* harness/extended/variation.h - the variational equations of a block of columns, with the running cost:
 *
 *     x' = f(t, x, p),  V' = f_x V + f_p,  q' = g(t, x, p),  Q' = g_x V + g_p,
 *     V(t0) = [dx0/dp | I],  q(t0) = Q(t0) = 0,
 *     G = sum_j phi(j, x(t_j), p) + q(t1),   dG = sum_j (phi_x V(t_j) + phi_p) + Q(t1).
 *
 * A point is one vector y = [x n][q m_q][V n x L][Q m_q x L]. */
#ifndef SENS_VARIATION_H
#define SENS_VARIATION_H

#include "sens/cost.h"
#include "sens/problem.h"

struct sens_variation {
    const struct sens_problem *pb;
    const struct sens_cost *cost;
    size_t n, m_q;     /* m_q: m with a running cost, else 0 */
    size_t L;          /* columns of V */
    const size_t *col; /* [L]: k < np is p_k, np + i is x0_i */
    sens_real *cost_x; /* [n][m] scratch */
    sens_real *cost_p; /* [np][m] scratch; NULL when the cost does not depend on p */
    sens_real *source; /* [n][L] scratch */
};

/* With room for `widest` columns; L and col are the caller's to change. SENS_NO_MEMORY. */
sens_status sens_variation_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                  const struct sens_cost *cost, size_t widest, struct sens_variation *va);

static inline size_t sens_variation_V(const struct sens_variation *va) /* where V begins in y */
{
    return va->n + va->m_q;
}

static inline size_t sens_variation_Q(const struct sens_variation *va)
{
    return sens_variation_V(va) + va->n * va->L;
}

static inline size_t sens_variation_size(const struct sens_variation *va)
{
    return sens_variation_Q(va) + va->m_q * va->L;
}

/* y at t0. */
void sens_variation_start(const struct sens_variation *va, sens_real *y);

/* dy = dy/dt at (t, y). What the right-hand side says where it fails. */
sens_status sens_variation_slope(const struct sens_variation *va, sens_real t, const sens_real *y,
                                 sens_real *dy);

/* Adds observation j at y to G [m] and D [m][L], whose rows are `stride` apart. */
void sens_variation_observe(const struct sens_variation *va, size_t j, const sens_real *y, size_t stride,
                            sens_real *G, sens_real *D);

/* Adds q and Q at the end. */
void sens_variation_finish(const struct sens_variation *va, const sens_real *y, size_t stride, sens_real *G,
                           sens_real *D);

#endif
