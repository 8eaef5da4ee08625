/* The lane kernels against the definitions, written as plain loops.
 *
 * Entries are small whole numbers, so that every sum is exact in any order and with or without fused
 * operations: results must be equal, for all sizes around the block sizes. A second test with real entries
 * compares the bits of a lane alone and among others. */
#include "lane_support.h"

#include "sens/lanes.h"

static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 13, 18, 64, 65, 131};
static const size_t lane_counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33};
enum { SIZES = sizeof sizes / sizeof *sizes, LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts };

static double *new_block(size_t count)
{
    double *made = calloc(count + FENCE, sizeof *made);
    assert_non_null(made);
    for (size_t i = 0; i < FENCE; i++) made[count + i] = -77;
    return made;
}

static void free_block(size_t count, double *v)
{
    for (size_t i = 0; i < FENCE; i++) assert_true(v[count + i] == -77);
    free(v);
}

static double *whole_numbers(gsl_rng *rng, size_t count)
{
    double *made = new_block(count);
    for (size_t i = 0; i < count; i++) made[i] = (double)gsl_rng_uniform_int(rng, 17) - 8;
    return made;
}

static double *real_numbers(gsl_rng *rng, size_t count)
{
    double *made = new_block(count);
    for (size_t i = 0; i < count; i++) made[i] = gsl_rng_uniform(rng) - 0.5;
    return made;
}

static double *copy_of(size_t count, const double *v)
{
    double *made = new_block(count);
    for (size_t i = 0; i < count; i++) made[i] = v[i];
    return made;
}

/* OUT += A V by definition. */
static void plain_product(struct sens_matrix A, struct sens_lanes V, size_t L, double *OUT)
{
    for (size_t r = 0; r < A.rows; r++)
        for (size_t k = 0; k < A.cols; k++)
            for (size_t l = 0; l < L; l++) {
                const double s = V.scale ? V.scale[k * V.scale_step] : 1;
                OUT[r * L + l] += A.a[r * A.row_step + k * A.col_step] * (s * V.v[k * V.step + l]);
            }
}

static void require_product(gsl_rng *rng, struct sens_matrix A, struct sens_lanes V, size_t L)
{
    double *out = whole_numbers(rng, A.rows * L), *want = copy_of(A.rows * L, out);
    sens_lanes_add_product(A, V, L, out);
    plain_product(A, V, L, want);
    for (size_t i = 0; i < A.rows * L; i++)
        if (out[i] != want[i]) fail_msg("%zu x %zu, L = %zu: entry %zu", A.rows, A.cols, L, i);
    free_block(A.rows * L, out);
    free_block(A.rows * L, want);
}

/* Dense, transposed, constant; lanes contiguous or apart; with and without scale. */
static void require_products(gsl_rng *rng, size_t rows, size_t cols, size_t L)
{
    const size_t step = 2 * L + 1;
    double *a = whole_numbers(rng, rows * cols), *v = whole_numbers(rng, cols * step);
    double *scale = whole_numbers(rng, 3 * cols);
    const double two = 2;
    const struct sens_matrix matrices[] = {sens_dense(rows, cols, a),
                                           sens_dense_transposed(cols, rows, a),
                                           {.rows = rows, .cols = cols, .a = &two}};
    const struct sens_lanes lanes[] = {{.v = v, .step = L},
                                       {.v = v, .step = step},
                                       {.v = v, .step = L, .scale = scale, .scale_step = 1},
                                       {.v = v, .step = step, .scale = scale, .scale_step = 3}};
    for (size_t m = 0; m < 3; m++)
        for (size_t w = 0; w < 4; w++) require_product(rng, matrices[m], lanes[w], L);
    free_block(rows * cols, a);
    free_block(cols * step, v);
    free_block(3 * cols, scale);
}

static void test_products(void **state)
{
    gsl_rng *rng = *state;
    for (size_t r = 0; r < SIZES; r++)
        for (size_t c = 0; c < SIZES; c++)
            for (size_t l = 0; l < LANE_COUNTS; l++)
                require_products(rng, sizes[r], sizes[c], lane_counts[l]);
}

/* Lane l of a product has the same bits whether computed alone or among L. */
static void require_same_lanes(gsl_rng *rng, size_t rows, size_t cols, size_t L, bool transposed)
{
    double *a = real_numbers(rng, rows * cols), *v = real_numbers(rng, cols * L),
           *scale = real_numbers(rng, cols);
    double *out = new_block(rows * L), *lane = new_block(cols), *alone = new_block(rows);
    const struct sens_matrix A =
        transposed ? sens_dense_transposed(cols, rows, a) : sens_dense(rows, cols, a);
    sens_lanes_add_product(A, (struct sens_lanes){v, L, scale, 1}, L, out);
    for (size_t l = 0; l < L; l++) {
        for (size_t k = 0; k < cols; k++) lane[k] = v[k * L + l];
        for (size_t r = 0; r < rows; r++) alone[r] = 0;
        sens_lanes_add_product(A, (struct sens_lanes){lane, 1, scale, 1}, 1, alone);
        for (size_t r = 0; r < rows; r++) {
            /* Contraction differs between loops: equal to the rounding of cols terms. */
            assert_true(contracted ? fabs(alone[r] - out[r * L + l]) <= (double)cols * DBL_EPSILON
                                   : alone[r] == out[r * L + l]);
        }
    }
    free_block(rows * cols, a);
    free_block(cols * L, v);
    free_block(cols, scale);
    free_block(rows * L, out);
    free_block(cols, lane);
    free_block(rows, alone);
}

static void test_same_lanes(void **state)
{
    gsl_rng *rng = *state;
    for (size_t r = 0; r < SIZES; r++)
        for (size_t l = 0; l < LANE_COUNTS; l++)
            for (int t = 0; t < 2; t++) require_same_lanes(rng, sizes[r], 77, lane_counts[l], t);
}

/* A row by definition, and its lanes alike in blocks of every width. */
static void require_row(gsl_rng *rng, size_t count, size_t L)
{
    double *a = whole_numbers(rng, count), *V = whole_numbers(rng, count * L), *out = whole_numbers(rng, L);
    double *want = copy_of(L, out), *parts = new_block(count), *values = real_numbers(rng, count * L);
    sens_lanes_add_row(count, L, a, V, out);
    plain_product(sens_dense(1, count, a), (struct sens_lanes){.v = V, .step = L}, L, want);
    for (size_t l = 0; l < L; l++)
        if (out[l] != want[l]) fail_msg("1 x %zu, L = %zu: lane %zu", count, L, l);
    for (size_t l = 0; l < L; l++) out[l] = 0;
    sens_lanes_add_row(count, L, a, values, out);
    for (size_t l = 0; l < L; l++) {
        double alone = 0;
        for (size_t k = 0; k < count; k++) parts[k] = values[k * L + l];
        sens_lanes_add_row(count, 1, a, parts, &alone);
        if (!(fabs(out[l] - alone) <= (contracted ? (double)count * DBL_EPSILON : 0)))
            fail_msg("1 x %zu, L = %zu: lane %zu alone has other bits", count, L, l);
    }
    free_block(count, a);
    free_block(count * L, V);
    free_block(L, out);
    free_block(L, want);
    free_block(count, parts);
    free_block(count * L, values);
}

static void test_row(void **state)
{
    for (size_t k = 0; k < SIZES; k++)
        for (size_t l = 0; l < LANE_COUNTS; l++) require_row(*state, sizes[k], lane_counts[l]);
}

static void test_matvec(void **state)
{
    gsl_rng *rng = *state;
    for (size_t r = 0; r < SIZES; r++)
        for (size_t c = 0; c < SIZES; c++) {
            const size_t rows = sizes[r], cols = sizes[c];
            double *A = whole_numbers(rng, rows * cols), *x = whole_numbers(rng, cols),
                   *y = whole_numbers(rng, rows);
            double *want = copy_of(rows, y);
            plain_product(sens_dense(rows, cols, A), (struct sens_lanes){.v = x, .step = 1}, 1, want);
            sens_matvec(rows, cols, A, x, y);
            for (size_t i = 0; i < rows; i++) assert_true(y[i] == want[i]);
            free_block(rows * cols, A);
            free_block(cols, x);
            free_block(rows, y);
            free_block(rows, want);
        }
}

/* A random sparse 7 x 5 matrix with an empty row, as CSR and dense. */
static void test_csr(void **state)
{
    enum { R = 7, C = 5 };
    gsl_rng *rng = *state;
    size_t start[R + 1] = {0}, col[R * C], count = 0;
    double value[R * C], dense[R * C] = {0};
    for (size_t r = 0; r < R; start[++r] = count)
        for (size_t c = 0; r != 3 && c < C; c++)
            if (gsl_rng_uniform(rng) < 0.5) {
                col[count] = c;
                dense[r * C + c] = value[count++] = (double)gsl_rng_uniform_int(rng, 9) - 4;
            }
    const struct sens_csr A = {R, C, start, col, value};
    for (size_t i = 0; i < LANE_COUNTS; i++) {
        const size_t L = lane_counts[i];
        double *V = whole_numbers(rng, C * L), *W = whole_numbers(rng, R * L);
        double *AV = whole_numbers(rng, R * L), *AW = whole_numbers(rng, C * L);
        double *want_AV = copy_of(R * L, AV), *want_AW = copy_of(C * L, AW);
        sens_lanes_add_csr(A, L, V, AV);
        sens_lanes_add_csr_transposed(A, L, W, AW);
        plain_product(sens_dense(R, C, dense), (struct sens_lanes){.v = V, .step = L}, L, want_AV);
        plain_product(sens_dense_transposed(R, C, dense), (struct sens_lanes){.v = W, .step = L}, L, want_AW);
        for (size_t q = 0; q < R * L; q++) assert_true(AV[q] == want_AV[q]);
        for (size_t q = 0; q < C * L; q++) assert_true(AW[q] == want_AW[q]);
        free_block(C * L, V);
        free_block(R * L, W);
        free_block(R * L, AV);
        free_block(C * L, AW);
        free_block(R * L, want_AV);
        free_block(C * L, want_AW);
    }
}

static void test_rows(void **state)
{
    enum { N = 6 };
    gsl_rng *rng = *state;
    for (size_t i = 0; i < LANE_COUNTS; i++) {
        const size_t L = lane_counts[i];
        double *X = whole_numbers(rng, N * L), *Y = whole_numbers(rng, N * L), *before = copy_of(N * L, Y);
        double *s = whole_numbers(rng, N), *u = whole_numbers(rng, N), *out = new_block(N * L);
        sens_lanes_scale_rows(N, L, s, X, out);
        for (size_t q = 0; q < N * L; q++) assert_true(out[q] == s[q / L] * X[q]);
        sens_lanes_combine_rows(N, L, s, X, u, Y);
        for (size_t q = 0; q < N * L; q++) assert_true(Y[q] == s[q / L] * X[q] + u[q / L] * before[q]);
        memcpy(out, Y, N * L * sizeof *Y);
        sens_lanes_axpy(N, L, 3, X, Y);
        for (size_t q = 0; q < N * L; q++) assert_true(Y[q] == out[q] + 3 * X[q]);
        free_block(N * L, X);
        free_block(N * L, Y);
        free_block(N * L, before);
        free_block(N, s);
        free_block(N, u);
        free_block(N * L, out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_same_lanes), cmocka_unit_test(test_row),
        cmocka_unit_test(test_matvec),   cmocka_unit_test(test_csr),        cmocka_unit_test(test_rows),
    };
    return supported() ? cmocka_run_group_tests(tests, make_rng, free_rng) : SKIPPED;
}
