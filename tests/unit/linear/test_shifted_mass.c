/* Dense systems with a mass matrix that has rows of zeros, which are of the size of h: M = D - h (A x J) of the three
 * stages of Radau IIA on u' = -i, 0 = i - u, as often as there are blocks. */
#include "shifted.h"

#include "kernel.h"
#include "linear_support.h"

enum { STATES = 2, STAGES = 3, BLOCK = STATES * STAGES };

static double radau(size_t i, size_t j)
{
    const double r = sqrt(6);
    const double A[STAGES][STAGES] = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                                      {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                                      {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
    return A[i][j];
}

/* D, a diagonal of 1 and 0 in turn, whose zeros are not stored. */
static struct sens_mass *mass_new(struct sens_ctx *ctx, size_t n)
{
    struct sens_mass *const mass = SENS_NEW(ctx, struct sens_mass, 1);
    size_t *const start = SENS_NEW(ctx, size_t, n + 1), *const col = SENS_NEW(ctx, size_t, n);
    double *const value = SENS_NEW(ctx, double, n);
    for (size_t i = 0, e = 0; i < n; start[++i] = e)
        if (i % STATES == 0) col[e] = i, value[e++] = 1;
    *mass = (struct sens_mass){.pattern = {.rows = n, .cols = n, .start = start, .col = col}, .value = value};
    return mass;
}

/* A x J [n][n] */
static double *values_new(struct sens_ctx *ctx, size_t n)
{
    static const double J[STATES][STATES] = {{0, -1}, {-1, 1}};
    double *const value = SENS_NEW(ctx, double, n *n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i / BLOCK == j / BLOCK)
                value[i * n + j] = radau(i % BLOCK / STATES, j % BLOCK / STATES) * J[i % STATES][j % STATES];
    return value;
}

/* B = M X or M^T X in long double; complex numbers are pairs of lanes. */
static void multiply(size_t n, const double *value, struct sens_shift shift, bool transposed, bool is_complex,
                     const double *X, double *B)
{
    const size_t width = is_complex ? 2 : 1;
    for (size_t i = 0; i < n; i++) {
        long double re = 0, im = 0;
        for (size_t j = 0; j < n; j++) {
            const double D = i == j && i % STATES == 0, *x = X + j * width;
            const long double M =
                shift.identity * D - (long double)shift.jacobian * value[transposed ? j * n + i : i * n + j];
            re += M * x[0] - (is_complex ? shift.imaginary * D * x[1] : 0);
            im += is_complex ? M * x[1] + shift.imaginary * D * x[0] : 0;
        }
        B[i * width] = (double)re;
        if (is_complex) B[i * width + 1] = (double)im;
    }
}

/* Of the columns of zeros of M^T, unknowns as large as 1/h, so that B has digits of them. */
static void enlarge(size_t n, size_t width, double h, double *X)
{
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; i % STATES == 1 && w < width; w++) X[i * width + w] /= h;
}

/* With rows of one size, the system has a condition number below 100, whatever h is. */
static void check(size_t n, enum sens_shifted_kind kind, bool borrows)
{
    const bool is_complex = kind == SENS_SHIFTED_COMPLEX;
    const struct sens_shift shift = {is_complex ? 2.681 : 1, 1e-7, is_complex ? 3.05 : 0};
    const size_t width = is_complex ? 2 : 1;
    struct linear_bed *const bed = bed_new(1);
    struct sens_ctx *const ctx = &bed->ctx;
    const struct sens_mass *const mass = mass_new(ctx, n);
    const double *const value = values_new(ctx, n);
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
    double *const X = random_new(rng, n * width), *const B = random_new(rng, n * width);
    double *const got = random_new(rng, n * width);
    struct sens_shifted *shifted, *other = NULL;
    assert_int_equal(sens_shifted_create_mass(ctx, n, mass, NULL, kind, false, &shifted), SENS_OK);
    assert_int_equal(sens_shifted_factor(shifted, shift, value), SENS_OK);
    if (borrows) {
        assert_int_equal(sens_shifted_like(ctx, shifted, false, &other), SENS_OK);
        sens_shifted_borrow(other, shifted);
    }
    for (int transposed = 0; transposed < 2; transposed++) {
        if (transposed) enlarge(n, width, shift.jacobian, X);
        multiply(n, value, shift, transposed, is_complex, X, B);
        memcpy(got, B, n * width * sizeof *got);
        sens_shifted_solve(borrows ? other : shifted, transposed, 1, got);
        const double most = transposed ? 1 / shift.jacobian : 1;
        for (size_t q = 0; q < n * width; q++)
            assert_true(fabs(got[q] - X[q]) < 1e-12 * (q / width % STATES == 1 ? most : 1));
    }
    sens_shifted_release(other);
    sens_shifted_release(shifted);
    free(X), free(B), free(got);
    gsl_rng_free(rng);
    bed_free(bed);
}

static void test_real(void **state)
{
    (void)state;
    check(BLOCK, SENS_SHIFTED_PLAIN, false);
    check(BLOCK, SENS_SHIFTED_PLAIN, true);
    check(12 * BLOCK, SENS_SHIFTED_PLAIN, false); /* by LAPACK, where it is there */
}

static void test_complex(void **state)
{
    (void)state;
    check(BLOCK, SENS_SHIFTED_COMPLEX, false);
    check(BLOCK, SENS_SHIFTED_COMPLEX, true);
    check(12 * BLOCK, SENS_SHIFTED_COMPLEX, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_real), cmocka_unit_test(test_complex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
