/* methods/linear: J by every route against differences of f, and systems I - h gamma J by every kernel
 * against the product with the matrix itself. */
#include "lane_support.h"

#include <dirent.h>

#include "jacobian.h"
#include "pattern.h"
#include "shifted.h"

static bool failed(sens_status status)
{
    return status != SENS_OK;
}

/* ---- a problem whose J is sparse, not symmetric in its pattern, and depends on x and t ----------------- */

enum { FAR = 5 }; /* f_i has x_(i-1), x_i and x_(i+FAR), where these are */

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const size_t n = pb->n;
    const double *x = at->x;
    for (size_t i = 0; i < n; i++) {
        dx[i] = -x[i] * x[i] * (double)(i + 1);
        if (i > 0) dx[i] += sin(x[i - 1]) * at->p[0];
        if (i + FAR < n) dx[i] += at->t * x[i] * x[i + FAR];
    }
    return SENS_OK;
}

/* J_ij, for any i and j */
static double entry(const struct sens_at *at, size_t n, size_t i, size_t j)
{
    const double *x = at->x;
    if (j == i) return -2 * x[i] * (double)(i + 1) + (i + FAR < n ? at->t * x[i + FAR] : 0);
    if (j + 1 == i) return cos(x[j]) * at->p[0];
    return j == i + FAR ? at->t * x[i] : 0;
}

static long multiplied; /* vectors, by either product */

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    multiplied += (long)L;
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t i = 0; i < pb->n; i++)
        for (size_t j = 0; j < pb->n; j++)
            for (size_t l = 0; l < L; l++) OUT[i * L + l] += entry(at, pb->n, i, j) * V[j * L + l];
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    multiplied += (long)L;
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t i = 0; i < pb->n; i++)
        for (size_t j = 0; j < pb->n; j++)
            for (size_t l = 0; l < L; l++) OUT[j * L + l] += entry(at, pb->n, i, j) * W[i * L + l];
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    const size_t n = pb->n;
    const struct sens_pattern *sparsity = pb->structure->sparsity;
    if (!sparsity)
        for (size_t i = 0; i < n * n; i++) J[i] = entry(at, n, i / n, i % n);
    else
        for (size_t i = 0; i < n; i++)
            for (size_t e = sparsity->start[i]; e < sparsity->start[i + 1]; e++)
                J[e] = entry(at, n, i, sparsity->col[e]);
}

/* Its pattern; without the diagonal of row 2, to see it added. */
static struct sens_pattern pattern_of(struct sens_ctx *ctx, size_t n, bool whole)
{
    size_t *start = SENS_NEW(ctx, size_t, n + 1), *col = SENS_NEW(ctx, size_t, 3 * n);
    assert_true(start && col);
    for (size_t i = 0; i < n; i++) {
        start[i + 1] = start[i];
        if (i > 0) col[start[i + 1]++] = i - 1;
        if (whole || i != 2) col[start[i + 1]++] = i;
        if (i + FAR < n) col[start[i + 1]++] = i + FAR;
    }
    return (struct sens_pattern){n, n, start, col};
}

struct linear_bed {
    struct sens_ctx ctx;
    struct sens_problem_type type;
    struct sens_pattern pattern;
    struct sens_structure structure;
    struct sens_problem pb;
    double x[200], p[1];
    struct sens_at at;
};

static struct linear_bed *bed_new(size_t n)
{
    struct linear_bed *bed = calloc(1, sizeof *bed);
    assert_non_null(bed);
    bed->type = (struct sens_problem_type){.name = "made", .rhs = rhs, .jvp = jvp, .vjp = vjp};
    bed->pattern = pattern_of(&bed->ctx, n, true);
    bed->p[0] = 0.75;
    for (size_t i = 0; i < n; i++) bed->x[i] = 0.3 + 0.2 * sin(3.0 * (double)i);
    bed->pb = (struct sens_problem){
        .type = &bed->type, .n = n, .np = 1, .x0 = bed->x, .p = bed->p, .structure = &bed->structure};
    bed->at = (struct sens_at){0.4, bed->x, bed->p};
    return bed;
}

static void bed_free(struct linear_bed *bed)
{
    sens_arena_release(&bed->ctx.arena);
    free(bed);
}

/* J_ij from the values of a route, 0 outside its pattern. */
static double value_at(const struct sens_jacobian *J, const double *value, size_t i, size_t j)
{
    if (!J->pattern) return value[i * J->pb->n + j];
    for (size_t e = J->pattern->start[i]; e < J->pattern->start[i + 1]; e++)
        if (J->pattern->col[e] == j) return value[e];
    return 0;
}

/* Column j by central differences of f: step 1e-5, so that h^2 f''' and eps / h are both below 1e-9. */
static void expect_finite_truth(const struct linear_bed *bed, const struct sens_jacobian *J,
                                const double *value)
{
    const size_t n = bed->pb.n;
    double moved[200], f[2][200];
    for (size_t j = 0; j < n; j++) {
        for (int side = 0; side < 2; side++) {
            memcpy(moved, bed->x, sizeof moved);
            moved[j] += side ? 1e-5 : -1e-5;
            rhs(&bed->pb, &(struct sens_at){bed->at.t, moved, bed->p}, f[side]);
        }
        for (size_t i = 0; i < n; i++)
            assert_true(fabs((f[1][i] - f[0][i]) / 2e-5 - value_at(J, value, i, j)) < 1e-8);
    }
}

static void check_route(struct linear_bed *bed, enum sens_product by, const struct sens_pattern *found,
                        enum sens_route route, long vectors)
{
    struct sens_jacobian *J;
    assert_int_equal(sens_jacobian_create(&bed->ctx, &bed->pb, by, found, &J), SENS_OK);
    assert_int_equal(J->route, route);
    double *value = fenced_new(J->entries), *again = fenced_new(J->entries);
    multiplied = 0;
    sens_jacobian_at(J, &bed->at, value);
    assert_int_equal(multiplied, vectors);
    expect_finite_truth(bed, J, value);
    for (size_t i = 0; i < bed->pb.n; i++)
        for (size_t j = 0; j < bed->pb.n; j++) /* a lane of unit vectors shows each entry as it is */
            assert_true(value_at(J, value, i, j) == entry(&bed->at, bed->pb.n, i, j));
    sens_jacobian_at(J, &bed->at, again);
    assert_memory_equal(value, again, J->entries * sizeof *value);
    fenced_free(J->entries, value);
    fenced_free(J->entries, again);
}

static void test_routes(void **state)
{
    (void)state;
    enum { N = 17 };
    struct linear_bed *bed = bed_new(N);
    check_route(bed, SENS_JVP, NULL, SENS_ROUTE_UNITS, N);
    check_route(bed, SENS_VJP, NULL, SENS_ROUTE_UNITS, N);
    check_route(bed, SENS_JVP, &bed->pattern, SENS_ROUTE_COLOURED, 4);
    check_route(bed, SENS_VJP, &bed->pattern, SENS_ROUTE_COLOURED, 4);
    bed->structure.jacobian = jacobian;
    check_route(bed, SENS_JVP, &bed->pattern, SENS_ROUTE_DENSE, 0); /* what is declared comes first */
    bed->structure.sparsity = &bed->pattern;
    check_route(bed, SENS_JVP, NULL, SENS_ROUTE_SPARSE, 0);
    bed->structure.jacobian = NULL; /* a pattern without values */
    check_route(bed, SENS_JVP, NULL, SENS_ROUTE_COLOURED, 4);
    bed_free(bed);
}

/* More vectors than are taken at a time, with a rest. */
static void test_blocks_of_vectors(void **state)
{
    (void)state;
    struct linear_bed *bed = bed_new(75);
    struct sens_pattern band;
    check_route(bed, SENS_JVP, NULL, SENS_ROUTE_UNITS, 75);
    check_route(bed, SENS_VJP, NULL, SENS_ROUTE_UNITS, 75);
    assert_int_equal(sens_pattern_band(&bed->ctx, 75, 20, &band), SENS_OK);
    check_route(bed, SENS_JVP, &band, SENS_ROUTE_COLOURED, 41);
    check_route(bed, SENS_VJP, &band, SENS_ROUTE_COLOURED, 41);
    bed_free(bed);
}

/* J = diag(i + 1) with 10 i more in column 0: two colours show its columns, but rows share that one. */
static double arrow(size_t i, size_t j)
{
    return (i == j ? (double)(i + 1) : 0) + (j == 0 ? 10 * (double)i : 0);
}

static void arrow_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    (void)at;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++)
            OUT[i * L + l] = (double)(i + 1) * V[i * L + l] + 10 * (double)i * V[l];
}

static void arrow_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    (void)at;
    for (size_t i = pb->n; i-- > 0;)
        for (size_t l = 0; l < L; l++) {
            OUT[i * L + l] = (double)(i + 1) * W[i * L + l];
            for (size_t k = 0; i == 0 && k < pb->n; k++) OUT[l] += 10 * (double)k * W[k * L + l];
        }
}

static void test_rows_and_columns(void **state)
{
    (void)state;
    enum { N = 6 };
    static const size_t start[] = {0, 1, 3, 5, 7, 9, 11}, col[] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5};
    const struct sens_pattern pattern = {N, N, start, col};
    static const enum sens_product by[] = {SENS_JVP, SENS_VJP};
    struct linear_bed *bed = bed_new(N);
    bed->type.jvp = arrow_jvp;
    bed->type.vjp = arrow_vjp;
    for (int k = 0; k < 2; k++) {
        struct sens_jacobian *J;
        double value[11];
        assert_int_equal(sens_jacobian_create(&bed->ctx, &bed->pb, by[k], &pattern, &J), SENS_OK);
        assert_int_equal(J->colours, k == 0 ? 2 : N);
        sens_jacobian_at(J, &bed->at, value);
        for (size_t i = 0; i < N; i++)
            for (size_t e = start[i]; e < start[i + 1]; e++) assert_true(value[e] == arrow(i, col[e]));
    }
    bed_free(bed);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

static void test_patterns(void **state)
{
    (void)state;
    enum { N = 9 };
    struct sens_ctx ctx = {.now = NULL};
    const struct sens_pattern holes = pattern_of(&ctx, N, false), whole = pattern_of(&ctx, N, true);
    struct sens_pattern made, back, band;
    size_t *place, *again, colour[N], colours;
    assert_int_equal(sens_pattern_add_diagonal(&ctx, &holes, &made, &place), SENS_OK);
    assert_int_equal(sens_pattern_entries(&made), sens_pattern_entries(&whole));
    assert_memory_equal(made.start, whole.start, (N + 1) * sizeof *made.start);
    assert_memory_equal(made.col, whole.col, sens_pattern_entries(&whole) * sizeof *made.col);
    for (size_t e = 0; e < sens_pattern_entries(&holes); e++)
        assert_int_equal(made.col[place[e]], holes.col[e]);
    assert_int_equal(sens_pattern_add_diagonal(&ctx, &whole, &made, &place), SENS_OK);
    assert_null(place);
    assert_int_equal(sens_pattern_transpose(&ctx, &holes, &made, &place), SENS_OK);
    assert_int_equal(sens_pattern_transpose(&ctx, &made, &back, &again), SENS_OK);
    assert_memory_equal(back.start, holes.start, (N + 1) * sizeof *back.start);
    assert_memory_equal(back.col, holes.col, sens_pattern_entries(&holes) * sizeof *back.col);
    for (size_t e = 0; e < sens_pattern_entries(&holes); e++) assert_int_equal(again[place[e]], e);
    for (size_t half = 0; half < N + 2; half++) {
        assert_int_equal(sens_pattern_band(&ctx, N, half, &band), SENS_OK);
        assert_int_equal(sens_pattern_colour(&ctx, &band, colour, &colours), SENS_OK);
        assert_int_equal(colours, 2 * half + 1 < N ? 2 * half + 1 : N);
        for (size_t j = 0; j < N; j++) assert_int_equal(colour[j], j % colours);
    }
    sens_arena_release(&ctx.arena);
}

/* ---- systems ------------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(test_routes),           cmocka_unit_test(test_blocks_of_vectors),
        cmocka_unit_test(test_patterns),         cmocka_unit_test(test_own),
        cmocka_unit_test(test_lapack),           cmocka_unit_test(test_klu),
        cmocka_unit_test(test_rows_and_columns), cmocka_unit_test(test_pivots),
        cmocka_unit_test(test_singular),         cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("linear", tests, NULL, NULL);
}
