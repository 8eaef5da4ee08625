/* harness/analyse: subsets, spectrum and shares of variance of drawn matrices against the definitions, and words. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "analysis_support.h"
#include "combinations.h"
#include "dense.h"
#include "scaled.h"
#include "subsets.h"

enum { ROWS = 40, COLS = 8, MANY = 20 };

static double uniform(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* Columns of length 1, every other one leaning towards the first, so that some subsets are nearly collinear; D over six
 * decades. */
static void draw(struct sens_ctx *ctx, size_t rows, size_t cols, struct stacked *stacked)
{
    unsigned long long seed = 7;
    *stacked = (struct stacked){.rows = rows,
                                .cols = cols,
                                .parameter = SENS_NEW(ctx, size_t, cols),
                                .M = SENS_NEW(ctx, double, rows *cols),
                                .length = SENS_NEW(ctx, double, cols),
                                .noise = 1e-13};
    for (size_t k = 0; k < cols; k++) {
        double squares = 0;
        for (size_t r = 0; r < rows; r++) {
            double *const entry = &stacked->M[k * rows + r];
            *entry = uniform(&seed) + (k % 2 ? 5 * stacked->M[r] : 0);
            squares += *entry * *entry;
        }
        for (size_t r = 0; r < rows; r++) stacked->M[k * rows + r] /= sqrt(squares);
        stacked->length[k] = pow(10, 3 * uniform(&seed));
        stacked->parameter[k] = k;
    }
}

/* M_K^T M_K of a subset, scaled by the lengths where `scaled`. */
static void gram(const struct stacked *stacked, const struct subset *subset, bool scaled, double *G)
{
    for (size_t a = 0; a < subset->size; a++)
        for (size_t b = 0; b < subset->size; b++) {
            const size_t ca = subset->column[a], cb = subset->column[b];
            double sum = 0;
            for (size_t r = 0; r < stacked->rows; r++)
                sum += stacked->M[ca * stacked->rows + r] * stacked->M[cb * stacked->rows + r];
            G[a * subset->size + b] = scaled ? sum * stacked->length[ca] * stacked->length[cb] : sum;
        }
}

/* By elimination; symmetric and positive. */
static double determinant(size_t n, double *G)
{
    double product = 1;
    for (size_t r = 0; r < n; r++) {
        product *= G[r * n + r];
        for (size_t i = r + 1; i < n; i++)
            for (size_t c = n; c-- > r;) G[i * n + c] -= G[i * n + r] / G[r * n + r] * G[r * n + c];
    }
    return product;
}

struct seen {
    struct sens_ctx *ctx;
    const struct stacked *stacked;
    size_t count[COLS + 1];
    unsigned long mask_sum;
};

/* Against the eigenvalues of the Gram matrix, by LAPACK, and its determinant, by elimination. */
static void compare(void *self, const struct subset *subset)
{
    struct seen *const seen = self;
    double G[COLS * COLS], sigma[COLS];
    unsigned long mask = 0;
    for (size_t c = 0; c < subset->size; c++) {
        assert_true(c == 0 || subset->column[c] > subset->column[c - 1]);
        mask |= 1ul << subset->column[c];
    }
    seen->count[subset->size]++;
    seen->mask_sum += mask;
    gram(seen->stacked, subset, false, G);
    assert_int_equal(dense_svd(seen->ctx, subset->size, G, sigma, NULL), SENS_OK);
    const double gamma = 1 / sqrt(sigma[subset->size - 1]);
    if (!(fabs(subset->gamma / gamma - 1) < 1e-11)) fail_msg("gamma %.17g, %.17g", subset->gamma, gamma);
    gram(seen->stacked, subset, true, G);
    const double rho = pow(determinant(subset->size, G), 0.5 / (double)subset->size);
    if (!(fabs(subset->rho / rho - 1) < 1e-11)) fail_msg("rho %.17g, %.17g", subset->rho, rho);
}

static void subsets_are_by_definition(void **state)
{
    (void)state;
    struct sens_ctx ctx = {.cores = 1};
    struct stacked stacked;
    struct spectrum spectrum;
    draw(&ctx, ROWS, COLS, &stacked);
    struct seen seen = {.ctx = &ctx, .stacked = &stacked};
    assert_int_equal(spectrum_make(&ctx, &stacked, &spectrum), SENS_OK);
    assert_int_equal(subsets_visit(&ctx, &stacked, &spectrum, COLS, compare, &seen), SENS_OK);
    const size_t binomial[] = {0, 0, 28, 56, 70, 56, 28, 8, 1};
    for (size_t size = 0; size <= COLS; size++) assert_int_equal(seen.count[size], binomial[size]);
    assert_int_equal(seen.mask_sum,
                     128ul * 255 - 255); /* each column is in 2^7 subsets, less that of it alone */
    sens_arena_release(&ctx.arena);
}

static void sizes_that_are_visited(void **state)
{
    (void)state;
    assert_int_equal(subsets_size(20, 5000), 3); /* 190 + 1140 + 4845 are more */
    assert_int_equal(subsets_size(20, 6175), 4);
    assert_int_equal(subsets_size(20, 1e9), 20);
    assert_int_equal(subsets_size(20, 189), 0);
    assert_int_equal(subsets_size(1, 100), 1);
}

/* sum_j (V_kj/sigma_j)^2 is the k-th diagonal entry of (M^T M)^-1, which elimination gives as a quotient of
 * determinants; shares of it add up to one; |M V_j| = sigma_j. */
static void spectrum_is_by_definition(void **state)
{
    (void)state;
    struct sens_ctx ctx = {.cores = 1};
    struct stacked stacked;
    struct spectrum spectrum;
    draw(&ctx, ROWS, COLS, &stacked);
    assert_int_equal(spectrum_make(&ctx, &stacked, &spectrum), SENS_OK);
    assert_int_equal(spectrum.rank, COLS);
    size_t all[COLS];
    double G[COLS * COLS];
    for (size_t k = 0; k < COLS; k++) all[k] = k;
    gram(&stacked, &(struct subset){.size = COLS, .column = all}, false, G);
    const double whole = determinant(COLS, G);
    for (size_t k = 0; k < COLS; k++) {
        size_t others[COLS], count = 0;
        for (size_t c = 0; c < COLS; c++)
            if (c != k) others[count++] = c;
        gram(&stacked, &(struct subset){.size = COLS - 1, .column = others}, false, G);
        const double inverse = determinant(COLS - 1, G) / whole;
        double sum = 0, shares = 0;
        for (size_t j = 0; j < COLS; j++) {
            const double part = spectrum.V[j * COLS + k] / spectrum.sigma[j];
            sum += part * part, shares += spectrum.proportion[j * COLS + k];
            assert_true(fabs(spectrum.proportion[j * COLS + k] - part * part / inverse) < 1e-11);
        }
        assert_true(fabs(sum / inverse - 1) < 1e-11 && fabs(shares - 1) < 1e-13);
    }
    for (size_t j = 0; j < COLS; j++) {
        double squares = 0;
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0;
            for (size_t k = 0; k < COLS; k++) sum += stacked.M[k * ROWS + r] * spectrum.V[j * COLS + k];
            squares += sum * sum;
        }
        assert_true(fabs(sqrt(squares) / spectrum.sigma[j] - 1) < 1e-12);
        assert_true(fabs(spectrum.condition[j] * spectrum.sigma[j] / spectrum.sigma[0] - 1) < 1e-13);
    }
    sens_arena_release(&ctx.arena);
}

/* The first is the longest column; each next one has the largest part outside the span of those before it. */
static void order_is_greedy(void **state)
{
    (void)state;
    struct sens_ctx ctx = {.cores = 1};
    struct stacked stacked;
    struct spectrum spectrum;
    draw(&ctx, ROWS, COLS, &stacked);
    assert_int_equal(spectrum_make(&ctx, &stacked, &spectrum), SENS_OK);
    for (size_t r = 0; r < COLS; r++) {
        double best = 0, previous = 1;
        for (size_t k = 0; k < COLS; k++) {
            size_t chosen[COLS];
            double G[COLS * COLS];
            bool before = false;
            for (size_t c = 0; c < r; c++) chosen[c] = spectrum.order[c], before = before || chosen[c] == k;
            chosen[r] = k;
            if (before) continue;
            gram(&stacked, &(struct subset){.size = r + 1, .column = chosen}, true, G);
            const double with = determinant(r + 1, G);
            gram(&stacked, &(struct subset){.size = r, .column = chosen}, true, G);
            previous = r ? determinant(r, G) : 1;
            best = fmax(best, sqrt(with / previous));
        }
        if (!(fabs(spectrum.pivot[r] / best - 1) < 1e-9)) fail_msg("%zu: %g, %g", r, spectrum.pivot[r], best);
    }
    sens_arena_release(&ctx.arena);
}

static void count_one(void *self, const struct subset *subset)
{
    if (isfinite(subset->gamma)) ++*(size_t *)self;
}

/* Two equal columns: every subset with both is infinitely collinear, and no other one; the rank is one less. */
static void equal_columns(void **state)
{
    (void)state;
    struct sens_ctx ctx = {.cores = 1};
    struct stacked stacked;
    struct spectrum spectrum;
    size_t finite = 0;
    draw(&ctx, ROWS, COLS, &stacked);
    stacked.noise = 1e-6;
    for (size_t r = 0; r < ROWS; r++) /* but for what is noise */
        stacked.M[5 * ROWS + r] = stacked.M[2 * ROWS + r] * (1 + (r % 2 ? 1e-9 : -1e-9));
    assert_int_equal(spectrum_make(&ctx, &stacked, &spectrum), SENS_OK);
    assert_int_equal(spectrum.rank, COLS - 1);
    assert_int_equal(subsets_visit(&ctx, &stacked, &spectrum, COLS, count_one, &finite), SENS_OK);
    assert_int_equal(finite, 247 - 64); /* both are in 2^6 subsets */
    sens_arena_release(&ctx.arena);
}

/* The noise is the error of the columns by their lengths; a column whose error is large is left out. */
static void noise_and_fate(void **state)
{
    (void)state;
    struct analysed me;
    struct stacked stacked;
    double *unit;
    analysed_solve(&me, "problem=logistic", NULL);
    const struct analysis *const analysis = &me.analysis;
    assert_int_equal(scaled_units(&me.ctx, analysis, &analysis->closer, SCALE_LARGEST, &unit), SENS_OK);
    for (int pass = 0; pass < 2; pass++) {
        const double part = pass ? 0.2 : 1e-3;
        for (size_t j = 0; j < analysis->grid.times; j++)
            analysis->closer.S[j * 2 + 1] = analysis->at_tol.S[j * 2 + 1] * (1 + part);
        assert_int_equal(
            stacked_make(&me.ctx, analysis, &analysis->at_tol, STACKED_LOGARITHMS, unit, &stacked), SENS_OK);
        assert_int_equal(stacked.cols, pass ? 1 : 2);
        assert_int_equal(stacked.fate[1], pass ? FATE_NO_EFFECT : FATE_KEPT);
        assert_true(pass ? stacked.noise < 1e-7 : fabs(stacked.noise / part - 1) < 1e-6);
    }
    analysed_end(&me);
}

/* 20 parameters, 6175 subsets. */
static void many_subsets(void **state)
{
    (void)state;
    struct sens_ctx ctx = {.cores = 1};
    struct stacked stacked;
    struct spectrum spectrum;
    size_t finite = 0;
    draw(&ctx, 5 * ROWS, MANY, &stacked);
    assert_int_equal(spectrum_make(&ctx, &stacked, &spectrum), SENS_OK);
    assert_int_equal(subsets_visit(&ctx, &stacked, &spectrum, 4, count_one, &finite), SENS_OK);
    assert_int_equal(finite, 6175);
    sens_arena_release(&ctx.arena);
}

static void words(void **state)
{
    (void)state;
    static const char *const name[] = {"a", "b", "c"};
    static const struct {
        double w[3];
        enum combination_kind kind;
        const char *text;
    } cases[] = {
        {{1, -1, 0}, COMBINATION_PRODUCT, "a and b only as a * b"},
        {{1, 0, 1}, COMBINATION_PRODUCT, "a and c only as a / c"},
        {{0, 2, -4}, COMBINATION_PRODUCT, "b and c only as b^2 * c"},
        {{3, 2, 0}, COMBINATION_PRODUCT, "a and b only as a^2 / b^3"},
        {{1, -1, 2}, COMBINATION_PRODUCT, "a, b and c only as a * b and a^2 / c"},
        {{1, -1, 0}, COMBINATION_SUM, "a and b only as a + b"},
        {{2, 3, 0}, COMBINATION_SUM, "a and b only as 3 a - 2 b"},
        {{0, 0, 1}, COMBINATION_PRODUCT, "c: no state moves when it changes"},
        {{0, 1, -0.83333},
         COMBINATION_LOCAL,
         "b and c: no state moves when their logarithms change as 1 : -0.8333"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[COMBINATION_TEXT];
        combination_words(3, cases[c].w, name, cases[c].kind, text);
        assert_string_equal(text, cases[c].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subsets_are_by_definition),
        cmocka_unit_test(sizes_that_are_visited),
        cmocka_unit_test(spectrum_is_by_definition),
        cmocka_unit_test(order_is_greedy),
        cmocka_unit_test(equal_columns),
        cmocka_unit_test(many_subsets),
        cmocka_unit_test(noise_and_fate),
        cmocka_unit_test(words),
    };
    return has_lapack() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
