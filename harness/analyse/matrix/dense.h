/* harness/analyse/matrix/dense.h - factorisations of dense matrices by LAPACK, which is loaded when it
 * is first asked for.
 *
 * Matrices stand by columns, as LAPACK has them. SENS_UNAVAILABLE, with a message in ctx: LAPACK is not there. */
#ifndef ANALYSE_DENSE_H
#define ANALYSE_DENSE_H

#include <stdbool.h>

#include "sens/context.h"

/* A P = Q R with column pivoting (dgeqp3): order[r] is the column of A that comes r-th, |R_rr| falls. A [cols][rows] is
 * overwritten. R [cols][cols] by rows, zero below the diagonal and in rows past the last row of A. SENS_NO_MEMORY,
 * SENS_UNSUPPORTED: too large for LAPACK. */
sens_status dense_pivoted_qr(struct sens_ctx *ctx, size_t rows, size_t cols, double *A, size_t *order,
                             double *R);

/* Of a square A [n][n], overwritten, by columns or by rows: singular values sigma [n], falling, and the right singular
 * vectors of the matrix whose rows A holds: V [n][n], vector number r in V[r][0..n-1] (dgesvd). V NULL: values alone.
 * SENS_NOT_CONVERGED, SENS_NO_MEMORY. */
sens_status dense_svd(struct sens_ctx *ctx, size_t n, double *A, double *sigma, double *V);

/* X [n] = R^-1 X or, transposed, R^-T X, of an upper triangle R by rows, `stride` numbers a row, with no zero on the
 * diagonal. */
void dense_solve_triangle(size_t n, size_t stride, const double *R, bool transposed, double *X);

#endif
