/* methods/linear: J by every route against differences of f, and patterns. */
#include "linear_support.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_blocks_of_vectors),
        cmocka_unit_test(test_rows_and_columns),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests_name("linear", tests, NULL, NULL);
}
