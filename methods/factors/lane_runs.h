/* methods/factors/lane_runs.h - a row or column of a sparse factor as runs of rows that follow each other, and W lanes
 * of a vector: X [n][W], or complex [n][2][W], the real lanes first, where the factor has pairs of real and imaginary
 * part. W is 1, 4 or 8, and a constant where these are inlined.
 *
 * Factors with dense blocks, as those of grids in the order of nested dissection, have runs of tens of entries. Inside
 * of one nothing is looked up: a single lane goes in whole vectors, too, and memory is read for the values alone.
 * Sums are made of several partial ones, for an addition takes longer than the next product. */
#ifndef SENS_LANE_RUNS_H
#define SENS_LANE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "lane_columns.h"

struct run {
    int row, count; /* rows row ... row + count - 1 of X */
};

struct runs { /* the value of each row of each run, one after the other */
    const struct run *run;
    const double *value;
    int count;
};

static inline quartet runs_load(const double *from)
{
    return *(const quartet_in_memory *)from;
}

static inline void runs_subtract(double *from, quartet v)
{
    *(quartet_in_memory *)from -= v;
}

/* ---- real ---------------------------------------------------------------------------------------------- */

static inline double runs_dot(int count, const double *a, const double *b)
{
    quartet p = {0}, q = {0}, r = {0}, s = {0};
    double sum = 0;
    int e = 0;
    for (; e + 4 * QUARTET <= count; e += 4 * QUARTET) {
        p += runs_load(a + e) * runs_load(b + e);
        q += runs_load(a + e + QUARTET) * runs_load(b + e + QUARTET);
        r += runs_load(a + e + 2 * QUARTET) * runs_load(b + e + 2 * QUARTET);
        s += runs_load(a + e + 3 * QUARTET) * runs_load(b + e + 3 * QUARTET);
    }
    for (; e + QUARTET <= count; e += QUARTET) p += runs_load(a + e) * runs_load(b + e);
    for (; e < count; e++) sum += a[e] * b[e];
    p = (p + q) + (r + s);
    for (int k = 0; k < QUARTET; k++) sum += p[k];
    return sum;
}

/* V quartets a row: own -= sum value X_row, two rows at a time. */
ALWAYS_INLINE void runs_gather_lanes(size_t V, const struct runs *runs, const double *X, double *own)
{
    const double *value = runs->value;
    quartet even[SENS_COLUMN_LANES / 2] = {{0}}, odd[SENS_COLUMN_LANES / 2] = {{0}};
    for (int r = 0; r < runs->count; r++) {
        const int count = runs->run[r].count;
        const double *x = X + (size_t)runs->run[r].row * V * QUARTET;
        int e = 0;
        for (; e + 2 <= count; e += 2, x += 2 * V * QUARTET)
            for (size_t v = 0; v < V; v++) {
                even[v] += value[e] * runs_load(x + v * QUARTET);
                odd[v] += value[e + 1] * runs_load(x + (V + v) * QUARTET);
            }
        for (size_t v = 0; e < count && v < V; v++) even[v] += value[e] * runs_load(x + v * QUARTET);
        value += count;
    }
    for (size_t v = 0; v < V; v++) runs_subtract(own + v * QUARTET, even[v] + odd[v]);
}

/* X_row -= value x, x = X_own */
ALWAYS_INLINE void runs_scatter_lanes(size_t V, const struct runs *runs, const double *own, double *X)
{
    const double *value = runs->value;
    quartet x[SENS_COLUMN_LANES / 2];
    for (size_t v = 0; v < V; v++) x[v] = runs_load(own + v * QUARTET);
    for (int r = 0; r < runs->count; r++) {
        double *to = X + (size_t)runs->run[r].row * V * QUARTET;
        for (int e = 0; e < runs->run[r].count; e++, to += V * QUARTET)
            for (size_t v = 0; v < V; v++) runs_subtract(to + v * QUARTET, value[e] * x[v]);
        value += runs->run[r].count;
    }
}

ALWAYS_INLINE void runs_gather_real(size_t W, const struct runs *runs, const double *X, double *own)
{
    if (W > 1) {
        runs_gather_lanes(W / QUARTET, runs, X, own);
        return;
    }
    const double *value = runs->value;
    double sum = 0;
    for (int r = 0; r < runs->count; r++) {
        sum += runs_dot(runs->run[r].count, value, X + runs->run[r].row);
        value += runs->run[r].count;
    }
    *own -= sum;
}

ALWAYS_INLINE void runs_scatter_real(size_t W, const struct runs *runs, const double *own, double *X)
{
    if (W > 1) {
        runs_scatter_lanes(W / QUARTET, runs, own, X);
        return;
    }
    const double x = *own, *value = runs->value;
    for (int r = 0; r < runs->count; r++) {
        const int count = runs->run[r].count;
        double *const to = X + runs->run[r].row;
        int e = 0;
        for (; e + QUARTET <= count; e += QUARTET) runs_subtract(to + e, runs_load(value + e) * x);
        for (; e < count; e++) to[e] -= value[e] * x;
        value += count;
    }
}

/* ---- complex ------------------------------------------------------------------------------------------- */

/* Lanes beside each other: two sums a lane are what the registers hold. */
ALWAYS_INLINE void runs_gather_pairs(size_t W, const struct runs *runs, const double *X, double *own)
{
    const double *value = runs->value;
    double re[SENS_COLUMN_LANES], im[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) re[w] = own[w], im[w] = own[W + w];
    for (int r = 0; r < runs->count; r++) {
        const double *x = X + (size_t)runs->run[r].row * 2 * W;
        for (int e = 0; e < runs->run[r].count; e++, x += 2 * W, value += 2) {
            for (size_t w = 0; w < W; w++) re[w] -= value[0] * x[w] - value[1] * x[W + w];
            for (size_t w = 0; w < W; w++) im[w] -= value[0] * x[W + w] + value[1] * x[w];
        }
    }
    for (size_t w = 0; w < W; w++) own[w] = re[w], own[W + w] = im[w];
}

/* One lane: of the two products of each part, sums of their own, or each would wait for the one before. */
ALWAYS_INLINE void runs_gather_pair(const struct runs *runs, const double *X, double *own)
{
    const double *value = runs->value;
    double rr = 0, ii = 0, ri = 0, ir = 0;
    for (int r = 0; r < runs->count; r++) {
        const double *x = X + (size_t)runs->run[r].row * 2;
        for (int e = 0; e < runs->run[r].count; e++, x += 2, value += 2) {
            rr += value[0] * x[0];
            ii += value[1] * x[1];
            ri += value[0] * x[1];
            ir += value[1] * x[0];
        }
    }
    own[0] -= rr - ii;
    own[1] -= ri + ir;
}

ALWAYS_INLINE void runs_gather_complex(size_t W, const struct runs *runs, const double *X, double *own)
{
    if (W > 1)
        runs_gather_pairs(W, runs, X, own);
    else
        runs_gather_pair(runs, X, own);
}

ALWAYS_INLINE void runs_scatter_complex(size_t W, const struct runs *runs, const double *own, double *X)
{
    const double *value = runs->value;
    double re[SENS_COLUMN_LANES], im[SENS_COLUMN_LANES];
    for (size_t w = 0; w < W; w++) re[w] = own[w], im[w] = own[W + w];
    for (int r = 0; r < runs->count; r++) {
        double *to = X + (size_t)runs->run[r].row * 2 * W;
        for (int e = 0; e < runs->run[r].count; e++, to += 2 * W, value += 2) {
            for (size_t w = 0; w < W; w++) to[w] -= value[0] * re[w] - value[1] * im[w];
            for (size_t w = 0; w < W; w++) to[W + w] -= value[0] * im[w] + value[1] * re[w];
        }
    }
}

/* ---- of either kind, which is a constant where these are inlined --------------------------------------- */

/* X_own -= sum value X_row */
ALWAYS_INLINE void runs_gather(size_t W, bool is_complex, const struct runs *runs, const double *X,
                               double *own)
{
    if (is_complex)
        runs_gather_complex(W, runs, X, own);
    else
        runs_gather_real(W, runs, X, own);
}

/* X_row -= value x for the rows of the runs, x = X_own */
ALWAYS_INLINE void runs_scatter(size_t W, bool is_complex, const struct runs *runs, const double *own,
                                double *X)
{
    if (is_complex)
        runs_scatter_complex(W, runs, own, X);
    else
        runs_scatter_real(W, runs, own, X);
}

#endif
