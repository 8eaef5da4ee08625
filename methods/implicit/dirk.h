/* methods/implicit/dirk.h - what the files of the diagonally implicit scheme share: its workspace, and the solution
 * of one stage. */
#ifndef SENS_DIRK_H
#define SENS_DIRK_H

#include <string.h>

#include "implicit.h"
#include "stage_matrix.h"

struct sens_dirk {
    struct sens_implicit head; /* f is row 0 of K */
    sens_real gamma;           /* a_ii of the implicit stages */
    struct sens_stage_matrix
        matrix;         /* I - h gamma J, J = df/dx at the step's start or where it was renewed */
    sens_real factored; /* the h gamma of the factors that go with that J; 0: there are none */
    sens_real *K;       /* [stages][n] slopes of what is implicit */
    sens_real *base;    /* [n] y + h sum_{j<i} a_ij K_j of the stage at hand; with M without y */
    sens_real *d;       /* [n] Newton's correction; the estimate of a step */
    sens_real *y1;      /* [n] candidate, unless it is the last stage state */
    /* Of an additive step (dirk_additive.c): f_I, for which the matrix and K are then; f_E at the stages, [stages][n].
     * NULL: there is no split, or the tableau takes f as a whole. */
    const struct sens_problem *part;
    sens_real *N;
    sens_real *z, *Md; /* [n] with a mass matrix M: Y_i - y of the stage at hand, M d */
    double
        left; /* of the trial at hand: the largest distance of a stage from its solution, as sens_work.residual */
};

/* Stage i of a step of h: Y_i and K_i with Y_i = base + h gamma K_i, K_i = f(t_i, Y_i), by Newton's method.
 * Recoverable: SENS_NOT_CONVERGED, SENS_SINGULAR, SENS_NONFINITE, a status of f. */
sens_status sens_dirk_newton(struct sens_dirk *dirk, sens_real h, int i);

/* ---- with a mass matrix (dirk_mass.c) -------------------------------------------------------------------- */

/* What the problem's mass matrix takes. SENS_UNSUPPORTED, with a message: the tableau cannot; else as
 * sens_mass_matrix_create. */
sens_status sens_dirk_mass_create(struct sens_ctx *ctx, struct sens_dirk *dirk);
/* z and w where Newton's method begins in stage i, which is the stage before; then with a correction d. */
void sens_dirk_mass_predict(struct sens_dirk *dirk, int i, sens_real *w);
void sens_dirk_mass_move(struct sens_dirk *dirk, sens_real *w);

/* ---- with a split (dirk_additive.c) ---------------------------------------------------------------------- */

/* What f_I takes, where the tableau is additive. SENS_UNSUPPORTED, with a message: a mass matrix is there;
 * SENS_NO_MEMORY. */
sens_status sens_dirk_additive_create(struct sens_ctx *ctx, struct sens_dirk *dirk);
/* f_I at (t, Y), [n]. Any status of its rhs. */
sens_status sens_dirk_additive_f(const struct sens_dirk *dirk, sens_real t, const sens_real *Y, sens_real *f);
/* Row i of N, and of the scheme's K, which is their sum, where Y_i and row i of K are known; i = 0: where f is, and row
 * 0 of K becomes it, too. Any status of f. */
sens_status sens_dirk_additive_slopes(struct sens_dirk *dirk, sens_real h, int i);
/* base of stage i += h sum_{j<i} aE_ij N_j; and the end, which is no stage: Y_s + h sum_j (b_j - aE_sj) N_j. */
void sens_dirk_additive_add(struct sens_dirk *dirk, sens_real h, int i);
void sens_dirk_additive_end(const struct sens_dirk *dirk, sens_real h, sens_real *y1);
/* e = h (|sum_i (b_i - bhat_i) N_i| + |sum_i (b_i - bhat_i) K_i|), [n]: the estimate of a step. */
void sens_dirk_additive_error(const struct sens_dirk *dirk, sens_real h, sens_real *e);

/* J at (t, y), and the factors of I - h gamma J. */
sens_status sens_dirk_renew(struct sens_dirk *dirk, sens_real h, sens_real t, const sens_real *y);

#endif
