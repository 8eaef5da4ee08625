/* methods/factors/lane_columns.h - a column of a sparse factor, or a row of one that is kept by rows, and W lanes of
 * a vector: X [n][W], W at most SENS_COLUMN_LANES and a constant where these are inlined. Complex: the factor has pairs
 * of real and imaginary part, X is [n][2][W], the real lanes first. */
#ifndef SENS_LANE_COLUMNS_H
#define SENS_LANE_COLUMNS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "vectors.h"

enum { SENS_COLUMN_LANES = 8 }; /* that go together */

struct column { /* `count` entries of X's rows, without the diagonal */
    const int *row;
    const double *value;
    int count;
};

/* X_row -= value x for the rows of a column, x = X_own. */
ALWAYS_INLINE void scatter_real(size_t W, struct column column, const double *own, double *X)
{
    double x[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) x[w] = own[w];
    for (int e = 0; e < column.count; e++) {
        double *const to = X + (size_t)column.row[e] * W;
        for (size_t w = 0; w < W; w++) to[w] -= column.value[e] * x[w];
    }
}

/* X_own -= sum value X_row */
ALWAYS_INLINE void gather_real(size_t W, struct column column, const double *X, double *own)
{
    double x[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) x[w] = own[w];
    for (int e = 0; e < column.count; e++) {
        const double *const from = X + (size_t)column.row[e] * W;
        for (size_t w = 0; w < W; w++) x[w] -= column.value[e] * from[w];
    }
    for (size_t w = 0; w < W; w++) own[w] = x[w];
}

ALWAYS_INLINE void divide_real(size_t W, double by, double *own)
{
    for (size_t w = 0; w < W; w++) own[w] /= by;
}

/* ---- complex ------------------------------------------------------------------------------------------- */

ALWAYS_INLINE void scatter_complex(size_t W, struct column column, const double *own, double *X)
{
    double re[SENS_COLUMN_LANES], im[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) re[w] = own[w], im[w] = own[W + w];
    for (int e = 0; e < column.count; e++) {
        double *const to = X + (size_t)column.row[e] * 2 * W;
        const double a = column.value[2 * e], b = column.value[2 * e + 1];
        for (size_t w = 0; w < W; w++) to[w] -= a * re[w] - b * im[w];
        for (size_t w = 0; w < W; w++) to[W + w] -= a * im[w] + b * re[w];
    }
}

ALWAYS_INLINE void gather_complex(size_t W, struct column column, const double *X, double *own)
{
    double re[SENS_COLUMN_LANES], im[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) re[w] = own[w], im[w] = own[W + w];
    for (int e = 0; e < column.count; e++) {
        const double *const from = X + (size_t)column.row[e] * 2 * W;
        const double a = column.value[2 * e], b = column.value[2 * e + 1];
        for (size_t w = 0; w < W; w++) re[w] -= a * from[w] - b * from[W + w];
        for (size_t w = 0; w < W; w++) im[w] -= a * from[W + w] + b * from[w];
    }
    for (size_t w = 0; w < W; w++) own[w] = re[w], own[W + w] = im[w];
}

/* By 1 / by, scaled by its larger part so that nothing overflows on the way (Smith, Comm. ACM 5 (1962) 435). */
ALWAYS_INLINE void divide_complex(size_t W, const double *by, double *own)
{
    const bool wide = fabs(by[0]) >= fabs(by[1]);
    const double ratio = wide ? by[1] / by[0] : by[0] / by[1];
    const double whole = wide ? by[0] + by[1] * ratio : by[1] + by[0] * ratio;
    const double a = (wide ? 1 : ratio) / whole, b = (wide ? -ratio : -1) / whole;
    for (size_t w = 0; w < W; w++) {
        const double re = own[w], im = own[W + w];
        own[w] = a * re - b * im;
        own[W + w] = a * im + b * re;
    }
}

/* ---- of either kind, which is a constant where these are inlined --------------------------------------- */

ALWAYS_INLINE void scatter(size_t W, bool is_complex, struct column column, const double *own, double *X)
{
    if (is_complex)
        scatter_complex(W, column, own, X);
    else
        scatter_real(W, column, own, X);
}

ALWAYS_INLINE void gather(size_t W, bool is_complex, struct column column, const double *X, double *own)
{
    if (is_complex)
        gather_complex(W, column, X, own);
    else
        gather_real(W, column, X, own);
}

ALWAYS_INLINE void divide(size_t W, bool is_complex, const double *by, double *own)
{
    if (is_complex)
        divide_complex(W, by, own);
    else
        divide_real(W, *by, own);
}

#endif
