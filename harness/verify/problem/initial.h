/* harness/verify/problem/initial.h - an initial state beside its algebraic equations, see initial_algebraic.c. */
#ifndef VERIFY_INITIAL_H
#define VERIFY_INITIAL_H

#include <gsl/gsl_permutation.h>

#include "products.h"

struct start {
    const struct subject *subject;
    const double *p;   /* nominal ones, although those of subject are drawn */
    size_t rows, *row; /* which are algebraic */
    double *J, *F;     /* [rows][n], [rows][np]: df/dx and df/dp at the nominal parameters */
    double *x0;        /* [n] there */
    bool *exact;       /* [rows] they hold there */
    bool *given;       /* [n] by a row of M that has this entry alone: not to be moved */
    double *left;      /* [n]: d there; NULL: not to be had */
};

struct place {
    const double *p;
    double *x, *f; /* [n]: x0(p), f(t0, x0(p), p) */
    double *J;     /* [rows][n] */
    double *A;     /* [n][n] its factors; NULL: it is singular, or there are too many equations */
    gsl_permutation order;
    char words[64];
};

/* [rows][cols] of the algebraic equations, by one lane at a time. */
double *initial_slopes(const struct start *start, const struct place *place, enum product product,
                       size_t cols);
/* The sum of the terms of equation r, with the larger of the numbers there and at the nominal parameters, one of which
 * may be 0. */
double initial_terms(const struct start *start, const struct place *place, size_t r);
/* d [n] becomes A^-1 d. place->A is there. */
void initial_solve(const struct start *start, const struct place *place, double *d);
/* [n]: what rounding of f and of x0 moves each state by, through A^-1. */
double *initial_rounding(const struct start *start, const struct place *place);

#endif
