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
    sens_real *K;       /* [stages][n] */
    sens_real *base;    /* [n] y + h sum_{j<i} a_ij K_j of the stage at hand; with M without y */
    sens_real *d;       /* [n] Newton's correction; the estimate of a step */
    sens_real *y1;      /* [n] candidate, unless it is the last stage state */
    sens_real *z, *Md;  /* [n] with a mass matrix M: Y_i - y of the stage at hand, M d */
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

/* J at (t, y), and the factors of I - h gamma J. */
sens_status sens_dirk_renew(struct sens_dirk *dirk, sens_real h, sens_real t, const sens_real *y);

#endif
