/* methods/linear: sparse factors of systems that fall into blocks, lanes side by side, in both directions, against the
 * product with the matrix itself. */
#include "linear_support.h"
#include "shifted.h"

typedef sens_status creation(struct sens_ctx *ctx, size_t n, const struct sens_pattern *pattern,
                             enum sens_kernel_choice choice, struct sens_shifted **made);

/* Blocks of the sizes 1, 2, ... on the diagonal, which share what is above (or, after the exchange of their order,
 * below) them: what KLU finds, and solves block by block. A row has few entries, pivots are seldom on the diagonal,
 * and rows differ in size by eight decades. */
static struct sens_pattern blocks_pattern(struct sens_ctx *ctx, gsl_rng *rng, size_t n)
{
    size_t *const start = SENS_NEW(ctx, size_t, n + 1), *const col = SENS_NEW(ctx, size_t, n * n);
    assert_true(start && col);
    for (size_t first = 0, size = 1; first < n; first += size++)
        for (size_t i = first; i < n && i < first + size; i++) {
            start[i + 1] = start[i];
            for (size_t j = 0; j < n; j++) {
                const bool ring = j == i || j == (i + 1 < first + size && i + 1 < n ? i + 1 : first);
                if (ring || (j < first + size && gsl_rng_uniform_int(rng, 5) == 0)) col[start[i + 1]++] = j;
            }
        }
    return (struct sens_pattern){n, n, start, col};
}

/* The residual of lane l of M X = B, or M^T X = B, row by row against the size of its terms, M = -J. */
static void check_lane(const struct sens_pattern *pattern, const double *J, bool transposed, size_t L,
                       size_t l, const double *X, const double *B)
{
    const size_t n = pattern->rows;
    double sum[64] = {0}, size[64] = {0};
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
            const size_t j = pattern->col[e], to = transposed ? j : i, from = transposed ? i : j;
            sum[to] += J[e] * X[from * L + l], size[to] += fabs(J[e] * X[from * L + l]);
        }
    /* n^2 roundings, and the growth of pivots that are chosen to be at least a thousandth of their column */
    for (size_t i = 0; i < n; i++) assert_true(fabs(sum[i] + B[i * L + l]) <= 1e-10 * (size[i] + 1e-8));
}

/* decades: by how many rows differ in size, on either side of 1; parts: 2 where the matrix is complex, with no
 * imaginary part, and X [N][2][L] are 2 L right-hand sides. */
static void check_blocks(creation *create, size_t parts, enum sens_kernel_choice choice, int decades,
                         unsigned long seed)
{
    enum { N = 45, MOST = 34 };
    struct sens_ctx ctx = {.now = NULL};
    struct sens_shifted *shifted;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    const struct sens_pattern pattern = blocks_pattern(&ctx, rng, N);
    double *J = random_new(rng, N * N), *X = malloc(sizeof *X * N * MOST);
    assert_non_null(X);
    for (size_t i = 0; i < N; i++)
        for (size_t e = pattern.start[i]; e < pattern.start[i + 1]; e++)
            J[e] *= pow(10, (double)(i % (2 * (size_t)decades + 1)) - decades);
    const sens_status status = create(&ctx, N, &pattern, choice, &shifted);
    if (status == SENS_OK && seed % 2) sens_shifted_expect_many(shifted); /* one lane goes as many do */
    if (status == SENS_OK)
        assert_int_equal(sens_shifted_factor(shifted, (struct sens_shift){0, 1, 0}, J), SENS_OK);
    for (size_t L = parts; L <= MOST / 2 * parts && status == SENS_OK; L += parts)
        for (int transposed = 0; transposed < 2; transposed++) {
            double *B = random_new(rng, N * L);
            memcpy(X, B, sizeof *X * N * L);
            sens_shifted_solve(shifted, transposed, L / parts, X);
            for (size_t l = 0; l < L; l++) check_lane(&pattern, J, transposed, L, l, X, B);
            free(B);
        }
    sens_shifted_release(shifted);
    sens_arena_release(&ctx.arena);
    gsl_rng_free(rng);
    free(J), free(X);
}

static void test_blocks(void **state)
{
    (void)state;
    for (unsigned long seed = 1; seed < 20; seed++) {
        check_blocks(sens_shifted_create, 1, SENS_KERNEL_KLU, 4, seed);
        check_blocks(sens_shifted_create_turned, 1, SENS_KERNEL_KLU, 4, seed);
        check_blocks(sens_shifted_create_complex, 2, SENS_KERNEL_KLU, 4, seed);
        /* All blocks are one to UMFPACK: the rounding of large rows reaches the small ones. */
        check_blocks(sens_shifted_create, 1, SENS_KERNEL_UMFPACK, 0, seed);
        check_blocks(sens_shifted_create_turned, 1, SENS_KERNEL_UMFPACK, 0, seed);
        check_blocks(sens_shifted_create_complex, 2, SENS_KERNEL_UMFPACK, 0, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests_name("shifted_blocks", tests, NULL, NULL);
}
