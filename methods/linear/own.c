/* Kernel `own` of shifted.h: P M = L U by rows with partial pivoting, L and U over M, the unit diagonal of L
 * not kept. Row i was exchanged with pivot[i] >= i. */
#include <tgmath.h>

#include "kernel.h"
#include "lane_vectors.h"

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    shifted->own = SENS_NEW(ctx, size_t, shifted->n);
    return shifted->own ? SENS_OK : SENS_NO_MEMORY;
}

/* The row of the largest |M_ik|, i >= k. */
static size_t find_pivot(size_t n, const sens_real *M, size_t k)
{
    size_t pivot = k;
    sens_real largest = fabs(M[k * n + k]);
    for (size_t i = k + 1; i < n; i++) {
        const sens_real size = fabs(M[i * n + k]);
        if (!(size > largest)) continue;
        largest = size;
        pivot = i;
    }
    return pivot;
}

static sens_status factor(struct sens_shifted *shifted)
{
    const size_t n = shifted->n;
    sens_real *const M = shifted->M;
    size_t *const pivot = shifted->own;
    for (size_t k = 0; k < n; k++) {
        pivot[k] = find_pivot(n, M, k);
        sens_kernel_exchange(n, M, k, pivot[k]);
        const sens_real *const row = M + k * n;
        if (row[k] == 0) return SENS_SINGULAR;
        for (size_t i = k + 1; i < n; i++) {
            const sens_real l = M[i * n + k] /= row[k];
            if (l != 0) lanes_add(n - k - 1, -l, row + k + 1, M + i * n + k + 1);
        }
    }
    return SENS_OK;
}

/* L U X = P B */
ALWAYS_INLINE void plain(size_t L, const struct sens_shifted *shifted, sens_real *X)
{
    const size_t n = shifted->n, *const pivot = shifted->own;
    const sens_real *row = shifted->M;
    for (size_t i = 0; i < n; i++) sens_kernel_exchange(L, X, i, pivot[i]);
    for (size_t i = 0; i < n; i++, row += n) lanes_subtract_sum(L, i, row, X, X + i * L);
    for (size_t i = n; i-- > 0;) {
        row -= n;
        lanes_subtract_sum(L, n - i - 1, row + i + 1, X + (i + 1) * L, X + i * L);
        lanes_divide(L, row[i], X + i * L);
    }
}

/* The same of one vector, in the order of its lane among others, and so to its bits: a forward step solves for one at a
 * time, where loops over lanes cost more than the arithmetic. */
static void solve_one(const struct sens_shifted *shifted, sens_real *x)
{
    const size_t n = shifted->n, *const pivot = shifted->own;
    const sens_real *row = shifted->M;
    for (size_t i = 0; i < n; i++) sens_kernel_exchange(1, x, i, pivot[i]);
    for (size_t i = 0; i < n; i++, row += n) {
        sens_real sum = x[i];
        for (size_t j = 0; j < i; j++) sum -= row[j] * x[j];
        x[i] = sum;
    }
    for (size_t i = n; i-- > 0;) {
        row -= n;
        sens_real sum = x[i];
        for (size_t j = i + 1; j < n; j++) sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
}

/* U^T L^T P X = B, by columns of U^T and L^T, which are the rows of M */
ALWAYS_INLINE void transposed_by_columns(size_t L, const struct sens_shifted *shifted, sens_real *X)
{
    const size_t n = shifted->n, *const pivot = shifted->own;
    const sens_real *const M = shifted->M;
    for (size_t j = 0; j < n; j++) {
        lanes_divide(L, M[j * n + j], X + j * L);
        for (size_t i = j + 1; i < n; i++) lanes_add(L, -M[j * n + i], X + j * L, X + i * L);
    }
    for (size_t j = n; j-- > 0;)
        for (size_t i = 0; i < j; i++) lanes_add(L, -M[j * n + i], X + j * L, X + i * L);
    for (size_t i = n; i-- > 0;) sens_kernel_exchange(L, X, i, pivot[i]);
}

ALWAYS_INLINE void solve_lanes(size_t L, const struct sens_shifted *shifted, bool transposed, sens_real *X)
{
    if (transposed)
        transposed_by_columns(L, shifted, X);
    else if (L == 1)
        solve_one(shifted, X);
    else
        plain(L, shifted, X);
}

/* With the usual numbers of lanes as constants. */
static void solve(struct sens_shifted *shifted, bool transposed, size_t L, sens_real *X)
{
    const struct sens_shifted *const with = sens_kernel_factors(shifted);
    switch (L) {
        CASE(4, solve_lanes, with, transposed, X)
        CASE(8, solve_lanes, with, transposed, X)
    default:
        solve_lanes(L, with, transposed, X);
    }
}

static bool negative(const struct sens_shifted *shifted)
{
    const size_t n = shifted->n, *const pivot = shifted->own;
    bool odd = false;
    for (size_t k = 0; k < n; k++) odd ^= (shifted->M[k * n + k] < 0) != (pivot[k] != k);
    return odd;
}

const struct sens_kernel sens_kernel_own = {
    .name = "own", .create = create, .factor = factor, .solve = solve, .negative = negative};
