/* LAPACK's factorisations, see dense.h. */
#include "dense.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#ifdef SENS_LAPACK_LIBRARY
/* Fortran's: after the arguments, the lengths of texts. */
typedef void geqp3(const int *m, const int *n, double *a, const int *lda, int *pivot, double *tau,
                   double *work, const int *lwork, int *info);
typedef void gesvd(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,
                   double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work,
                   const int *lwork, int *info, size_t, size_t);

/* *place is a pointer to a function. The library stays. */
static bool find(const char *name, void *place)
{
    void *const library = dlopen(SENS_LAPACK_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *const function = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
    if (function) *(void **)place = function;
    return function;
}
#endif

static sens_status lacking(struct sens_ctx *ctx)
{
    return sens_fail(ctx, SENS_UNAVAILABLE,
                     "this needs LAPACK; to have it: apt-get install liblapack-dev libblas-dev "
                     "libopenblas0-serial, and build again");
}

sens_status dense_pivoted_qr(struct sens_ctx *ctx, size_t rows, size_t cols, double *A, size_t *order,
                             double *R)
{
#ifdef SENS_LAPACK_LIBRARY
    geqp3 *factor;
    if (rows > INT_MAX || cols > INT_MAX / 64)
        return sens_fail(ctx, SENS_UNSUPPORTED, "too large for LAPACK");
    if (!find("dgeqp3_", &factor)) return lacking(ctx);
    const int m = (int)rows, n = (int)cols, size = 3 * n + 1 + 32 * (n + 1);
    int info = 0, *const pivot = SENS_NEW(ctx, int, cols);
    double *const tau = SENS_NEW(ctx, double, cols), *const work = SENS_NEW(ctx, double, (size_t)size);
    if (!pivot || !tau || !work) return SENS_NO_MEMORY;
    factor(&m, &n, A, &m, pivot, tau, work, &size, &info);
    if (info != 0) return sens_fail(ctx, SENS_SINGULAR, "dgeqp3: info = %d", info);
    memset(R, 0, cols * cols * sizeof *R);
    for (size_t c = 0; c < cols; c++) {
        order[c] = (size_t)pivot[c] - 1;
        for (size_t r = 0; r <= c && r < rows; r++) R[r * cols + c] = A[c * rows + r];
    }
    return SENS_OK;
#else
    (void)rows, (void)cols, (void)A, (void)order, (void)R;
    return lacking(ctx);
#endif
}

sens_status dense_svd(struct sens_ctx *ctx, size_t n, double *A, double *sigma, double *V)
{
#ifdef SENS_LAPACK_LIBRARY
    gesvd *decompose;
    if (n > INT_MAX / 64) return sens_fail(ctx, SENS_UNSUPPORTED, "too large for LAPACK");
    if (!find("dgesvd_", &decompose)) return lacking(ctx);
    const int order = (int)n, size = 8 * order + 32;
    int info = 0;
    double *const work = SENS_NEW(ctx, double, (size_t)size);
    double unused = 0;
    if (!work) return SENS_NO_MEMORY;
    /* A by rows is A^T by columns, whose left vectors, by columns, are our right ones, one after the other. */
    decompose(V ? "A" : "N", "N", &order, &order, A, &order, sigma, V ? V : &unused, &order, &unused, &order,
              work, &size, &info, 1, 1);
    return info == 0 ? SENS_OK : sens_fail(ctx, SENS_NOT_CONVERGED, "dgesvd: info = %d", info);
#else
    (void)n, (void)A, (void)sigma, (void)V;
    return lacking(ctx);
#endif
}

void dense_solve_triangle(size_t n, size_t stride, const double *R, bool transposed, double *X)
{
    for (size_t k = 0; k < n; k++) {
        const size_t r = transposed ? k : n - 1 - k;
        for (size_t c = transposed ? 0 : r + 1; c < (transposed ? r : n); c++)
            X[r] -= (transposed ? R[c * stride + r] : R[r * stride + c]) * X[c];
        X[r] /= R[r * stride + r];
    }
}
