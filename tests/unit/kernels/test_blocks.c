/* Sums of lane blocks, scaled or not, gathered rows, blocks turned into rows, and one matrix times one
 * vector, against plain loops in the order that sens/lanes.h states. */
#include "lane_support.h"

#include "kernels.h"

static const size_t lane_counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 33};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts, TERMS = 12, COLS = 13, NOT_ALIASED = -1 };

/* ---- sums ---------------------------------------------------------------------------------------------- */

/* `aliased`: the v that is overwritten. */
static void require_combination(gsl_rng *rng, size_t size, int terms, int aliased)
{
    const double scale = 0.3;
    double *v_of[TERMS], *w = random_new(rng, (size_t)terms), *out = fenced_new(size);
    double *want = random_new(rng, size);
    const double *v[TERMS];
    for (int j = 0; j < terms; j++) v[j] = v_of[j] = random_new(rng, size);
    for (size_t q = 0; q < size; q++) {
        double sum = scale * w[0] * v[0][q];
        for (int j = 1; j < terms; j++) sum += scale * w[j] * v[j][q];
        want[q] = sum;
    }
    if (aliased != NOT_ALIASED && size) v[aliased] = memcpy(out, v[aliased], size * sizeof *out);
    sens_lanes_combine(size, terms, scale, w, v, out);
    for (size_t q = 0; q < size;
         q++) /* each term is below scale / 4 and has a rounding more, of its weight */
        if (!same_sum(out[q], want[q], (size_t)terms + 1, scale * terms / 4))
            fail_msg("%d terms, size %zu, v[%d] aliased: number %zu is %.17g for %.17g", terms, size, aliased,
                     q, out[q], want[q]);
    for (int j = 0; j < terms; j++) free(v_of[j]);
    free(w), free(want);
    fenced_free(size, out);
}

static void test_combine(void **state)
{
    for (size_t size = 0; size <= 41; size++)
        for (int terms = 1; terms <= TERMS; terms++)
            for (int aliased = NOT_ALIASED; aliased < terms; aliased++)
                require_combination(*state, size, terms, aliased);
    for (int terms = 1; terms <= TERMS; terms++) require_combination(*state, 1033, terms, 0);
}

/* The same onto a base, which may be overwritten. */
static void require_combination_onto(gsl_rng *rng, size_t size, int terms, bool in_place)
{
    const double scale = 0.3;
    double *v_of[TERMS], *w = random_new(rng, (size_t)terms + 1), *out = fenced_new(size);
    double *base = random_new(rng, size), *want = random_new(rng, size);
    const double *v[TERMS];
    for (int j = 0; j < terms; j++) v[j] = v_of[j] = random_new(rng, size);
    for (size_t q = 0; q < size; q++) {
        want[q] = base[q];
        for (int j = 0; j < terms; j++) want[q] += scale * w[j] * v[j][q];
    }
    if (in_place && size) memcpy(out, base, size * sizeof *out);
    sens_lanes_combine_onto(size, terms, scale, w, v, in_place ? out : base, out);
    for (size_t q = 0; q < size; q++) /* terms below scale / 4, and a base below 1 */
        if (!same_sum(out[q], want[q], (size_t)terms + 2, 1 + scale * terms / 4))
            fail_msg("%d terms, size %zu: number %zu is %.17g for %.17g", terms, size, q, out[q], want[q]);
    for (int j = 0; j < terms; j++) free(v_of[j]);
    free(w), free(want), free(base);
    fenced_free(size, out);
}

static void test_combine_onto(void **state)
{
    for (size_t size = 0; size <= 41; size++)
        for (int terms = 0; terms <= TERMS; terms++)
            for (int in_place = 0; in_place < 2; in_place++)
                require_combination_onto(*state, size, terms, in_place);
}

/* ---- scaled sums --------------------------------------------------------------------------------------- */

struct scaled { /* rows s_i kappa, and beside them d_i kappa, or kappa where d is NULL */
    size_t n, L;
    int terms;
    double *v_of[TERMS], *w, *s, *d;
};

/* A rounding more than of the terms: of their weights, and of the factor. All factors are below 1, or 1. */
static void require_scaled_sum(const struct scaled *q, double scale, const double *u, const double *other)
{
    const double size = scale * q->terms / 4;
    const size_t terms = (size_t)q->terms + 2;
    for (size_t i = 0; i < q->n * q->L; i++) {
        const double s = q->s[i / q->L], d = q->d ? q->d[i / q->L] : 1;
        double kappa = scale * q->w[0] * q->v_of[0][i];
        for (int j = 1; j < q->terms; j++) kappa += scale * q->w[j] * q->v_of[j][i];
        if (!same_sum(u[i], s * kappa, terms, size) || !same_sum(other[i], d * kappa, terms, size))
            fail_msg(
                "n = %zu, L = %zu, %d terms, %s d: number %zu is %.17g for %.17g, beside it %.17g for %.17g",
                q->n, q->L, q->terms, q->d ? "with" : "without", i, u[i], s * kappa, other[i], d * kappa);
    }
}

static void require_scaled(gsl_rng *rng, size_t n, size_t L, int terms, bool diagonal)
{
    const double scale = 0.3;
    const size_t count = n * L;
    struct scaled q = {.n = n, .L = L, .terms = terms, .w = random_new(rng, (size_t)terms)};
    double *u = fenced_new(count), *other = fenced_new(count);
    const double *v[TERMS];
    q.s = random_new(rng, n);
    q.d = diagonal ? random_new(rng, n) : NULL;
    for (int j = 0; j < terms; j++) v[j] = q.v_of[j] = random_new(rng, count);
    sens_lanes_combine_scaled(n, L, terms, scale, q.w, v, q.s, u, q.d, other);
    require_scaled_sum(&q, scale, u, other);
    for (int j = 0; j < terms; j++) free(q.v_of[j]);
    free(q.w), free(q.s), free(q.d);
    fenced_free(count, u), fenced_free(count, other);
}

static void test_combine_scaled(void **state)
{
    for (size_t n = 0; n <= 17; n++)
        for (size_t i = 0; i < LANE_COUNTS; i++)
            for (int terms = 1; terms <= TERMS; terms++)
                for (int diagonal = 0; diagonal < 2; diagonal++)
                    require_scaled(*state, n, lane_counts[i], terms, diagonal);
}

/* ---- gathered rows times few columns ------------------------------------------------------------------- */

static void require_columns(gsl_rng *rng, size_t depth, size_t L, size_t cols, bool add)
{
    const size_t v_step = L + 3, s_step = 2;
    double *v = random_new(rng, depth * v_step), *s = random_new(rng, depth * s_step);
    double *phi = random_new(rng, depth * cols), *before = random_new(rng, cols * L), *out[COLS];
    const struct sens_gather g = {.depth = depth, .v = v, .v_step = v_step, .s = s, .s_step = s_step};
    for (size_t q = 0; q < cols; q++) {
        out[q] = fenced_new(L);
        for (size_t l = 0; l < L; l++) out[q][l] = before[q * L + l];
    }
    const bool done = sens_lanes_add_gathered(&g, L, cols, phi, add, out);
    if (!done && cols <= 12 && L % 8 == 0) fail_msg("%zu columns are few", cols);
    for (size_t q = 0; q < cols; q++)
        for (size_t l = 0; l < L; l++) {
            double want = add || !done ? before[q * L + l] : 0;
            for (size_t k = 0; done && k < depth; k++)
                want += phi[k * cols + q] * (s[k * s_step] * v[k * v_step + l]);
            if (!same_sum(out[q][l], want, depth, 0.5 + 0.125 * (double)depth))
                fail_msg("depth %zu, L = %zu, column %zu of %zu, lane %zu", depth, L, q, cols, l);
        }
    for (size_t q = 0; q < cols; q++) fenced_free(L, out[q]);
    free(v), free(s), free(phi), free(before);
}

static void test_columns(void **state)
{
    for (size_t depth = 0; depth <= 9; depth++)
        for (size_t i = 0; i < LANE_COUNTS; i++)
            for (size_t cols = 1; cols <= COLS; cols++)
                for (int add = 0; add < 2; add++) require_columns(*state, depth, lane_counts[i], cols, add);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* A block whose lanes from `width` on are of no interest: not even whether they are finite. */
static double *block_of(gsl_rng *rng, size_t n, size_t L, size_t width)
{
    double *block = random_new(rng, n * L);
    for (size_t i = 0; i < n; i++)
        for (size_t l = width; l < L; l++) block[i * L + l] = NAN;
    return block;
}

static void require_rows(gsl_rng *rng, size_t n, size_t L, size_t width)
{
    double *block = block_of(rng, n, L, width), *rows = fenced_new(width * n);
    if (!sens_lanes_to_rows(n, L, width, block, rows))
        fail_msg("n = %zu, L = %zu, width %zu: taken for not finite", n, L, width);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < width; l++)
            if (rows[l * n + i] != block[i * L + l])
                fail_msg("n = %zu, L = %zu, width %zu: entry (%zu, %zu)", n, L, width, i, l);
    free(block);
    fenced_free(width * n, rows);
}

static void test_to_rows(void **state)
{
    for (size_t n = 0; n <= 21; n++)
        for (size_t i = 0; i < LANE_COUNTS; i++)
            for (size_t width = 0; width <= lane_counts[i]; width++)
                require_rows(*state, n, lane_counts[i], width);
}

/* One number that is not finite is noticed wherever it is. */
static void require_noticed(gsl_rng *rng, size_t n, size_t L, size_t width)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double *block = block_of(rng, n, L, width), *rows = fenced_new(width * n);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < width; l++)
            for (size_t b = 0; b < 3; b++) {
                const double before = block[i * L + l];
                block[i * L + l] = bad[b];
                if (sens_lanes_to_rows(n, L, width, block, rows))
                    fail_msg("n = %zu, L = %zu, width %zu: %g at (%zu, %zu)", n, L, width, bad[b], i, l);
                block[i * L + l] = before;
            }
    free(block);
    fenced_free(width * n, rows);
}

static void test_not_finite(void **state)
{
    for (size_t n = 1; n <= 13; n++)
        for (size_t L = 1; L <= 9; L++)
            for (size_t width = 1; width <= L; width++) require_noticed(*state, n, L, width);
}

/* ---- one vector ---------------------------------------------------------------------------------------- */

/* y_r + (s_0 + s_2) + (s_1 + s_3), s_q the sum over j = q mod 4. */
static double row_product(size_t cols, const double *a, const double *x, double y)
{
    double s[4] = {0};
    for (size_t j = 0; j < cols; j++) s[j % 4] += a[j] * x[j];
    return y + ((s[0] + s[2]) + (s[1] + s[3]));
}

/* The bits of one row at a time, in every build. */
static void require_matvec(gsl_rng *rng, size_t rows, size_t cols)
{
    double *A = random_new(rng, rows * cols), *x = random_new(rng, cols), *before = random_new(rng, rows);
    double *y = fenced_new(rows), *alone = fenced_new(rows);
    for (size_t r = 0; r < rows; r++) y[r] = alone[r] = before[r];
    sens_matvec(rows, cols, A, x, y);
    for (size_t r = 0; r < rows; r++) sens_matvec(1, cols, A + r * cols, x, alone + r);
    for (size_t r = 0; r < rows; r++) {
        const double want = row_product(cols, A + r * cols, x, before[r]);
        if (y[r] != alone[r]) fail_msg("%zu x %zu: row %zu alone has other bits", rows, cols, r);
        if (!same_sum(y[r], want, cols + 3, 0.5 + 0.25 * (double)cols))
            fail_msg("%zu x %zu: row %zu is %.17g for %.17g", rows, cols, r, y[r], want);
    }
    free(A), free(x), free(before);
    fenced_free(rows, y), fenced_free(rows, alone);
}

static void test_matvec(void **state)
{
    for (size_t rows = 0; rows <= 40; rows++)
        for (size_t cols = 0; cols <= 40; cols++) require_matvec(*state, rows, cols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combine),        cmocka_unit_test(test_combine_onto),
        cmocka_unit_test(test_combine_scaled), cmocka_unit_test(test_columns),
        cmocka_unit_test(test_to_rows),        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_matvec),
    };
    return supported() ? cmocka_run_group_tests(tests, make_rng, free_rng) : SKIPPED;
}
