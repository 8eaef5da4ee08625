/* methods/rk/rosenbrock.h - a Rosenbrock pair (sens/tableau.h) in the form that its steps and their derivatives work
 * with, and where a step keeps what it found.
 *
 * With the increments u_i = sum_{j<=i} gamma_ij k_j in place of the k_i no product with df/dx is left (Hairer &
 * Wanner, Solving ODEs II, IV.7, (7.25)):
 *
 *     Y_i = y + sum_{j<i} a_ij u_j,                          a = alpha Gamma^-1
 *     (I - h gamma df/dx) u_i = h gamma f(t + alpha_i h, Y_i) + sum_{j<i} c_ij u_j + h^2 gamma gamma_i df/dt,
 *                                                            c = I - gamma Gamma^-1
 *     y1 = y + sum_i m_i u_i,   estimate sum_i e_i u_i,      m = b Gamma^-1,   e = (b - bhat) Gamma^-1
 *
 * with df/dx and df/dt at (t, y). The stages of a step are Y [stages][n], which begin with y, then u [stages][n].
 *
 * A cost along the way is summed at nodes of Gauss, on the dense output x(theta) = y + sum_i d_i(theta) u_i:
 *
 *     integral of g = h sum_q w_q g(t + theta_q h, x(theta_q)),
 *
 * for Y_i are too far from the solution: h sum_i b_i g(Y_i) is of first order. */
#ifndef SENS_ROSENBROCK_H
#define SENS_ROSENBROCK_H

#include "step.h"

enum { SENS_ROSENBROCK_STAGES = 8, SENS_ROSENBROCK_NODES = 3 };

struct sens_rosenbrock {
    int stages, nodes;
    sens_real gamma;
    sens_real alpha_i[SENS_ROSENBROCK_STAGES], gamma_i[SENS_ROSENBROCK_STAGES];
    sens_real a[SENS_ROSENBROCK_STAGES][SENS_ROSENBROCK_STAGES];
    sens_real c[SENS_ROSENBROCK_STAGES][SENS_ROSENBROCK_STAGES];
    sens_real m[SENS_ROSENBROCK_STAGES], e[SENS_ROSENBROCK_STAGES];
    sens_real theta[SENS_ROSENBROCK_NODES], weight[SENS_ROSENBROCK_NODES];
    sens_real d[SENS_ROSENBROCK_NODES][SENS_ROSENBROCK_STAGES];
    bool same_point[SENS_ROSENBROCK_STAGES]; /* of stage i as of stage i - 1: f is that one's */
};

/* The formula of a tableau of that family. SENS_UNSUPPORTED: too many stages, gamma_ii not one number, no dense
 * output. */
sens_status sens_rosenbrock_create(struct sens_ctx *ctx, const struct sens_tableau *tb,
                                   struct sens_rosenbrock *formula);

/* The increments of a step, behind its stage states. */
static inline const sens_real *sens_rosenbrock_increments(const struct sens_rosenbrock *formula, size_t n,
                                                          const sens_real *Y)
{
    return Y + (size_t)formula->stages * n;
}

/* x [n] at node q of a step, and its time. */
sens_real sens_rosenbrock_node(const struct sens_rosenbrock *formula, size_t n, const struct sens_step *step,
                               int q, sens_real *x);

/* f = df/dt [n] at a point; false: there is none to add, the problem is autonomous. */
static inline bool sens_rosenbrock_slope_t(const struct sens_problem *pb, const struct sens_at *at,
                                           sens_real *f)
{
    if (pb->type->autonomous) return false;
    pb->type->rhs_t(pb, at, f);
    return true;
}

#endif
