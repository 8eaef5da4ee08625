/* harness/truth/truth.h - what the derivative should be. */
#ifndef TRUTH_TRUTH_H
#define TRUTH_TRUTH_H

#include "cell.h"

struct truth {
    const char *kind; /* "pde", "ode", "discrete", "reference", "none" */
    bool has_x, has_p, has_x0;
    size_t rows;       /* outputs known: rows == m, or a sample of them */
    const size_t *row; /* [rows] output indices */
    double *x;         /* [n] */
    double *G;         /* [rows] */
    double *dGdp;      /* [rows][np] */
    double *dGdx0;     /* [rows][n] */
};
/* The truth of a cell at one level, from the arena. SENS_NO_TRUTH when there is none. */
sens_status truth_find(struct sens_ctx *ctx, const struct cell *cell, enum bench_truth level,
                       struct truth *truth, struct bench_error *error);

struct truth_error {
    double err_x;        /* relative, 2-norm, of the state */
    double err_grad;     /* relative, Frobenius, of [dGdp | dGdx0] as far as asked for */
    double err_grad_max; /* largest absolute entry */
};
void truth_compare(const struct cell *cell, const struct truth *truth, const struct sens_out *out,
                   struct truth_error *error);

#endif
