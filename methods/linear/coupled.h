/* methods/linear/coupled.h - the system of stages that depend on each other, each with its own J_j = df/dx,
 *
 *         | I - h a_11 J_1     - h a_12 J_2  ... |
 *     M = |   - h a_21 J_1   I - h a_22 J_2  ... |,       M X = B   or   M^T X = B,
 *         |      ...                             |
 *
 * with the problem's mass matrix in the place of each I, if it has one; of size s n, factorised once and solved for
 * many vectors: X, B [s][n][L]. Dense or sparse as J is (jacobian.h), by the kernels of shifted.h. One thread each. */
#ifndef SENS_COUPLED_H
#define SENS_COUPLED_H

#include "jacobian.h"
#include "shifted.h"

struct sens_coupled {
    struct sens_jacobian *J;
    struct sens_shifted *system;
    size_t n, stages;
    sens_real *J_value;        /* [stages][entries of J] at the last points */
    sens_real *value;          /* of the blocks a_ij J_j, in the order of the pattern; dense: by rows */
    struct sens_pattern whole; /* sparse: of them */
    struct sens_mass mass;     /* the problem's, once a stage; without one all 0 */
    sens_real *unit;           /* [stages][n] of its equations; without one NULL */
};

/* Memory from the arena, which gives back what a library holds when it is released. `by`: which product J may be made
 * of, as in stage_matrix.h. SENS_NO_MEMORY; SENS_UNSUPPORTED: too large. */
sens_status sens_coupled_create(struct sens_ctx *ctx, const struct sens_problem *pb, enum sens_product by,
                                size_t stages, struct sens_coupled *coupled);

/* J_j at the points at[j]; the factors stay as they are. */
void sens_coupled_at(struct sens_coupled *coupled, const struct sens_at *at);

/* The factors of M with a [stages][stages]. SENS_NONFINITE, SENS_SINGULAR, SENS_NO_MEMORY: there are none then. */
sens_status sens_coupled_factor(struct sens_coupled *coupled, sens_real h, const sens_real *a);

struct sens_coupled_solution { /* of M X = B, or of M^T X = B, with h and a as in sens_coupled_factor */
    sens_real h;
    const sens_real *a;
    bool transposed;
    size_t L;
    const sens_real *B, *X; /* [stages][n][L] */
};

/* R [stages][n][L] = B - M X, or B - M^T X. work [n][L]. */
void sens_coupled_residual(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                           sens_real *work, sens_real *R);

/* The same, but 0 in the lanes in which every equation is right to rounding of its own terms (residual.h), whose sizes
 * are in `terms` [stages][n][L] then; work [2][n][L]. false: that is all of them. */
bool sens_coupled_off(const struct sens_coupled *coupled, const struct sens_coupled_solution *of,
                      sens_real *work, sens_real *terms, sens_real *R);

/* X [stages][n][L] = M^-1 X or M^-T X. */
static inline void sens_coupled_solve(struct sens_coupled *coupled, bool transposed, size_t L, sens_real *X)
{
    sens_shifted_solve(coupled->system, transposed, L, X);
}

#endif
