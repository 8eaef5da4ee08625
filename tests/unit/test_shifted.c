/* methods/linear: systems I - h gamma J by every kernel against the product with the matrix itself. */
#include "shifted.h"

#include <dirent.h>

#include "kernel.h"
#include "linear_support.h"

static const struct sens_shift shifts[] = {{1, 0.05}, {20, 1}, {1, 0}};

/* B = M X or M^T X, M = alpha I - beta J from the entries themselves. */
static void multiply(const struct linear_bed *bed, struct sens_shift shift, bool transposed, size_t L,
                     const double *X, double *B)
{
    const size_t n = bed->pb.n;
    memset(B, 0, n * L * sizeof *B);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double J = transposed ? entry(&bed->at, n, j, i) : entry(&bed->at, n, i, j);
            const double M = (i == j) * shift.identity - shift.jacobian * J;
            for (size_t l = 0; l < L; l++) B[i * L + l] += M * X[j * L + l];
        }
}

static void check_solve(const struct linear_bed *bed, struct sens_shifted *shifted, struct sens_shift shift,
                        bool transposed, size_t L)
{
    const size_t n = bed->pb.n;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double *X = random_new(rng, n * L), *B = random_new(rng, n * L), *got = fenced_new(n * L);
    double *again = fenced_new(n * L);
    multiply(bed, shift, transposed, L, X, B);
    memcpy(got, B, n * L * sizeof *got);
    memcpy(again, B, n * L * sizeof *got);
    sens_shifted_solve(shifted, transposed, L, got);
    /* M is diagonally dominant or close to it, with condition numbers below 100 */
    for (size_t q = 0; q < n * L; q++) assert_true(fabs(got[q] - X[q]) < 1e-12);
    sens_shifted_solve(shifted, transposed, L, again);
    assert_memory_equal(got, again, n * L * sizeof *got);
    free(X), free(B);
    fenced_free(n * L, got);
    fenced_free(n * L, again);
    gsl_rng_free(rng);
}

/* false: not built in. */
static bool check_kernel(size_t n, bool sparse, enum sens_kernel_choice choice, const char *name)
{
    static const size_t lanes[] = {1, 3, 8};
    struct linear_bed *bed = bed_new(n);
    struct sens_shifted *shifted;
    struct sens_jacobian *J;
    bed->structure.jacobian = jacobian;
    bed->structure.sparsity = sparse ? &bed->pattern : NULL;
    assert_int_equal(sens_jacobian_create(&bed->ctx, &bed->pb, SENS_JVP, NULL, &J), SENS_OK);
    double *value = fenced_new(J->entries);
    sens_jacobian_at(J, &bed->at, value);
    const sens_status status = sens_shifted_create(&bed->ctx, n, J->pattern, choice, &shifted);
    for (size_t s = 0; status == SENS_OK && s < sizeof shifts / sizeof *shifts; s++) {
        struct sens_work work = {.steps = 0};
        assert_string_equal(sens_shifted_kernel(shifted), name);
        assert_int_equal(sens_shifted_factor(shifted, shifts[s], value), SENS_OK);
        for (size_t k = 0; k < 2 * sizeof lanes / sizeof *lanes; k++)
            check_solve(bed, shifted, shifts[s], k % 2, lanes[k / 2]);
        sens_shifted_solve(shifted, false, 0, NULL);
        sens_shifted_count(shifted, &work);
        assert_int_equal(work.factorisations, 1);
        assert_int_equal(work.solves, 2 * 2 * (1 + 3 + 8));
    }
    sens_shifted_release(shifted);
    fenced_free(J->entries, value);
    bed_free(bed);
    if (status != SENS_OK) assert_int_equal(status, SENS_UNAVAILABLE);
    return status == SENS_OK;
}

static void test_own(void **state)
{
    (void)state;
    for (size_t n = 1; n < 12; n++) assert_true(check_kernel(n, false, SENS_KERNEL_OWN, "own"));
    assert_true(check_kernel(70, false, SENS_KERNEL_OWN, "own"));
    assert_true(check_kernel(17, true, SENS_KERNEL_OWN, "own")); /* a pattern, factorised as dense */
    assert_true(check_kernel(30, false, SENS_KERNEL_AUTO, "own"));
}

static long threads_running(void)
{
    long count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 1;
    while (readdir(tasks)) count++;
    closedir(tasks);
    return count - 2; /* . and .. */
}

static void test_lapack(void **state)
{
    (void)state;
    if (!check_kernel(1, false, SENS_KERNEL_LAPACK, "lapack")) skip();
    assert_true(check_kernel(5, false, SENS_KERNEL_LAPACK, "lapack"));
    assert_true(check_kernel(17, true, SENS_KERNEL_LAPACK, "lapack"));
    assert_true(check_kernel(190, false, SENS_KERNEL_LAPACK, "lapack"));
    assert_true(check_kernel(70, false, SENS_KERNEL_AUTO, "lapack"));
    assert_int_equal(threads_running(), 1); /* nor does BLAS start any */
}

static void test_klu(void **state)
{
    (void)state;
    if (!check_kernel(1, true, SENS_KERNEL_KLU, "klu")) skip();
    assert_true(check_kernel(17, true, SENS_KERNEL_KLU, "klu"));
    assert_true(check_kernel(190, true, SENS_KERNEL_AUTO, "klu"));
    assert_false(check_kernel(17, false, SENS_KERNEL_KLU, "klu")); /* it needs a pattern */
}

static void test_library(void **state)
{
    (void)state;
    void (*function)(void) = NULL;
    assert_false(sens_kernel_function("libnot_there.so.0", "abs", &function));
    assert_false(sens_kernel_function("libc.so.6", "no_such_function", &function));
    assert_null(function);
    assert_true(sens_kernel_function("libc.so.6", "abs", &function));
    assert_non_null(function);
}

/* Random numbers, whose pivots are seldom on the diagonal. */
static void check_pivots(bool sparse, enum sens_kernel_choice choice)
{
    enum { N = 12, L = 3 };
    struct sens_ctx ctx = {.now = NULL};
    struct sens_pattern full;
    struct sens_shifted *shifted;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double *J = random_new(rng, N * N), *B = random_new(rng, N * L), X[N * L];
    assert_int_equal(sens_pattern_band(&ctx, N, N, &full), SENS_OK);
    const sens_status status = sens_shifted_create(&ctx, N, sparse ? &full : NULL, choice, &shifted);
    if (status == SENS_OK)
        assert_int_equal(sens_shifted_factor(shifted, (struct sens_shift){0, -1}, J), SENS_OK);
    for (int transposed = 0; transposed < 2 && status == SENS_OK; transposed++) {
        memcpy(X, B, sizeof X);
        sens_shifted_solve(shifted, transposed, L, X);
        for (size_t i = 0; i < N; i++)
            for (size_t l = 0; l < L; l++) {
                double sum = 0, size = 0;
                for (size_t j = 0; j < N; j++) {
                    const double term = (transposed ? J[j * N + i] : J[i * N + j]) * X[j * L + l];
                    sum += term, size += fabs(term);
                }
                assert_true(fabs(sum - B[i * L + l]) <= 1e-13 * size); /* N^2 roundings and some growth */
            }
    }
    sens_shifted_release(shifted);
    sens_arena_release(&ctx.arena);
    gsl_rng_free(rng);
    free(J), free(B);
}

static void test_pivots(void **state)
{
    (void)state;
    check_pivots(false, SENS_KERNEL_OWN);
    check_pivots(false, SENS_KERNEL_LAPACK);
    check_pivots(true, SENS_KERNEL_KLU);
}

/* ---- singular, not finite, no memory ------------------------------------------------------------------- */

/* [[1, 1], [1, 1]], a row of zeros, and then the same system with another shift, which has a solution. */
static void check_singular(bool sparse, enum sens_kernel_choice choice)
{
    static const size_t start[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
    static const struct sens_pattern full = {2, 2, start, col};
    static const double equal[] = {-1, -1, -1, -1}, rest[] = {0, 1, 0, 0}, nan[] = {NAN, 1, 1, 1};
    const double *const singular[] = {equal, rest};
    struct sens_ctx ctx = {.now = NULL};
    struct sens_shifted *shifted;
    double x[] = {1, 2};
    const sens_status status = sens_shifted_create(&ctx, 2, sparse ? &full : NULL, choice, &shifted);
    if (status != SENS_OK) assert_int_equal(status, SENS_UNAVAILABLE);
    for (size_t k = 0; k < 2 && status == SENS_OK; k++) {
        const struct sens_shift none = {0, 1}, some = {1, 1};
        assert_int_equal(sens_shifted_factor(shifted, none, singular[k]), SENS_SINGULAR);
        assert_int_equal(sens_shifted_factor(shifted, some, nan), SENS_NONFINITE);
        assert_int_equal(sens_shifted_factor(shifted, some, equal), SENS_OK);
        x[0] = 1, x[1] = 2;
        sens_shifted_solve(shifted, false, 1, x); /* [[2, 1], [1, 2]] x = (1, 2) */
        assert_true(fabs(x[0]) < 1e-15 && fabs(x[1] - 1) < 1e-15);
    }
    sens_shifted_release(shifted);
    sens_arena_release(&ctx.arena);
}

static void test_singular(void **state)
{
    (void)state;
    check_singular(false, SENS_KERNEL_OWN);
    check_singular(false, SENS_KERNEL_LAPACK);
    check_singular(true, SENS_KERNEL_KLU);
    assert_true(sens_recoverable(SENS_SINGULAR) &&
                sens_recoverable(SENS_NOT_CONVERGED)); /* another step may help */
}

/* Each allocation refused in turn; the sizes are exact, so that the address sanitizer sees the rest. */
static void test_no_memory(void **state)
{
    (void)state;
    struct linear_bed *bed = bed_new(17);
    for (int kind = 0; kind < 5; kind++)
        for (size_t fail = 1;; fail++) {
            static const enum sens_kernel_choice choice[] = {SENS_KERNEL_OWN, SENS_KERNEL_LAPACK,
                                                             SENS_KERNEL_KLU};
            struct sens_shifted *shifted = NULL;
            struct sens_jacobian *J;
            const struct sens_arena_mark mark = sens_arena_mark(&bed->ctx.arena);
            bed->ctx.arena.fail_at = bed->ctx.arena.allocations + fail;
            const sens_status status =
                kind < 3 ? sens_shifted_create(&bed->ctx, 17, &bed->pattern, choice[kind], &shifted)
                         : sens_jacobian_create(&bed->ctx, &bed->pb, kind == 3 ? SENS_JVP : SENS_VJP,
                                                &bed->pattern, &J);
            sens_shifted_release(shifted);
            bed->ctx.arena.fail_at = 0;
            sens_arena_rewind(&bed->ctx.arena, mark);
            if (status == SENS_UNAVAILABLE) break;
            if (!failed(status)) {
                assert_true(fail > 2);
                break;
            }
            assert_int_equal(status, SENS_NO_MEMORY);
        }
    bed_free(bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),       cmocka_unit_test(test_lapack), cmocka_unit_test(test_klu),
        cmocka_unit_test(test_library),   cmocka_unit_test(test_pivots), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("shifted", tests, NULL, NULL);
}
