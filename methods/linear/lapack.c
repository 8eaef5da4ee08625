/* Kernel `lapack` of shifted.h. A is M^T as LAPACK sees M's rows: A = P L U, where P^T exchanges row i with
 * pivot[i] - 1 >= i, in the order of i. Of M X = B: X^T = B^T U^-1 L^-1 P^T; of M^T X = B: X^T = B^T P L^-T U^-T.
 * For complex shifts the same by zgetrf and ztrsm. LAPACK wants pairs where the lanes have real and imaginary parts
 * apart: some lanes at a time are copied there and back. */
#include "kernel.h"

#ifdef SENS_KERNEL_HAS_LAPACK
#include <limits.h>

enum { TOGETHER = 8 }; /* lanes that are copied at a time */

/* dgetrf and dtrsm, or zgetrf and ztrsm on pairs. Fortran's: after the arguments, the lengths of texts. */
typedef void getrf(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
typedef void trsm(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                  const int *n, const double *alpha, const double *a, const int *lda, double *b,
                  const int *ldb, size_t, size_t, size_t, size_t);

struct lapack {
    getrf *getrf;
    trsm *trsm;
    pthread_mutex_t *alone;
    int *pivot;    /* [n] */
    double *pairs; /* [n][TOGETHER][2], where M is complex */
};

static bool load(bool is_complex, struct lapack *lapack)
{
    const struct sens_kernel_name wanted[] = {{is_complex ? "zgetrf_" : "dgetrf_", &lapack->getrf},
                                              {is_complex ? "ztrsm_" : "dtrsm_", &lapack->trsm}};
    return sens_kernel_blas_functions(SENS_LAPACK_LIBRARY, 2, wanted, &lapack->alone);
}

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    struct lapack *const lapack = SENS_NEW(ctx, struct lapack, 1);
    if (shifted->n > INT_MAX) return sens_fail(ctx, SENS_UNSUPPORTED, "too many unknowns for LAPACK");
    if (!lapack) return SENS_NO_MEMORY;
    if (!load(shifted->is_complex, lapack)) return SENS_UNAVAILABLE;
    shifted->own = lapack;
    lapack->pivot = SENS_NEW(ctx, int, shifted->n);
    if (shifted->is_complex) lapack->pairs = SENS_NEW(ctx, double, 2 * TOGETHER * shifted->n);
    return lapack->pivot && (lapack->pairs || !shifted->is_complex) ? SENS_OK : SENS_NO_MEMORY;
}

/* The pairs are shared. */
static sens_status create_like(struct sens_ctx *ctx, struct sens_shifted *shifted, const void *other)
{
    struct lapack *const lapack = shifted->own = SENS_NEW(ctx, struct lapack, 1);
    if (!lapack) return SENS_NO_MEMORY;
    *lapack = *(const struct lapack *)other;
    lapack->pivot = SENS_NEW(ctx, int, shifted->n);
    return lapack->pivot ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status factor(struct sens_shifted *shifted)
{
    const int n = (int)shifted->n;
    int info;
    struct lapack *const lapack = shifted->own;
    sens_kernel_enter(lapack->alone);
    lapack->getrf(&n, &n, shifted->M, &n, lapack->pivot, &info);
    sens_kernel_leave(lapack->alone);
    return info == 0 ? SENS_OK : SENS_SINGULAR;
}

/* X^T becomes X^T T^-1 or X^T T^-T, T the upper or lower triangle of the factors; trans is "N" or "T", never "C", which
 * conjugates. */
static void divide(const struct sens_shifted *shifted, const char *uplo, const char *trans, size_t L,
                   double *X)
{
    const int n = (int)shifted->n, lanes = (int)L;
    const double one[2] = {1, 0};
    const struct lapack *const lapack = shifted->own;
    sens_kernel_enter(lapack->alone);
    lapack->trsm("R", uplo, trans, *uplo == 'L' ? "U" : "N", &lanes, &n, one, shifted->M, &n, X, &lanes, 1, 1,
                 1, 1);
    sens_kernel_leave(lapack->alone);
}

/* X: L numbers a row, or L pairs. */
static void solve(struct sens_shifted *shifted, bool transposed, size_t L, double *X)
{
    const struct sens_shifted *const with = sens_kernel_factors(shifted);
    const int *const pivot = ((const struct lapack *)with->own)->pivot;
    const size_t row = with->is_complex ? 2 * L : L;
    if (!transposed) {
        divide(with, "U", "N", L, X);
        divide(with, "L", "N", L, X);
        for (size_t i = with->n; i-- > 0;) sens_kernel_exchange(row, X, i, (size_t)pivot[i] - 1);
    } else {
        for (size_t i = 0; i < with->n; i++) sens_kernel_exchange(row, X, i, (size_t)pivot[i] - 1);
        divide(with, "L", "T", L, X);
        divide(with, "U", "T", L, X);
    }
}

static void solve_complex(struct sens_shifted *shifted, bool transposed, size_t L, double *X)
{
    double *const pairs = ((struct lapack *)shifted->own)->pairs;
    for (size_t first = 0; first < L; first += TOGETHER) {
        const size_t count = L - first < TOGETHER ? L - first : TOGETHER;
        const struct sens_kernel_pairs how = {shifted->n, L, first, count, count, 1};
        sens_kernel_to_pairs(&how, X, pairs);
        solve(shifted, transposed, count, pairs);
        sens_kernel_from_pairs(&how, pairs, X);
    }
}

static bool negative(const struct sens_shifted *shifted)
{
    const int *const pivot = ((const struct lapack *)shifted->own)->pivot;
    const size_t n = shifted->n;
    bool odd = false;
    for (size_t k = 0; k < n; k++) odd ^= (shifted->M[k * n + k] < 0) != ((size_t)pivot[k] != k + 1);
    return odd;
}

const struct sens_kernel sens_kernel_lapack = {.name = "lapack",
                                               .create = create,
                                               .create_like = create_like,
                                               .factor = factor,
                                               .solve = solve,
                                               .negative = negative};
const struct sens_kernel sens_kernel_lapack_complex = {
    .name = "lapack", .create = create, .create_like = create_like, .factor = factor, .solve = solve_complex};
#else
typedef int sens_no_lapack; /* a source has to hold something */
#endif
