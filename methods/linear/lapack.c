/* Kernel `lapack` of shifted.h. A is M^T as LAPACK sees M's rows: A = P L U, where P^T exchanges row i with
 * pivot[i] - 1 >= i, in the order of i. */
#include "kernel.h"

#ifdef SENS_KERNEL_HAS_LAPACK
#include <dlfcn.h>
#include <limits.h>

/* Fortran's: after the arguments, the lengths of those that are text. */
extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
extern void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                   const int *n, const double *alpha, const double *a, const int *lda, double *b,
                   const int *ldb, size_t, size_t, size_t, size_t);

/* An OpenBLAS that has threads is to take none: a cell's threads are the harness's to count. */
static void take_one_thread(void)
{
    void *const program = dlopen(NULL, RTLD_LAZY);
    void (*set)(int) = NULL;
    if (!program) return;
    *(void **)&set = dlsym(program, "openblas_set_num_threads");
    if (set) set(1);
    dlclose(program);
}

static sens_status create(struct sens_ctx *ctx, struct sens_shifted *shifted)
{
    if (shifted->n > INT_MAX) return sens_fail(ctx, SENS_UNSUPPORTED, "too many unknowns for LAPACK");
    take_one_thread();
    shifted->own = SENS_NEW(ctx, int, shifted->n);
    return shifted->own ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status factor(struct sens_shifted *shifted)
{
    const int n = (int)shifted->n;
    int info;
    dgetrf_(&n, &n, shifted->M, &n, shifted->own, &info);
    return info == 0 ? SENS_OK : SENS_SINGULAR;
}

/* X^T becomes X^T T^-1 or X^T T^-T, T the upper or lower triangle of the factors. */
static void divide(const struct sens_shifted *shifted, const char *uplo, const char *trans, size_t L,
                   double *X)
{
    const int n = (int)shifted->n, lanes = (int)L;
    const double one = 1;
    dtrsm_("R", uplo, trans, *uplo == 'L' ? "U" : "N", &lanes, &n, &one, shifted->M, &n, X, &lanes, 1, 1, 1,
           1);
}

/* Of M X = B: X^T = B^T U^-1 L^-1 P^T; of M^T X = B: X^T = B^T P L^-T U^-T. */
static void solve(struct sens_shifted *shifted, bool transposed, size_t L, double *X)
{
    const int *const pivot = shifted->own;
    if (!transposed) {
        divide(shifted, "U", "N", L, X);
        divide(shifted, "L", "N", L, X);
        for (size_t i = shifted->n; i-- > 0;) sens_kernel_exchange(L, X, i, (size_t)pivot[i] - 1);
    } else {
        for (size_t i = 0; i < shifted->n; i++) sens_kernel_exchange(L, X, i, (size_t)pivot[i] - 1);
        divide(shifted, "L", "T", L, X);
        divide(shifted, "U", "T", L, X);
    }
}

const struct sens_kernel sens_kernel_lapack = {
    .name = "lapack", .create = create, .factor = factor, .solve = solve};
#else
typedef int sens_no_lapack; /* a source has to hold something */
#endif
