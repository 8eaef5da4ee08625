/* methods/implicit/firk.h - what the files of the fully implicit scheme share: its workspace, and the solution of the
 * stages. */
#ifndef SENS_FIRK_H
#define SENS_FIRK_H

#include "coupled.h"
#include "firk_matrix.h"
#include "implicit.h"

struct sens_firk {
    struct sens_implicit head;      /* f is row 0 of K */
    struct sens_firk_matrix matrix; /* J = df/dx at the step's start */
    struct sens_coupled coupled;    /* J of the iterates themselves, where that one is too far away */
    int filters;                    /* of an estimate */
    sens_real factored;             /* the h of the factors that go with that J; 0: there are none */
    sens_real *K;                   /* [4][n] */
    sens_real *Z, *W;               /* [3][n] increments of the stages, and T^-1 of them */
    sens_real *d, *F;               /* [3][n] corrections of W, then of Z; slopes of the iterates */
    sens_real *MW;                  /* [3][n] with a mass matrix M: M W, M Z, M A^-1 Z; else NULL */
    sens_real *Me;                  /* [n][L] with a mass matrix: M e of an estimate; else NULL */
    sens_real *y1;                  /* [n] candidate, unless it is the last stage state */
    double
        left; /* of the trial at hand: the distance of the stages from the solution, as sens_work.residual */
};

/* The stages of a step of h from the factors at hand: Y and Z. Recoverable: SENS_NOT_CONVERGED, SENS_SINGULAR,
 * SENS_NONFINITE, a status of f. */
sens_status sens_firk_newton(struct sens_firk *firk, sens_real h);

#endif
