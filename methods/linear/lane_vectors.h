/* methods/linear/lane_vectors.h - rows of L lanes in whole vectors, and what is left over number by number; L is best a
 * constant where these are inlined. Explicit, because gcc takes so few lanes one by one where it cannot tell that two
 * rows are apart. Results are those of loops over lanes. */
#ifndef SENS_LANE_VECTORS_H
#define SENS_LANE_VECTORS_H

#include <tgmath.h>

#include "vectors.h"

ALWAYS_INLINE quartet lanes_load(const sens_real *x)
{
    return *(const quartet_in_memory *)x;
}

ALWAYS_INLINE void lanes_store(sens_real *x, quartet v)
{
    *(quartet_in_memory *)x = v;
}

/* The first `count` of a quartet, and 0. */
ALWAYS_INLINE quartet lanes_load_some(size_t count, const sens_real *x)
{
    if (count == QUARTET) return lanes_load(x);
    sens_real some[QUARTET] = {0};
    for (size_t l = 0; l < count; l++) some[l] = x[l];
    return lanes_load(some);
}

#ifdef SENS_EXTENDED
typedef int lanes_truth; /* of each lane */

ALWAYS_INLINE quartet lanes_sizes(quartet v)
{
    return fabs(v);
}

ALWAYS_INLINE quartet lanes_larger(quartet a, quartet b)
{
    return a > b ? a : b;
}

ALWAYS_INLINE bool lanes_true(lanes_truth truth, size_t lane)
{
    (void)lane;
    return truth;
}
#else
typedef int64_t lanes_truth VECTOR_OF(QUARTET); /* of each lane; true: all bits */

/* |v|, without the signs. */
ALWAYS_INLINE quartet lanes_sizes(quartet v)
{
    return (quartet)((lanes_truth)v & INT64_MAX);
}

/* b where one of them is no number */
ALWAYS_INLINE quartet lanes_larger(quartet a, quartet b)
{
    const lanes_truth larger = a > b;
    return (quartet)(((lanes_truth)a & larger) | ((lanes_truth)b & ~larger));
}

ALWAYS_INLINE bool lanes_true(lanes_truth truth, size_t lane)
{
    return truth[lane];
}
#endif

/* y += a x */
ALWAYS_INLINE void lanes_add(size_t L, sens_real a, const sens_real *x, sens_real *y)
{
    size_t l = 0;
    for (; l + QUARTET <= L; l += QUARTET) lanes_store(y + l, lanes_load(y + l) + a * lanes_load(x + l));
    for (; l < L; l++) y[l] += a * x[l];
}

/* y += |a x| */
ALWAYS_INLINE void lanes_add_sizes(size_t L, sens_real a, const sens_real *x, sens_real *y)
{
    size_t l = 0;
    for (; l + QUARTET <= L; l += QUARTET)
        lanes_store(y + l, lanes_load(y + l) + lanes_sizes(a * lanes_load(x + l)));
    for (; l < L; l++) y[l] += fabs(a * x[l]);
}

/* y = sum_j a_j X_j and, where they are wanted, sizes = sum_j |a_j X_j|, else NULL; rows X_j [L], a[j * apart] */
ALWAYS_INLINE void lanes_weigh(size_t L, size_t count, const sens_real *a, size_t apart, const sens_real *X,
                               sens_real *y, sens_real *sizes)
{
    size_t l = 0;
    for (; l + QUARTET <= L; l += QUARTET) {
        quartet sum = {0}, sum_sizes = {0};
        for (size_t j = 0; j < count; j++) {
            const quartet term = a[j * apart] * lanes_load(X + j * L + l);
            sum += term;
            sum_sizes += lanes_sizes(term);
        }
        lanes_store(y + l, sum);
        if (sizes) lanes_store(sizes + l, sum_sizes);
    }
    for (; l < L; l++) {
        sens_real sum = 0, sum_sizes = 0;
        for (size_t j = 0; j < count; j++) {
            const sens_real term = a[j * apart] * X[j * L + l];
            sum += term;
            sum_sizes += fabs(term);
        }
        y[l] = sum;
        if (sizes) sizes[l] = sum_sizes;
    }
}

/* y -= sum_j a_j X_j, rows of X [count][L], in this order */
ALWAYS_INLINE void lanes_subtract_sum(size_t L, size_t count, const sens_real *a, const sens_real *X,
                                      sens_real *y)
{
    size_t l = 0;
    for (; l + QUARTET <= L; l += QUARTET) {
        quartet sum = lanes_load(y + l);
        for (size_t j = 0; j < count; j++) sum -= a[j] * lanes_load(X + j * L + l);
        lanes_store(y + l, sum);
    }
    for (; l < L; l++) {
        sens_real sum = y[l];
        for (size_t j = 0; j < count; j++) sum -= a[j] * X[j * L + l];
        y[l] = sum;
    }
}

/* y /= a */
ALWAYS_INLINE void lanes_divide(size_t L, sens_real a, sens_real *y)
{
    size_t l = 0;
    for (; l + QUARTET <= L; l += QUARTET) lanes_store(y + l, lanes_load(y + l) / a);
    for (; l < L; l++) y[l] /= a;
}

#endif
