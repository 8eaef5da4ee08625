/* Kernel `lapack` of shifted.h for complex shifts: lapack.c by zgetrf and ztrsm. LAPACK wants pairs where the
 * lanes have real and imaginary parts apart: some lanes at a time are copied there and back. */
#include "kernel.h"

#ifdef SENS_KERNEL_HAS_LAPACK
#include <limits.h>

enum { TOGETHER = 8 }; /* lanes that are copied at a time */

typedef void zgetrf(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
typedef void ztrsm(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                   const int *n, const double *alpha, const double *a, const int *lda, double *b,
                   const int *ldb, size_t, size_t, size_t, size_t);

struct lapack {
    zgetrf *zgetrf;
    ztrsm *ztrsm;
    pthread_mutex_t *alone;
    int *pivot;    /* [n] */
    double *pairs; /* [n][TOGETHER][2] */
};

static bool load(struct lapack *lapack)
{
    const struct sens_kernel_name wanted[] = {{"zgetrf_", &lapack->zgetrf}, {"ztrsm_", &lapack->ztrsm}};
    return sens_kernel_lapack_functions(2, wanted, &lapack->alone);
}

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    struct lapack *const lapack = SENS_NEW(ctx, struct lapack, 1);
    if (shifted->n > INT_MAX) return sens_fail(ctx, SENS_UNSUPPORTED, "too many unknowns for LAPACK");
    if (!lapack) return SENS_NO_MEMORY;
    if (!load(lapack)) return SENS_UNAVAILABLE;
    shifted->own = lapack;
    lapack->pivot = SENS_NEW(ctx, int, shifted->n);
    lapack->pairs = SENS_NEW(ctx, double, 2 * TOGETHER * shifted->n);
    return lapack->pivot && lapack->pairs ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status factor(struct sens_shifted *shifted)
{
    const int n = (int)shifted->n;
    int info;
    struct lapack *const lapack = shifted->own;
    sens_kernel_enter(lapack->alone);
    lapack->zgetrf(&n, &n, shifted->M, &n, lapack->pivot, &info);
    sens_kernel_leave(lapack->alone);
    return info == 0 ? SENS_OK : SENS_SINGULAR;
}

/* As in lapack.c; trans is "N" or "T", never "C", which conjugates. */
static void divide(const struct sens_shifted *shifted, const char *uplo, const char *trans, size_t count)
{
    const int n = (int)shifted->n, lanes = (int)count;
    const double one[2] = {1, 0};
    const struct lapack *const lapack = shifted->own;
    sens_kernel_enter(lapack->alone);
    lapack->ztrsm("R", uplo, trans, *uplo == 'L' ? "U" : "N", &lanes, &n, one, shifted->M, &n, lapack->pairs,
                  &lanes, 1, 1, 1, 1);
    sens_kernel_leave(lapack->alone);
}

/* Of `count` lanes in the pairs. */
static void solve_pairs(const struct sens_shifted *shifted, bool transposed, size_t count)
{
    const struct lapack *const lapack = shifted->own;
    const int *const pivot = lapack->pivot;
    const size_t row = 2 * count;
    if (!transposed) {
        divide(shifted, "U", "N", count);
        divide(shifted, "L", "N", count);
        for (size_t i = shifted->n; i-- > 0;)
            sens_kernel_exchange(row, lapack->pairs, i, (size_t)pivot[i] - 1);
    } else {
        for (size_t i = 0; i < shifted->n; i++)
            sens_kernel_exchange(row, lapack->pairs, i, (size_t)pivot[i] - 1);
        divide(shifted, "L", "T", count);
        divide(shifted, "U", "T", count);
    }
}

static void solve(struct sens_shifted *shifted, bool transposed, size_t L, double *X)
{
    struct lapack *const lapack = shifted->own;
    for (size_t first = 0; first < L; first += TOGETHER) {
        const size_t count = L - first < TOGETHER ? L - first : TOGETHER;
        const struct sens_kernel_pairs how = {shifted->n, L, first, count, count, 1};
        sens_kernel_to_pairs(&how, X, lapack->pairs);
        solve_pairs(shifted, transposed, count);
        sens_kernel_from_pairs(&how, lapack->pairs, X);
    }
}

const struct sens_kernel sens_kernel_lapack_complex = {
    .name = "lapack", .create = create, .factor = factor, .solve = solve};
#else
typedef int sens_no_complex_lapack; /* a source has to hold something */
#endif
