/* Kernel `own` of shifted.h for complex shifts: P M = L U as in own.c, a pivot of the largest |re| + |im|. */
#include <tgmath.h>

#include "kernel.h"
#include "vectors.h"

struct pair {
    sens_real re, im;
};

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    shifted->own = SENS_NEW(ctx, size_t, shifted->n);
    return shifted->own ? SENS_OK : SENS_NO_MEMORY;
}

static struct pair entry(const struct sens_shifted *shifted, size_t i, size_t j)
{
    const sens_real *const m = shifted->M + 2 * (i * shifted->n + j);
    return (struct pair){m[0], m[1]};
}

static sens_real size(struct pair a)
{
    return fabs(a.re) + fabs(a.im);
}

static struct pair product(struct pair a, struct pair b)
{
    return (struct pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* 1 / a, scaled by its larger part so that nothing overflows on the way (Smith, Comm. ACM 5 (1962) 435). */
static struct pair inverse(struct pair a)
{
    if (fabs(a.re) >= fabs(a.im)) {
        const sens_real ratio = a.im / a.re, whole = a.re + a.im * ratio;
        return (struct pair){1 / whole, -ratio / whole};
    }
    const sens_real ratio = a.re / a.im, whole = a.im + a.re * ratio;
    return (struct pair){ratio / whole, -1 / whole};
}

/* Row i of M from column k on, less l times row k. */
static void eliminate(const struct sens_shifted *shifted, size_t k, size_t i, struct pair l)
{
    const size_t n = shifted->n;
    const sens_real *const from = shifted->M + 2 * k * n;
    sens_real *const to = shifted->M + 2 * i * n;
    to[2 * k] = l.re, to[2 * k + 1] = l.im;
    for (size_t j = k + 1; j < n; j++) {
        to[2 * j] -= l.re * from[2 * j] - l.im * from[2 * j + 1];
        to[2 * j + 1] -= l.re * from[2 * j + 1] + l.im * from[2 * j];
    }
}

static sens_status factor(struct sens_shifted *shifted)
{
    const size_t n = shifted->n;
    size_t *const pivot = shifted->own;
    for (size_t k = 0; k < n; k++) {
        pivot[k] = k;
        for (size_t i = k + 1; i < n; i++)
            if (size(entry(shifted, i, k)) > size(entry(shifted, pivot[k], k))) pivot[k] = i;
        sens_kernel_exchange(2 * n, shifted->M, k, pivot[k]);
        const struct pair head = entry(shifted, k, k);
        if (size(head) == 0) return SENS_SINGULAR;
        const struct pair by = inverse(head);
        for (size_t i = k + 1; i < n; i++) eliminate(shifted, k, i, product(entry(shifted, i, k), by));
    }
    return SENS_OK;
}

/* x_i -= m x_j, rows [2][L] of X */
ALWAYS_INLINE void subtract(size_t L, struct pair m, const sens_real *xj, sens_real *xi)
{
    for (size_t l = 0; l < L; l++) {
        const sens_real re = xj[l], im = xj[L + l];
        xi[l] -= m.re * re - m.im * im;
        xi[L + l] -= m.re * im + m.im * re;
    }
}

ALWAYS_INLINE void divide(size_t L, struct pair by, sens_real *xi)
{
    const struct pair times = inverse(by);
    for (size_t l = 0; l < L; l++) {
        const struct pair x = product((struct pair){xi[l], xi[L + l]}, times);
        xi[l] = x.re, xi[L + l] = x.im;
    }
}

/* L U X = P B */
ALWAYS_INLINE void plain(size_t L, const struct sens_shifted *shifted, sens_real *X)
{
    const size_t n = shifted->n, row = 2 * L, *const pivot = shifted->own;
    for (size_t i = 0; i < n; i++) sens_kernel_exchange(row, X, i, pivot[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) subtract(L, entry(shifted, i, j), X + j * row, X + i * row);
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) subtract(L, entry(shifted, i, j), X + j * row, X + i * row);
        divide(L, entry(shifted, i, i), X + i * row);
    }
}

/* U^T L^T P X = B, not conjugated */
ALWAYS_INLINE void transposed_by_columns(size_t L, const struct sens_shifted *shifted, sens_real *X)
{
    const size_t n = shifted->n, row = 2 * L, *const pivot = shifted->own;
    for (size_t j = 0; j < n; j++) {
        divide(L, entry(shifted, j, j), X + j * row);
        for (size_t i = j + 1; i < n; i++) subtract(L, entry(shifted, j, i), X + j * row, X + i * row);
    }
    for (size_t j = n; j-- > 0;)
        for (size_t i = 0; i < j; i++) subtract(L, entry(shifted, j, i), X + j * row, X + i * row);
    for (size_t i = n; i-- > 0;) sens_kernel_exchange(row, X, i, pivot[i]);
}

ALWAYS_INLINE void solve_lanes(size_t L, const struct sens_shifted *shifted, bool transposed, sens_real *X)
{
    if (transposed)
        transposed_by_columns(L, shifted, X);
    else
        plain(L, shifted, X);
}

/* With the usual numbers of lanes as constants. */
static void solve(struct sens_shifted *shifted, bool transposed, size_t L, sens_real *X)
{
    const struct sens_shifted *const with = sens_kernel_factors(shifted);
    switch (L) {
        CASE(1, solve_lanes, with, transposed, X)
        CASE(4, solve_lanes, with, transposed, X)
        CASE(8, solve_lanes, with, transposed, X)
    default:
        solve_lanes(L, with, transposed, X);
    }
}

const struct sens_kernel sens_kernel_own_complex = {
    .name = "own", .create = create, .factor = factor, .solve = solve};
