/* methods/linear: systems I - h gamma J by every kernel against the product with the matrix itself. */
#include "shifted.h"

#include <dirent.h>

#include "kernel.h"
#include "linear_support.h"

static const struct sens_shift shifts[] = {{1, 0.05, 0}, {20, 1, 0}, {1, 0, 0}};

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

typedef sens_status creation(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                             enum sens_kernel_choice choice, struct sens_shifted **made);

/* false: not built in. */
static bool check_created(creation *create, size_t n, bool sparse, enum sens_kernel_choice choice,
                          const char *name)
{
    static const size_t lanes[] = {1, 3, 8, 11};
    struct linear_bed *bed = bed_new(n);
    struct sens_shifted *shifted;
    struct sens_jacobian *J;
    bed->structure.jacobian = jacobian;
    bed->structure.sparsity = sparse ? &bed->pattern : NULL;
    assert_int_equal(sens_jacobian_create(&bed->ctx, &bed->pb, SENS_JVP, NULL, &J), SENS_OK);
    double *value = fenced_new(J->entries);
    sens_jacobian_at(J, &bed->at, value);
    const sens_status status = create(&bed->ctx, n, J->pattern, choice, &shifted);
    for (size_t s = 0; status == SENS_OK && s < sizeof shifts / sizeof *shifts; s++) {
        struct sens_work work = {.steps = 0};
        assert_string_equal(sens_shifted_kernel(shifted), name);
        assert_int_equal(sens_shifted_factor(shifted, shifts[s], value), SENS_OK);
        for (size_t k = 0; k < 2 * sizeof lanes / sizeof *lanes; k++)
            check_solve(bed, shifted, shifts[s], k % 2, lanes[k / 2]);
        sens_shifted_solve(shifted, false, 0, NULL);
        sens_shifted_count(shifted, &work);
        assert_int_equal(work.factorisations, 1);
        assert_int_equal(work.solves, 2 * 2 * (1 + 3 + 8 + 11));
    }
    sens_shifted_release(shifted);
    fenced_free(J->entries, value);
    bed_free(bed);
    const bool lacks_pattern = !sparse && (choice == SENS_KERNEL_KLU || choice == SENS_KERNEL_UMFPACK);
    if (status != SENS_OK) assert_int_equal(status, lacks_pattern ? SENS_UNSUPPORTED : SENS_UNAVAILABLE);
    return status == SENS_OK;
}

static bool check_kernel(size_t n, bool sparse, enum sens_kernel_choice choice, const char *name)
{
    return check_created(sens_shifted_create, n, sparse, choice, name) &&
           check_created(sens_shifted_create_turned, n, sparse, choice, name);
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

static void test_umfpack(void **state)
{
    (void)state;
    if (!check_kernel(1, true, SENS_KERNEL_UMFPACK, "umfpack")) skip();
    assert_true(check_kernel(17, true, SENS_KERNEL_UMFPACK, "umfpack"));
    assert_true(check_kernel(190, true, SENS_KERNEL_UMFPACK, "umfpack"));
    assert_false(check_kernel(17, false, SENS_KERNEL_UMFPACK, "umfpack")); /* it needs a pattern */
    assert_int_equal(threads_running(), 1);
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
        assert_int_equal(sens_shifted_factor(shifted, (struct sens_shift){0, -1, 0}, J), SENS_OK);
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
    check_pivots(true, SENS_KERNEL_UMFPACK);
}

/* ---- complex shifts -------------------------------------------------------------------------------------- */

/* ((a, -b), (b, a)) of twice the size stands for a + i b. B = M X, rows of X and B [2][L], from that real matrix:
 *     [I a - J c, -I b] [re]           transposed [(I a - J c)^T, -I b] [re]
 *     [I b, I a - J c ] [im],          (not conjugated)  [I b, (I a - J c)^T] [im] */
static void multiply_complex(const struct linear_bed *bed, struct sens_shift shift, bool transposed, size_t L,
                             const double *X, double *B)
{
    const size_t n = bed->pb.n;
    memset(B, 0, 2 * n * L * sizeof *B);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double J = transposed ? entry(&bed->at, n, j, i) : entry(&bed->at, n, i, j);
            const double re = (i == j) * shift.identity - shift.jacobian * J, im = (i == j) * shift.imaginary;
            for (size_t l = 0; l < L; l++) {
                B[(2 * i) * L + l] += re * X[(2 * j) * L + l] - im * X[(2 * j + 1) * L + l];
                B[(2 * i + 1) * L + l] += im * X[(2 * j) * L + l] + re * X[(2 * j + 1) * L + l];
            }
        }
}

static void check_complex_solve(const struct linear_bed *bed, struct sens_shifted *shifted,
                                struct sens_shift shift, bool transposed, size_t L)
{
    const size_t count = 2 * bed->pb.n * L;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double *X = random_new(rng, count), *B = random_new(rng, count), *got = fenced_new(count);
    multiply_complex(bed, shift, transposed, L, X, B);
    memcpy(got, B, count * sizeof *got);
    sens_shifted_solve(shifted, transposed, L, got);
    for (size_t q = 0; q < count; q++) assert_true(fabs(got[q] - X[q]) < 1e-12); /* as check_solve */
    free(X), free(B);
    fenced_free(count, got);
    gsl_rng_free(rng);
}

/* The factors of another like it, turned or not, are solved with until it has its own again. */
static void check_complex_lending(struct linear_bed *bed, struct sens_shifted *shifted, const double *value)
{
    static const struct sens_shift lent = {20, 1, -30}, own = {2.7, 0.05, 3.05};
    for (int turned = 0; turned < 2; turned++) {
        struct sens_shifted *other;
        assert_int_equal(sens_shifted_like(&bed->ctx, shifted, turned, &other), SENS_OK);
        assert_int_equal(sens_shifted_factor(shifted, own, value), SENS_OK);
        assert_int_equal(sens_shifted_factor(other, lent, value), SENS_OK);
        sens_shifted_borrow(shifted, other);
        for (size_t k = 0; k < 4; k++) check_complex_solve(bed, shifted, lent, k % 2, k < 2 ? 1 : 11);
        assert_true(sens_shifted_bytes(other) >= 2 * bed->pb.n * sizeof(double));
        assert_int_equal(sens_shifted_factor(shifted, own, value), SENS_OK);
        for (size_t k = 0; k < 4; k++) check_complex_solve(bed, shifted, own, k % 2, k < 2 ? 1 : 11);
        for (size_t k = 0; k < 4; k++) check_complex_solve(bed, other, lent, k % 2, k < 2 ? 1 : 11);
        sens_shifted_release(other);
    }
}

static bool check_complex_kernel(size_t n, bool sparse, enum sens_kernel_choice choice, const char *name)
{
    static const struct sens_shift complex[] = {{2.7, 0.05, 3.05}, {20, 1, -30}, {0, 1e-3, 1}, {3, 1, 0}};
    static const size_t lanes[] = {1, 3, 8, 11};
    struct linear_bed *bed = bed_new(n);
    struct sens_pattern holes = pattern_of(&bed->ctx, n, false);
    struct sens_shifted *shifted;
    struct sens_jacobian *J;
    bed->structure.jacobian = jacobian;
    bed->x[2] = bed->at.t * bed->x[2 + FAR] / 6; /* J_22 = 0, which the pattern lacks */
    bed->structure.sparsity = sparse ? &holes : NULL;
    assert_int_equal(sens_jacobian_create(&bed->ctx, &bed->pb, SENS_JVP, NULL, &J), SENS_OK);
    double *value = fenced_new(J->entries);
    sens_jacobian_at(J, &bed->at, value);
    const sens_status status = sens_shifted_create_complex(&bed->ctx, n, J->pattern, choice, &shifted);
    for (size_t s = 0; status == SENS_OK && s < sizeof complex / sizeof *complex; s++) {
        struct sens_work work = {.steps = 0};
        assert_string_equal(sens_shifted_kernel(shifted), name);
        assert_int_equal(sens_shifted_factor(shifted, complex[s], value), SENS_OK);
        for (size_t k = 0; k < 2 * sizeof lanes / sizeof *lanes; k++)
            check_complex_solve(bed, shifted, complex[s], k % 2, lanes[k / 2]);
        sens_shifted_count(shifted, &work);
        assert_int_equal(work.factorisations, 1);
        assert_int_equal(work.solves, 2 * (1 + 3 + 8 + 11));
    }
    if (status == SENS_OK) check_complex_lending(bed, shifted, value);
    sens_shifted_release(shifted);
    fenced_free(J->entries, value);
    bed_free(bed);
    if (status != SENS_OK) assert_int_equal(status, SENS_UNAVAILABLE);
    return status == SENS_OK;
}

static void test_complex(void **state)
{
    (void)state;
    for (size_t n = 8; n < 20; n++) assert_true(check_complex_kernel(n, n % 2, SENS_KERNEL_OWN, "own"));
    assert_true(check_complex_kernel(30, false, SENS_KERNEL_AUTO, "own"));
    if (check_complex_kernel(12, false, SENS_KERNEL_LAPACK, "lapack"))
        assert_true(check_complex_kernel(90, false, SENS_KERNEL_AUTO, "lapack"));
    if (check_complex_kernel(12, true, SENS_KERNEL_KLU, "klu"))
        assert_true(check_complex_kernel(90, true, SENS_KERNEL_AUTO, "klu"));
    if (check_complex_kernel(12, true, SENS_KERNEL_UMFPACK, "umfpack"))
        assert_true(check_complex_kernel(90, true, SENS_KERNEL_UMFPACK, "umfpack"));
}

/* Where nothing is named, the context decides; what is named counts before it. */
static void test_of_context(void **state)
{
    static const size_t start[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
    static const struct sens_pattern full = {2, 2, start, col};
    struct sens_ctx ctx = {.linear = SENS_KERNEL_OWN};
    struct sens_shifted *shifted;
    (void)state;
    assert_int_equal(sens_shifted_create(&ctx, 2, &full, SENS_KERNEL_AUTO, &shifted), SENS_OK);
    assert_string_equal(sens_shifted_kernel(shifted), "own");
    ctx.linear = SENS_KERNEL_KLU;
    assert_int_equal(sens_shifted_create(&ctx, 2, NULL, SENS_KERNEL_OWN, &shifted), SENS_OK);
    assert_string_equal(sens_shifted_kernel(shifted), "own");
    assert_int_equal(sens_shifted_create(&ctx, 2, NULL, SENS_KERNEL_AUTO, &shifted), SENS_UNSUPPORTED);
    if (sens_shifted_create(&ctx, 2, &full, SENS_KERNEL_AUTO, &shifted) == SENS_OK)
        assert_string_equal(sens_shifted_kernel(shifted), "klu");
    sens_shifted_release(shifted);
    sens_arena_release(&ctx.arena);
}

/* (1 + i) I - J with J = ((1, 1), (1, 1)) of which nothing is left on the diagonal but i: pivots are exchanged. Then
 * the same without i: ((0, -1), (-1, 0)); and J = 0 with no shift at all is singular. */
static void check_complex_ends(bool sparse, enum sens_kernel_choice choice)
{
    static const size_t start[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
    static const struct sens_pattern full = {2, 2, start, col};
    static const double ones[] = {1, 1, 1, 1}, zero[4] = {0}, nan[] = {NAN, 1, 1, 1};
    struct sens_ctx ctx = {.now = NULL};
    struct sens_shifted *shifted;
    double x[4] = {1, 0, 0, 2}; /* (1, 2 i) */
    const sens_status status = sens_shifted_create_complex(&ctx, 2, sparse ? &full : NULL, choice, &shifted);
    if (status == SENS_OK) {
        assert_int_equal(sens_shifted_factor(shifted, (struct sens_shift){1, 1, 0}, ones), SENS_OK);
        sens_shifted_solve(shifted, false, 1, x); /* x_2 = -1, x_1 = -2 i */
        assert_true(x[0] == 0 && x[1] == -2 && x[2] == -1 && x[3] == 0);
        assert_int_equal(sens_shifted_factor(shifted, (struct sens_shift){0, 1, 0}, zero), SENS_SINGULAR);
        assert_int_equal(sens_shifted_factor(shifted, (struct sens_shift){1, 1, 1}, nan), SENS_NONFINITE);
    } else {
        assert_int_equal(status, SENS_UNAVAILABLE);
    }
    sens_shifted_release(shifted);
    sens_arena_release(&ctx.arena);
}

static void test_complex_ends(void **state)
{
    (void)state;
    check_complex_ends(false, SENS_KERNEL_OWN);
    check_complex_ends(false, SENS_KERNEL_LAPACK);
    check_complex_ends(true, SENS_KERNEL_KLU);
    check_complex_ends(true, SENS_KERNEL_UMFPACK);
}

/* ---- singular, not finite ------------------------------------------------------------------------------ */

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
        const struct sens_shift none = {0, 1, 0}, some = {1, 1, 0};
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
    check_singular(true, SENS_KERNEL_UMFPACK);
    assert_true(sens_recoverable(SENS_SINGULAR) &&
                sens_recoverable(SENS_NOT_CONVERGED)); /* another step may help */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),          cmocka_unit_test(test_lapack),
        cmocka_unit_test(test_klu),          cmocka_unit_test(test_library),
        cmocka_unit_test(test_pivots),       cmocka_unit_test(test_singular),
        cmocka_unit_test(test_of_context),   cmocka_unit_test(test_complex),
        cmocka_unit_test(test_complex_ends), cmocka_unit_test(test_umfpack),
    };
    return cmocka_run_group_tests_name("shifted", tests, NULL, NULL);
}
