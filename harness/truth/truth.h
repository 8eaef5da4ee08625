/* harness/truth/truth.h - what the derivative should be. */
#ifndef TRUTH_TRUTH_H
#define TRUTH_TRUTH_H

#include "cell.h"

struct truth {
    const char *kind;           /* "pde", "ode", "discrete", "reference", "none" */
    size_t rows;                /* outputs known: rows == m, or a sample of them */
    const size_t *row;          /* [rows] output indices */
    SENS_RESULT_ARRAYS(double); /* with `rows` outputs; NULL: not asked for, or not known */
};
/* The truth of a cell at one level, from the arena. SENS_NO_TRUTH when there is none. */
sens_status truth_find(struct sens_ctx *ctx, const struct cell *cell, enum bench_truth level,
                       struct truth *truth, struct bench_error *error);

struct truth_error {
    double err_x; /* relative, 2-norm, of the state */
    /* Relative, Frobenius, of all gradients asked for; NaN: the truth does not know them all. */
    double err_grad;
    double err_grad_max; /* largest absolute entry */
};
void truth_compare(const struct cell *cell, const struct truth *truth, const struct sens_out *out,
                   struct truth_error *error);

#endif
