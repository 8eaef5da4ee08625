/* methods/implicit/firk_system.h - the coupled system of a fully implicit step, as the sweeps solve it:
 *
 *     M X = B   or   M^T X = B,      M = I - h (a_ij J_j)_ij (coupled.h),
 *
 * with J_j = df/dx at the stages. Either M is factorised itself, or it is iterated with P = I - h A (x) J, whose
 * factors are a real and a complex one of a third of the size (firk_matrix.h). J is df/dx at the start of the step,
 * where the forward solve has left its factors; else the mean of the J_j:
 *
 *     X += P^-1 (B - M X),     P^-1 = (T (x) I)(L (x) I - h I (x) J)^-1 (T^-1 A^-1 (x) I),     L = T^-1 A^-1 T,
 *
 * each lane until its corrections are rounding; a lane that does not get there is solved for with the factors of M.
 * What these give is corrected with them where an equation is off by more than rounding of its terms. No tolerance of
 * the solve enters. */
#ifndef FIRK_SYSTEM_H
#define FIRK_SYSTEM_H

#include "corrections.h"
#include "coupled.h"
#include "firk_matrix.h"

struct firk_system { /* one a thread */
    struct sens_firk_transform formula;
    struct sens_coupled coupled;
    sens_real h;
    bool factored;                  /* M is, for the step at hand */
    sens_real *B, *R, *D, *terms;   /* [3][n][L] */
    struct corrections corrections; /* with the factors of M */
    /* Of the iteration, once it is wanted or factors are kept. */
    bool has_matrix;
    bool iterates;                                   /* with a P of its own, where no factors are kept */
    bool contracts;                                  /* P has factors, for the step at hand */
    struct sens_firk_matrix matrix;                  /* P */
    sens_real C[SENS_FIRK_STAGES][SENS_FIRK_STAGES]; /* T^-1 A^-1 */
    struct corrections iterations;
    sens_real *exact; /* [3][n][L] what lanes are that do not get there */
};

/* For vectors in at most L lanes; `by`: which product J may be made of. Memory from the arena. SENS_NO_MEMORY;
 * SENS_UNSUPPORTED: the tableau is none of its family, or the system too large. */
sens_status firk_system_create(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                               size_t L, struct firk_system *system);

/* From now on it iterates. SENS_NO_MEMORY. */
sens_status firk_system_iterate(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                                size_t L, struct firk_system *system);

/* From now on steps may come with factors of P. SENS_NO_MEMORY. */
sens_status firk_system_keep(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                             size_t L, struct firk_system *system);

/* A step of h with its stages at the points at[0 .. 3); near: the factors of its P, real and complex, or NULL.
 * SENS_NONFINITE, SENS_SINGULAR, SENS_NO_MEMORY. */
sens_status firk_system_at(struct firk_system *system, sens_real h, const struct sens_at *at,
                           const struct sens_shifted *const *near);

/* X [3][n][L] = M^-1 X or M^-T X. SENS_SINGULAR, SENS_NO_MEMORY: X is lost. */
sens_status firk_system_solve(struct firk_system *system, bool transposed, size_t L, sens_real *X);

/* Adds the factorisations, those that were borrowed in their place, and the vectors solved for, since the last call to
 * *work, and forgets them. */
void firk_system_count(struct firk_system *system, struct sens_work *work);

#endif
