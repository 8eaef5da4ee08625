/* Products with a laid-out matrix against the plain loop
 *
 *     OUT(r, l) = [OUT(r, l)] + sum_k A(r, k) V(k, l),   k ascending
 *
 * for all sizes around those of panels, vectors and tiles; the same for several blocks at once, whose rows
 * lie apart; and the stage of a reverse sweep, which is one sum and one such product. */
#include "lane_support.h"

#include "kernels.h"

static const size_t lane_counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 33};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts, ROWS = 40, COLS = 70, GAP = 3 };

struct product { /* A [rows][cols], V [cols][L]; the sum from 0 and from `before` [rows][L] */
    size_t rows, cols, L;
    double *A, *columns, *V, *before, *from_zero, *from_before;
};

/* columns: A by columns, which lie rows + GAP apart. */
static void create(gsl_rng *rng, size_t rows, size_t cols, size_t L, struct product *q)
{
    *q = (struct product){.rows = rows, .cols = cols, .L = L};
    q->A = random_new(rng, rows * cols);
    q->V = random_new(rng, cols * L);
    q->before = random_new(rng, rows * L);
    q->columns = random_new(rng, cols * (rows + GAP));
    q->from_zero = random_new(rng, rows * L);
    q->from_before = random_new(rng, rows * L);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < cols; k++) q->columns[k * (rows + GAP) + r] = q->A[r * cols + k];
    for (size_t r = 0; r < rows; r++)
        for (size_t l = 0; l < L; l++) {
            double zero = 0, before = q->before[r * L + l];
            for (size_t k = 0; k < cols; k++) {
                zero += q->A[r * cols + k] * q->V[k * L + l];
                before += q->A[r * cols + k] * q->V[k * L + l];
            }
            q->from_zero[r * L + l] = zero, q->from_before[r * L + l] = before;
        }
}

static void destroy(struct product *q)
{
    free(q->A), free(q->V), free(q->before), free(q->columns), free(q->from_zero), free(q->from_before);
}

static void require_layout(const struct product *q, const struct sens_packed *A, const char *layout)
{
    const size_t count = q->rows * q->L;
    const double size = 0.5 + 0.25 * (double)q->cols; /* of numbers up to 1/2 */
    double *out = fenced_new(count), *sum = fenced_new(count);
    if (count) memcpy(sum, q->before, count * sizeof *sum);
    sens_packed_multiply(A, q->L, q->V, out);
    sens_packed_add_product(A, q->L, q->V, sum);
    for (size_t i = 0; i < count; i++)
        if (!same_sum(out[i], q->from_zero[i], q->cols, size) ||
            !same_sum(sum[i], q->from_before[i], q->cols, size))
            fail_msg("%s, %zu x %zu, L = %zu: entry %zu is %.17g for %.17g, added %.17g for %.17g", layout,
                     q->rows, q->cols, q->L, i, out[i], q->from_zero[i], sum[i], q->from_before[i]);
    fenced_free(count, out);
    fenced_free(count, sum);
}

static void require_packed(const struct product *q, struct sens_matrix A, const char *layout)
{
    double *memory = fenced_new(q->rows * q->cols);
    const struct sens_packed packed = sens_pack(A, memory);
    assert_int_equal(packed.rows, q->rows);
    assert_int_equal(packed.cols, q->cols);
    require_layout(q, &packed, layout);
    fenced_free(q->rows * q->cols, memory);
}

static void require_layouts(gsl_rng *rng, size_t rows, size_t cols, size_t L)
{
    struct product q;
    create(rng, rows, cols, L, &q);
    const struct sens_packed view = sens_packed_view(rows, cols, q.columns, rows + GAP);
    const struct sens_matrix by_columns = {
        .rows = rows, .cols = cols, .a = q.columns, .row_step = 1, .col_step = rows + GAP};
    require_packed(&q, sens_dense(rows, cols, q.A), "packed by rows");
    require_packed(&q, by_columns, "packed by columns");
    require_layout(&q, &view, "where it stands");
    destroy(&q);
}

static void test_products(void **state)
{
    for (size_t rows = 0; rows <= ROWS; rows++)
        for (size_t cols = 0; cols <= COLS; cols++)
            for (size_t i = 0; i < LANE_COUNTS; i++) require_layouts(*state, rows, cols, lane_counts[i]);
}

/* Several panels, and sums longer than a tile, in a few sizes. */
static void test_large_products(void **state)
{
    const size_t sizes[] = {64, 71, 128, 129, 133, 200};
    for (size_t r = 0; r < 6; r++)
        for (size_t c = 0; c < 6; c++)
            for (size_t i = 0; i < LANE_COUNTS; i++)
                require_layouts(*state, sizes[r], sizes[c], lane_counts[i]);
}

/* ---- several blocks at once ---------------------------------------------------------------------------- */

enum { COUNTS = 6 };

/* The lanes of a product as `count` blocks of L, with `gap` numbers after each row of V, and after each block
 * and each first row of OUT. */
struct cut {
    size_t count, L, gap;
    bool apart; /* row 0 has a place of its own */
};

/* V as it is cut: NaN in the gaps, and nothing after the last row. *count: how many numbers there are. */
static double *cut_vectors(gsl_rng *rng, const struct product *q, size_t gap, size_t *count)
{
    *count = q->cols ? q->cols * (q->L + gap) - gap : 0;
    double *V = random_new(rng, *count);
    for (size_t i = 0; i < *count; i++) {
        const size_t k = i / (q->L + gap), l = i % (q->L + gap);
        V[i] = l < q->L ? q->V[k * q->L + l] : NAN;
    }
    return V;
}

/* Where OUT_c(r, l) is. */
static double *place(const struct sens_many *many, size_t L, size_t c, size_t r, size_t l)
{
    if (!many->first) return many->out + c * many->out_step + r * L + l;
    if (r == 0) return many->first + c * many->first_step + l;
    return many->out + c * many->out_step + (r - 1) * L + l;
}

/* `before` where the entries are to be, or MARK. */
static void put(const struct product *q, const struct sens_many *many, struct cut cut, const double *before)
{
    for (size_t r = 0; r < q->rows; r++)
        for (size_t l = 0; l < q->L; l++)
            *place(many, cut.L, l / cut.L, r, l % cut.L) = before ? before[r * q->L + l] : MARK;
}

static void require_entries(const struct product *q, const struct sens_many *many, struct cut cut, bool add,
                            const char *layout)
{
    const double size = 0.5 + 0.25 * (double)q->cols; /* of numbers up to 1/2 */
    const double *want = add ? q->from_before : q->from_zero;
    for (size_t r = 0; r < q->rows; r++)
        for (size_t l = 0; l < q->L; l++) {
            const double got = *place(many, cut.L, l / cut.L, r, l % cut.L);
            if (!same_sum(got, want[r * q->L + l], q->cols, size))
                fail_msg("%s, %zu x %zu, %zu blocks of %zu, gap %zu%s%s: entry (%zu, %zu) is %.17g for %.17g",
                         layout, q->rows, q->cols, cut.count, cut.L, cut.gap, cut.apart ? ", apart" : "",
                         add ? ", added" : "", r, l, got, want[r * q->L + l]);
        }
}

static void require_untouched(size_t count, const double *v, const char *what, const char *layout)
{
    for (size_t i = 0; i < count; i++)
        if (v[i] != MARK) fail_msg("%s: number %zu of %s is no entry, but written", layout, i, what);
}

/* What is asked for meanwhile starts where V ends: it is not to be read. */
static void require_many(gsl_rng *rng, const struct product *q, const struct sens_packed *A, struct cut cut,
                         const char *layout)
{
    const size_t rows = q->rows > 0 && cut.apart ? q->rows - 1 : q->rows;
    const size_t out_step = rows * cut.L + cut.gap, first_step = cut.L + cut.gap;
    const size_t out_size = cut.count * out_step, first_size = cut.count * first_step;
    double *out = fenced_new(out_size), *first = fenced_new(first_size);
    size_t end;
    double *V = cut_vectors(rng, q, cut.gap, &end);
    struct sens_many many = {.count = cut.count,
                             .v = V,
                             .v_step = q->L + cut.gap,
                             .out = out,
                             .out_step = out_step,
                             .first = cut.apart ? first : NULL,
                             .first_step = first_step};
    for (int add = 0; add < 2; add++)
        for (int asked = 0; asked < 2; asked++) {
            many.next = asked ? V + end : NULL;
            put(q, &many, cut, add ? q->before : NULL);
            sens_packed_many(A, cut.L, add, &many);
            require_entries(q, &many, cut, add, layout);
        }
    put(q, &many, cut, NULL);
    require_untouched(out_size, out, "out", layout);
    require_untouched(first_size, first, "first", layout);
    fenced_free(out_size, out), fenced_free(first_size, first);
    free(V);
}

static void require_cuts(gsl_rng *rng, size_t rows, size_t cols, size_t count, size_t L)
{
    struct product q;
    create(rng, rows, cols, count * L, &q);
    double *memory = fenced_new(rows * cols);
    const struct sens_packed packed = sens_pack(sens_dense(rows, cols, q.A), memory);
    const struct sens_packed view = sens_packed_view(rows, cols, q.columns, rows + GAP);
    for (size_t gap = 0; gap <= GAP; gap += GAP)
        for (int apart = 0; apart < 2; apart++) {
            const struct cut cut = {.count = count, .L = L, .gap = gap, .apart = apart};
            require_many(rng, &q, &packed, cut, "packed");
            require_many(rng, &q, &view, cut, "where it stands");
        }
    fenced_free(rows * cols, memory);
    destroy(&q);
}

/* One panel and several, even and uneven; sums of a single lane by fours, and of a tile. */
static void test_many(void **state)
{
    const size_t rows[] = {0, 1, 2, 6, 7, 11, 12, 13, 23, 24, 25, 37}, cols[] = {0, 1, 3, 4, 5, 8, 64, 65};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t k = 0; k < sizeof cols / sizeof *cols; k++)
            for (size_t i = 0; i < LANE_COUNTS; i++)
                for (size_t count = 0; count < COUNTS; count++)
                    require_cuts(*state, rows[r], cols[k], count, lane_counts[i]);
}

/* ---- the stages of a sweep ----------------------------------------------------------------------------- */

enum { STATES = 10, TERMS = 14, STAGES = 3 };

/* |a - b| <= bound, or equal bits where nothing is contracted. */
static bool agree(size_t count, const double *a, const double *b, double bound)
{
    if (!contracted) return same_bits(count, a, b);
    for (size_t q = 0; q < count; q++)
        if (!(fabs(a[q] - b[q]) <= bound)) return false;
    return true;
}

/* kappa and theta are those of sens_lanes_combine and sens_packed_multiply; `v` holds the theta of stages
 * before. With contraction the sums differ as two sums of so many terms may, and theta by as much times a row
 * of J. */
static void require_stage(size_t n, size_t L, const struct sens_stage *stage, const double *J,
                          const double *kappa)
{
    const int terms = stage->terms;
    const size_t count = n * L;
    const double size = 0.3 / 4 * terms, rows = 0.5 * (double)n; /* most of |kappa|, and of a row of |J| */
    const double moved = 2 * (terms + 2) * DBL_EPSILON * size;
    double *sum = fenced_new(count), *product = fenced_new(count);
    const struct sens_packed transposed = sens_packed_view(n, n, J, n);
    sens_lanes_combine(count, terms, 0.3, stage->w, stage->v, sum);
    sens_packed_multiply(&transposed, L, sum, product);
    if (!agree(count, kappa, sum, moved)) fail_msg("kappa, n = %zu, L = %zu, %d terms", n, L, terms);
    if (!agree(count, stage->theta, product, rows * moved + 2 * (double)(n + 1) * DBL_EPSILON * rows * size))
        fail_msg("theta, n = %zu, L = %zu, %d terms", n, L, terms);
    fenced_free(count, sum), fenced_free(count, product);
}

/* The last terms of a stage are the theta of the stages before, as far as there are so many of either; lambda
 * is given in every other call. */
static void require_stages(gsl_rng *rng, size_t n, size_t L, int terms)
{
    const size_t count = n * L;
    double *J = random_new(rng, STAGES * n * n), *w = random_new(rng, TERMS), *v_of[TERMS], *theta[STAGES];
    const double *v[STAGES][TERMS];
    double *kappa = fenced_new(STAGES * count), *lambda = fenced_new(count);
    struct sens_stage stage[STAGES];
    for (int j = 0; j < terms; j++) v_of[j] = random_new(rng, count);
    for (size_t q = 0; q < count; q++) lambda[q] = v_of[0][q];
    for (int s = 0; s < STAGES; s++) {
        theta[s] = fenced_new(count);
        for (int j = 0; j < terms; j++) v[s][j] = terms - j <= s ? theta[s - (terms - j)] : v_of[j];
        stage[s] = (struct sens_stage){.terms = terms, .w = w, .v = v[s], .theta = theta[s]};
    }
    sens_lanes_stages(n, L, STAGES, stage, 0.3, J, kappa, terms % 2 ? lambda : NULL);
    for (size_t q = 0; q < count; q++) {
        double want = v_of[0][q];
        for (int s = 0; s < STAGES && terms % 2; s++) want += theta[s][q];
        if (lambda[q] != want) fail_msg("lambda, n = %zu, L = %zu, %d terms", n, L, terms);
    }
    for (size_t s = 0; s < STAGES; s++) require_stage(n, L, &stage[s], J + s * n * n, kappa + s * count);
    fenced_free(STAGES * count, kappa), fenced_free(count, lambda);
    for (int s = 0; s < STAGES; s++) fenced_free(count, theta[s]);
    for (int j = 0; j < terms; j++) free(v_of[j]);
    free(J), free(w);
}

static void test_stages(void **state)
{
    for (size_t n = 0; n <= STATES; n++)
        for (size_t i = 0; i < LANE_COUNTS; i++)
            for (int terms = 1; terms <= TERMS; terms++) require_stages(*state, n, lane_counts[i], terms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_large_products),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_stages),
    };
    return supported() ? cmocka_run_group_tests(tests, make_rng, free_rng) : SKIPPED;
}
