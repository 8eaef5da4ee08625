/* sens/tableau.h - Runge-Kutta pairs with their continuous extension: explicit ones, diagonally or fully implicit
 * ones, and Rosenbrock pairs.
 *
 *     Y_i = x + h sum_{j<i} a_ij K_j,   K_i = f(t + c_i h, Y_i),   x1 = x + h sum_i b_i K_i,
 *     error estimate e = h sum_i (b_i - bhat_i) K_i,
 *     dense output x(t + theta h) = x + h sum_i (sum_{d=1..D} B_id theta^d) K_i,
 * where i runs over the stages, then over extra_stages more that only the dense output needs (same a, c).
 * A diagonally implicit pair has a_ii K_i in the sum for Y_i, too. Its first stage is the state itself (a_1j =
 * 0), of no weight where the published formula has none of that kind; a_ii of all others is the same number.
 *
 * An additive pair is a diagonally implicit one with a second a, explicit, for the part f_E of a problem that splits
 * f = f_E + f_I (sens/problem.h); b, e and c are the same for both parts:
 *     Y_i = x + h sum_{j<i} aE_ij f_E(t_j, Y_j) + h sum_{j<=i} a_ij f_I(t_j, Y_j),   K_i = f(t_i, Y_i).
 * It takes problems with a split alone.
 *
 * A fully implicit one has all a_ij K_j of the stages after the first in each sum but the first's; that one is
 * the state itself, of weight in the error estimate alone.
 * With D = 0 the interpolant is cubic Hermite on (x, f, x1, f1). With D >= 4 it agrees with that one, and so
 * with the slopes f and f1, at both ends; the first extra stage of a pair that is not FSAL is f1 (its row of
 * a is b).
 *
 * A Rosenbrock pair takes df/dx and df/dt at the start of the step into its formula, with alpha = a,
 *
 *     k_i = h f(t + alpha_i h, x + sum_{j<i} alpha_ij k_j) + h df/dx sum_{j<=i} gamma_ij k_j + h^2 gamma_i df/dt,
 *     x1 = x + sum_i b_i k_i,   alpha_i = sum_j alpha_ij,   gamma_i = sum_j gamma_ij,
 *
 * and gamma_ii = gamma for all i: one matrix I - h gamma df/dx a step (Hairer & Wanner, Solving ODEs II, IV.7).
 * Its c is NULL, for alpha_i are sums (sens_tableau_alpha); its dense output is one of degree D >= 2,
 * x + sum_i (sum_d B_id theta^d) k_i, that ends in x and x1 and says nothing of slopes. */
#ifndef SENS_TABLEAU_H
#define SENS_TABLEAU_H

#include <stdbool.h>
#include <stddef.h>

#include "sens/real.h"

/* The most stages, extra ones included, that a tableau may have. */
enum { SENS_MAX_STAGES = 32 };

/* What the coefficients mean, and so which scheme (methods/rk/scheme.h) takes a step with them. */
enum sens_family {
    SENS_FAMILY_EXPLICIT, /* Runge-Kutta as above, a strictly lower */
    SENS_FAMILY_DIRK,     /* diagonally implicit: a lower, a_11 = 0, a_22 = a_33 = ... > 0; no extra stages */
    SENS_FAMILY_FIRK, /* fully implicit, of four: a_1j = a_i1 = 0, b_1 = 0, the rest of a has an inverse; no
                             extra stages */
    SENS_FAMILY_ROSENBROCK, /* as above; no extra stages */
    SENS_FAMILY_SWITCHED, /* each step by one of two tableaux, the first explicit, the second diagonally implicit */
    SENS_FAMILIES
};

struct sens_tableau {
    const char *name, *summary;
    const char *source; /* where the coefficients were published */
    enum sens_family family;
    int stages, order, order_hat; /* order_hat 0: no embedded formula, fixed step only */
    bool fsal;                    /* the last row of a equals b and c_s = 1: Y_s is the next state; explicit:
                                     K_s is the next step's K_1; implicit: the formula is stiffly accurate;
                                     Rosenbrock: b_j = alpha_sj + gamma_sj and alpha_s = 1, which is that;
                                     additive: never, for the last row of its explicit part is not b */
    const sens_real *a;           /* [stages + extra_stages][stages + extra_stages], as the family says */
    const sens_real *a_explicit;  /* [stages][stages], strictly lower; NULL but for additive pairs */
    const sens_real *gamma;       /* [stages][stages], lower; NULL but for Rosenbrock pairs */
    const sens_real *b;           /* [stages] */
    const sens_real *e;           /* [stages], b - bhat; NULL without an embedded formula */
    const sens_real *e3;          /* [stages], dop853's third-order estimate; NULL elsewhere */
    const sens_real *c;           /* [stages + extra_stages]; NULL for Rosenbrock pairs */
    int extra_stages;
    int dense_degree;       /* D; 0 = cubic Hermite, which Rosenbrock pairs do not take */
    int dense_order;        /* order of the interpolant */
    const sens_real *dense; /* B, [stages + extra_stages][D] */
    /* [2] of a switched one, whose other members are those of the first, but for the dense output, a cubic. Both have
     * as many stages, none extra, the same orders, and end in two stages at the end of the step. NULL elsewhere. */
    const struct sens_tableau *const *part;
};

/* a_ij of the tableau. */
static inline sens_real sens_tableau_a(const struct sens_tableau *tb, int i, int j)
{
    return tb->a[i * (tb->stages + tb->extra_stages) + j];
}

/* alpha_i and gamma_i of a Rosenbrock pair. */
static inline sens_real sens_tableau_alpha(const struct sens_tableau *tb, int i)
{
    sens_real sum = 0;
    for (int j = 0; j < i; j++) sum += tb->a[i * tb->stages + j];
    return sum;
}
static inline sens_real sens_tableau_gamma(const struct sens_tableau *tb, int i)
{
    sens_real sum = 0;
    for (int j = 0; j <= i; j++) sum += tb->gamma[i * tb->stages + j];
    return sum;
}

#endif
