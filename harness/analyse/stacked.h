/* harness/analyse/stacked.h - the sensitivities of all chosen states at all times as one matrix,
 *
 *     M[(j, i)][k] = p_k S_ik(t_j) / unit_ij,
 *
 * as linear regression has it: x moves by M d, relative to its units, when the logarithms of the parameters move by d.
 * Beside it how far M is known: the distance to the matrix of the closer solve. */
#ifndef ANALYSE_STACKED_H
#define ANALYSE_STACKED_H

#include "analysis.h"

enum fate {
    FATE_KEPT,
    FATE_NO_EFFECT, /* a column no longer than its error, or than the last digits of the states */
    FATE_ZERO       /* the parameter is 0 and has no logarithm */
};
extern const char *const fate_name[];

struct stacked {       /* memory of the arena */
    size_t rows, cols; /* of the kept columns; rows whose unit is undefined are left out */
    size_t *parameter; /* [cols] */
    double *M;         /* [cols][rows], columns of length 1 */
    double *length;    /* [cols] what they were divided by */
    double noise;      /* Frobenius norm of the error of M; singular values below it are not known from 0 */
    enum fate *fate;   /* [chosen parameters] */
};

/* SENS_NO_MEMORY; SENS_UNSUPPORTED, with a message in ctx: no row, or no column is left. */
sens_status stacked_make(struct sens_ctx *ctx, const struct analysis *analysis, struct stacked *stacked);

#endif
