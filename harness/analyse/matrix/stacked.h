/* harness/analyse/matrix/stacked.h - the sensitivities of all chosen states at all times as one matrix, as
 * linear regression has it: a row for each state and time, a column for each parameter,
 *
 *     STACKED_LOGARITHMS   p_k S_ik(t_j) / unit_ij     x by its units, when the logarithms of the parameters move
 *     STACKED_PARAMETERS   S_ik(t_j) / unit_ij         when the parameters move
 *
 * Columns are divided by their lengths. Beside it how far the matrix is known: the distance to that of the other
 * solve. */
#ifndef ANALYSE_STACKED_H
#define ANALYSE_STACKED_H

#include "analysis.h"

enum fate {
    FATE_KEPT,
    FATE_NO_EFFECT, /* a column not known from 0: its error is a tenth of it or more, or it is last digits of states */
    FATE_ZERO /* the parameter is 0 and has no logarithm, where one is wanted */
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

enum stacking { STACKED_LOGARITHMS, STACKED_PARAMETERS };

/* Of one of the two solutions; unit [times][n], rows where it is NaN are left out. SENS_NO_MEMORY; SENS_UNSUPPORTED,
 * with a message in ctx: no row, or no column is left. */
sens_status stacked_make(struct sens_ctx *ctx, const struct analysis *analysis,
                         const struct solution *solution, enum stacking stacking, const double *unit,
                         struct stacked *stacked);

#endif
