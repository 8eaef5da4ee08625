/* methods/linear: which sparse kernel a pattern gets; and factors that are lent, with the kernel whose solves take a
 * copy of them: it must be of the factors at hand. */
#include "linear_support.h"
#include "shifted.h"

/* Two unknowns a node of a periodic grid, which depend on both of their node and on their own of its neighbours. */
static struct sens_pattern grid_pattern(struct sens_ctx *ctx, size_t side)
{
    const size_t n = 2 * side * side;
    size_t *const start = SENS_NEW(ctx, size_t, n + 1), *const col = SENS_NEW(ctx, size_t, 6 * n);
    bool *const has = SENS_NEW(ctx, bool, n);
    assert_true(start && col && has);
    for (size_t i = 0; i < n; i++) {
        const size_t node = i / 2, x = node % side, y = node / side, s = i % 2;
        const size_t near[] = {(x + 1) % side + y * side, (x + side - 1) % side + y * side,
                               x + (y + 1) % side * side, x + (y + side - 1) % side * side};
        memset(has, 0, n * sizeof *has);
        has[2 * node] = has[2 * node + 1] = true;
        for (size_t k = 0; k < 4; k++) has[2 * near[k] + s] = true;
        start[i + 1] = start[i];
        for (size_t j = 0; j < n; j++)
            if (has[j]) col[start[i + 1]++] = j;
    }
    return (struct sens_pattern){n, n, start, col};
}

/* Of the same pattern, turned or not, real or complex. */
static void check_choice(struct sens_ctx *ctx, const struct sens_pattern *pattern, const char *name)
{
    struct sens_shifted *made[4];
    const size_t n = pattern->rows;
    assert_int_equal(sens_shifted_create(ctx, n, pattern, SENS_KERNEL_AUTO, &made[0]), SENS_OK);
    assert_int_equal(sens_shifted_create_turned(ctx, n, pattern, SENS_KERNEL_AUTO, &made[1]), SENS_OK);
    assert_int_equal(sens_shifted_create_complex(ctx, n, pattern, SENS_KERNEL_AUTO, &made[2]), SENS_OK);
    assert_int_equal(sens_shifted_like(ctx, made[0], true, &made[3]), SENS_OK);
    for (size_t k = 0; k < 4; k++) assert_string_equal(sens_shifted_kernel(made[k]), name);
    for (size_t k = 0; k < 4; k++) sens_shifted_release(made[k]);
}

static bool both_are_there(void)
{
    static const size_t start[] = {0, 1}, col[] = {0};
    static const struct sens_pattern one = {1, 1, start, col};
    struct sens_ctx ctx = {.now = NULL};
    struct sens_shifted *klu, *umfpack;
    const sens_status first = sens_shifted_create(&ctx, 1, &one, SENS_KERNEL_KLU, &klu);
    const sens_status second = sens_shifted_create(&ctx, 1, &one, SENS_KERNEL_UMFPACK, &umfpack);
    sens_shifted_release(klu), sens_shifted_release(umfpack);
    sens_arena_release(&ctx.arena);
    return first == SENS_OK && second == SENS_OK;
}

static void grids_take_blocks(void **state)
{
    struct sens_ctx ctx = {.now = NULL};
    struct sens_pattern chain;
    (void)state;
    if (!both_are_there()) skip();
    assert_int_equal(sens_pattern_band(&ctx, 3000, 1, &chain), SENS_OK);
    const struct sens_pattern small = grid_pattern(&ctx, 12), large = grid_pattern(&ctx, 60);
    check_choice(&ctx, &chain, "klu");
    check_choice(&ctx, &small, "klu");
    check_choice(&ctx, &large, "umfpack");
    sens_arena_release(&ctx.arena);
}

/* The residual of (I - J) X = B, or of the transposed system. */
static void check_residual(const struct sens_pattern *pattern, const double *J, bool transposed, size_t L,
                           const double *X, const double *B)
{
    const size_t n = pattern->rows, count = n * L;
    double *sum = calloc(count, sizeof *sum), *size = calloc(count, sizeof *size);
    assert_true(sum && size);
    for (size_t q = 0; q < count; q++) sum[q] = X[q] - B[q], size[q] = fabs(X[q]) + fabs(B[q]);
    for (size_t i = 0; i < n; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            for (size_t l = 0; l < L; l++) {
                const size_t j = pattern->col[e], to = transposed ? j : i, from = transposed ? i : j;
                sum[to * L + l] -= J[e] * X[from * L + l];
                size[to * L + l] += fabs(J[e] * X[from * L + l]);
            }
    /* some n roundings of terms, of a matrix that is diagonally dominant */
    for (size_t q = 0; q < count; q++) assert_true(fabs(sum[q]) <= 1e-12 * size[q]);
    free(sum), free(size);
}

struct lending {
    gsl_rng *rng;
    struct sens_pattern pattern;
    size_t entries;
    double *J[2]; /* two matrices */
};

static void check_solves(struct lending *all, struct sens_shifted *shifted, const double *J)
{
    for (size_t L = 1; L <= 11; L += 5)
        for (int transposed = 0; transposed < 2; transposed++) {
            const size_t count = all->pattern.rows * L;
            double *B = random_new(all->rng, count), *X = malloc(count * sizeof *X);
            assert_non_null(X);
            memcpy(X, B, count * sizeof *X);
            sens_shifted_solve(shifted, transposed, L, X);
            check_residual(&all->pattern, J, transposed, L, X, B);
            free(B), free(X);
        }
}

/* One of a kind, its own factors and those of others in turn, the same lender with other factors among them. */
static void check_lending(struct lending *all, struct sens_ctx *ctx, bool turned)
{
    static const struct sens_shift shift = {1, 1, 0};
    struct sens_shifted *own, *lender, *likewise;
    const size_t n = all->pattern.rows;
    assert_int_equal(sens_shifted_create(ctx, n, &all->pattern, SENS_KERNEL_UMFPACK, &own), SENS_OK);
    assert_int_equal(sens_shifted_like(ctx, own, turned, &lender), SENS_OK);
    assert_int_equal(sens_shifted_like(ctx, own, false, &likewise), SENS_OK);
    assert_int_equal(sens_shifted_factor(own, shift, all->J[0]), SENS_OK);
    check_solves(all, own, all->J[0]);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(sens_shifted_factor(lender, shift, all->J[round % 2]), SENS_OK);
        sens_shifted_borrow(likewise, lender);
        check_solves(all, likewise, all->J[round % 2]);
    }
    sens_shifted_borrow(likewise, own);
    check_solves(all, likewise, all->J[0]);
    assert_int_equal(sens_shifted_factor(likewise, shift, all->J[1]), SENS_OK);
    check_solves(all, likewise, all->J[1]);
    check_solves(all, own, all->J[0]);
    assert_true(sens_shifted_bytes(own) > all->entries * sizeof(double));
    sens_shifted_release(likewise), sens_shifted_release(lender), sens_shifted_release(own);
}

static void lent_factors_are_those_at_hand(void **state)
{
    struct sens_ctx ctx = {.now = NULL};
    struct lending all = {.rng = gsl_rng_alloc(gsl_rng_mt19937)};
    (void)state;
    if (!both_are_there()) skip();
    all.pattern = grid_pattern(&ctx, 9);
    all.entries = all.pattern.start[all.pattern.rows];
    for (int k = 0; k < 2; k++) {
        all.J[k] = random_new(all.rng, all.entries);
        for (size_t e = 0; e < all.entries; e++) all.J[k][e] *= 0.1; /* six a row */
    }
    check_lending(&all, &ctx, false);
    check_lending(&all, &ctx, true);
    free(all.J[0]), free(all.J[1]);
    gsl_rng_free(all.rng);
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grids_take_blocks),
                                       cmocka_unit_test(lent_factors_are_those_at_hand)};
    return cmocka_run_group_tests_name("shifted_choice", tests, NULL, NULL);
}
