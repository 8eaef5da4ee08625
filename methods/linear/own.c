/* Kernel `own` of shifted.h: P M = L U by rows with partial pivoting, L and U over M, the unit diagonal of L
 * not kept. Row i was exchanged with pivot[i] >= i. */
#include <tgmath.h>

#include "kernel.h"

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    shifted->own = SENS_NEW(ctx, size_t, shifted->n);
    return shifted->own ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status factor(struct sens_shifted *shifted)
{
    const size_t n = shifted->n;
    sens_real *const M = shifted->M;
    size_t *const pivot = shifted->own;
    for (size_t k = 0; k < n; k++) {
        pivot[k] = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(M[i * n + k]) > fabs(M[pivot[k] * n + k])) pivot[k] = i;
        sens_kernel_exchange(n, M, k, pivot[k]);
        const sens_real *const row = M + k * n;
        if (row[k] == 0) return SENS_SINGULAR;
        for (size_t i = k + 1; i < n; i++) {
            const sens_real l = M[i * n + k] /= row[k];
            for (size_t j = k + 1; j < n; j++) M[i * n + j] -= l * row[j];
        }
    }
    return SENS_OK;
}

/* x_i -= m x_j, rows of X */
static void subtract(size_t L, sens_real m, const sens_real *xj, sens_real *xi)
{
    for (size_t l = 0; l < L; l++) xi[l] -= m * xj[l];
}

static void divide(size_t L, sens_real by, sens_real *xi)
{
    for (size_t l = 0; l < L; l++) xi[l] /= by;
}

/* L U X = P B */
static void solve_plain(const struct sens_shifted *shifted, size_t L, sens_real *X)
{
    const size_t n = shifted->n, *const pivot = shifted->own;
    const sens_real *const M = shifted->M;
    for (size_t i = 0; i < n; i++) sens_kernel_exchange(L, X, i, pivot[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) subtract(L, M[i * n + j], X + j * L, X + i * L);
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) subtract(L, M[i * n + j], X + j * L, X + i * L);
        divide(L, M[i * n + i], X + i * L);
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
static void solve_transposed(const struct sens_shifted *shifted, size_t L, sens_real *X)
{
    const size_t n = shifted->n, *const pivot = shifted->own;
    const sens_real *const M = shifted->M;
    for (size_t j = 0; j < n; j++) {
        divide(L, M[j * n + j], X + j * L);
        for (size_t i = j + 1; i < n; i++) subtract(L, M[j * n + i], X + j * L, X + i * L);
    }
    for (size_t j = n; j-- > 0;)
        for (size_t i = 0; i < j; i++) subtract(L, M[j * n + i], X + j * L, X + i * L);
    for (size_t i = n; i-- > 0;) sens_kernel_exchange(L, X, i, pivot[i]);
}

static void solve(struct sens_shifted *shifted, bool transposed, size_t L, sens_real *X)
{
    const struct sens_shifted *const with = sens_kernel_factors(shifted);
    if (L == 1 && !transposed)
        solve_one(with, X);
    else
        (transposed ? solve_transposed : solve_plain)(with, L, X);
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
