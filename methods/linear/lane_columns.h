/* methods/linear/lane_columns.h - a column of a sparse factor, or a row of one that is kept by rows, and W lanes of
 * a vector: X [n][W], W at most SENS_COLUMN_LANES and a constant where these are inlined. */
#ifndef SENS_LANE_COLUMNS_H
#define SENS_LANE_COLUMNS_H

#include <stddef.h>

#include "vectors.h"

enum { SENS_COLUMN_LANES = 8 }; /* that go together */

struct column { /* `count` entries of X's rows, without the diagonal */
    const int *row;
    const double *value;
    int count;
};

/* X_row -= value x for the rows of a column, x = X_own. */
ALWAYS_INLINE void scatter(size_t W, struct column column, const double *own, double *X)
{
    double x[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) x[w] = own[w];
    for (int e = 0; e < column.count; e++) {
        double *const to = X + (size_t)column.row[e] * W;
        for (size_t w = 0; w < W; w++) to[w] -= column.value[e] * x[w];
    }
}

/* X_own -= sum value X_row */
ALWAYS_INLINE void gather(size_t W, struct column column, const double *X, double *own)
{
    double x[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) x[w] = own[w];
    for (int e = 0; e < column.count; e++) {
        const double *const from = X + (size_t)column.row[e] * W;
        for (size_t w = 0; w < W; w++) x[w] -= column.value[e] * from[w];
    }
    for (size_t w = 0; w < W; w++) own[w] = x[w];
}

ALWAYS_INLINE void divide(size_t W, double by, double *own)
{
    for (size_t w = 0; w < W; w++) own[w] /= by;
}

#endif
