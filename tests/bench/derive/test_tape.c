/* Tapes against the graphs that they are made of, evaluated node by node in extended precision: every product,
 * every instruction set of this machine, lanes alone and together, points alone and together. */
#include "compile_tape.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "products.h"
#include "random_graph.h"

static void *zeroed(size_t count, size_t size)
{
    void *memory = aligned_alloc(64, (count * size + 127) / 64 * 64);
    assert_non_null(memory);
    return memset(memory, 0, (count * size + 127) / 64 * 64);
}

struct data { /* of a call, and the same for the graph */
    size_t n, np, L, points;
    double *t, *x, *p, *w, *dt, *dx, *dp;
};

static double *drawn_numbers(unsigned long *seed, size_t count)
{
    double *v = zeroed(count, sizeof *v);
    for (size_t k = 0; k < count; k++) v[k] = (double)uniform(seed);
    return v;
}

static struct data draw(unsigned long *seed, size_t n, size_t np, size_t L, size_t points)
{
    struct data d = {.n = n, .np = np, .L = L, .points = points};
    d.t = drawn_numbers(seed, points);
    d.x = drawn_numbers(seed, points * n);
    d.p = drawn_numbers(seed, np);
    d.w = drawn_numbers(seed, points * n * L);
    d.dt = drawn_numbers(seed, L);
    d.dx = drawn_numbers(seed, n * L);
    d.dp = drawn_numbers(seed, np * L);
    return d;
}

static void release(struct data *d)
{
    double *const all[] = {d->t, d->x, d->p, d->w, d->dt, d->dx, d->dp};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void lane_of(long double *to, const double *from, size_t rows, size_t L, size_t lane)
{
    for (size_t i = 0; i < rows; i++) to[i] = L ? from[i * L + lane] : 0;
}

/* The outputs of the graph at a point, for a lane: out [n_outputs]. */
static void by_graph(const struct graph *g, const struct data *d, size_t point, size_t lane, long double *out)
{
    long double *value = zeroed(g->n_nodes, sizeof *value), *x = zeroed(3 * d->n, sizeof *x);
    long double *p = zeroed(2 * d->np + 1, sizeof *p), *w = x + d->n, *dx = w + d->n, *dp = p + d->np;
    lane_of(x, d->x + point * d->n, d->n, 1, 0);
    lane_of(p, d->p, d->np, 1, 0);
    lane_of(w, d->w + point * d->n * d->L, d->n, d->L, lane);
    lane_of(dx, d->dx, d->n, d->L, lane);
    lane_of(dp, d->dp, d->np, d->L, lane);
    const struct graph_point at = {d->t[point], x, p, w, d->L ? d->dt[lane] : 0, dx, dp};
    graph_evaluate(g, &at, value);
    for (size_t k = 0; k < g->n_outputs; k++) out[k] = value[g->output[k]];
    free(value);
    free(x);
    free(p);
}

/* Derivatives of some tens of operations on numbers of order 1, whose conditions are at most 1e3: that many
 * roundings of 1e-16, with a reserve of ten. */
static void assert_close(double got, long double wanted)
{
    if (!(fabsl(got - wanted) <= 1e-12L * (1 + fabsl(wanted)))) fail_msg("%.17g is not %.17Lg", got, wanted);
}

struct run {
    const struct sens_tape_functions *functions;
    const struct sens_tape *tape;
    double *room, *out, *sum;
    size_t written, added;
};

static struct run start_run(const struct sens_registry *variant, const struct sens_tape *tape, size_t written,
                            size_t added, size_t L, size_t points)
{
    struct run run = {variant->tape, tape, NULL, NULL, NULL, written, added};
    run.room = zeroed(variant->tape->room(tape, points), sizeof *run.room);
    run.out = zeroed(written * L + 1, sizeof *run.out);
    run.sum = zeroed(added * L + 1, sizeof *run.sum);
    for (size_t k = 0; k < written * L; k++) run.out[k] = NAN;
    for (size_t k = 0; k < added * L; k++) run.sum[k] = 3;
    for (size_t k = 0; k < variant->tape->room(tape, points); k++) run.room[k] = NAN; /* of a call before */
    variant->tape->prepare(tape, points, run.room);
    return run;
}

static void end_run(struct run *run)
{
    free(run->room);
    free(run->out);
    free(run->sum);
}

static bool call(const struct run *run, const struct data *d, enum graph_op vector)
{
    const double *v = vector == GRAPH_W ? d->w : vector == GRAPH_DX ? d->dx : d->dp;
    const struct sens_tape_call c = {
        .points = d->points,
        .t = d->t,
        .x = d->x,
        .p = d->p,
        .x_step = d->n,
        .lanes = d->L,
        .v = v,
        .v_step = vector == GRAPH_W ? d->n * d->L : 0,
        .extra = {d->dt, d->dx, d->dp},
        .out = run->out,
        .sum = run->sum,
    };
    return run->functions->run(run->tape, &c, run->room);
}

/* All outputs, of which those from `written` on are sums over points that begin with 3. */
static void compare(const struct graph *g, const struct run *run, const struct data *d, bool numbers)
{
    const size_t lanes = numbers ? 1 : d->L;
    long double *out = zeroed(g->n_outputs, sizeof *out), *sum = zeroed(g->n_outputs, sizeof *sum);
    for (size_t l = 0; l < lanes; l++) {
        for (size_t k = 0; k < g->n_outputs; k++) sum[k] = k < run->written ? 0 : 3;
        for (size_t point = 0; point < d->points; point++) {
            by_graph(g, d, point, l, out);
            for (size_t k = 0; k < g->n_outputs; k++) sum[k] += out[k];
        }
        for (size_t k = 0; k < g->n_outputs; k++)
            assert_close(k < run->written ? run->out[k * lanes + l]
                                          : run->sum[(k - run->written) * lanes + l],
                         sum[k]);
    }
    free(out);
    free(sum);
}

static const size_t some_lanes[] = {0, 1, 2, 3, 4, 7, 8, 12, 16, 17, 29, 33};

static void check_tape(const struct graph *g, const struct tape_request *request, size_t points)
{
    struct sens_tape *tape = NULL;
    unsigned long seed = 7;
    const bool numbers = request->vector == GRAPH_OPS;
    const size_t added = g->n_outputs - request->written;
    assert_int_equal(tape_compile(g, request, &tape), SENS_OK);
    for (const struct sens_registry *const *variant = variant_all(); *variant; variant++)
        for (size_t k = 0; variant_supported(*variant) && k < sizeof some_lanes / sizeof *some_lanes; k++) {
            const size_t L = numbers ? 0 : some_lanes[k];
            struct data d = draw(&seed, request->n, request->np, L, points);
            struct run run = start_run(*variant, tape, request->written, added, numbers ? 1 : L, points);
            assert_true(call(&run, &d, request->vector));
            compare(g, &run, &d, numbers);
            end_run(&run);
            release(&d);
        }
    tape_destroy(tape);
}

static void check_and_destroy(sens_status status, struct graph **g, size_t n, size_t np, enum graph_op vector,
                              size_t written)
{
    assert_int_equal(status, SENS_OK);
    const struct tape_request request = {n, np, vector, written};
    check_tape(*g, &request, 1);
    if (written == 0 && vector != GRAPH_OPS) check_tape(*g, &request, 5);
    graph_destroy(*g);
}

static void check_products(const struct graph *f, size_t n, size_t np)
{
    struct graph *g = NULL;
    struct derive_entries e;
    check_and_destroy(derive_vjp(f, n, &g), &g, n, np, GRAPH_W, n);
    check_and_destroy(derive_vjp_p(f, np, &g), &g, n, np, GRAPH_W, 0);
    check_and_destroy(derive_along(f, DERIVE_X, &g), &g, n, np, GRAPH_DX, f->n_outputs);
    check_and_destroy(derive_along(f, DERIVE_P, &g), &g, n, np, GRAPH_DP, f->n_outputs);
    check_and_destroy(derive_along(f, DERIVE_T | DERIVE_X | DERIVE_P, &g), &g, n, np, GRAPH_DX, f->n_outputs);
    check_and_destroy(derive_hvp(f, n, np, DERIVE_T | DERIVE_X | DERIVE_P, &g), &g, n, np, GRAPH_W, n);
    check_and_destroy(derive_rhs_t(f, &g), &g, n, np, GRAPH_OPS, f->n_outputs);
    const struct tape_request values = {n, np, GRAPH_OPS, f->n_outputs};
    check_tape(f, &values, 1);
    assert_int_equal(derive_jacobian(f, n, &e), SENS_OK);
    const struct tape_request of_x = {n, np, GRAPH_OPS, e.graph->n_outputs};
    check_tape(e.graph, &of_x, 1);
    derive_entries_destroy(&e);
    assert_int_equal(derive_jacobian_p(f, np, &e), SENS_OK);
    const struct tape_request of_p = {n, np, GRAPH_OPS, e.graph->n_outputs};
    check_tape(e.graph, &of_p, 1);
    derive_entries_destroy(&e);
}

static void test_random_graphs(void **state)
{
    unsigned long seed = 3;
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct graph *f = random_graph(&seed);
        assert_non_null(f);
        check_products(f, RANDOM_N, RANDOM_NP);
        graph_destroy(f);
    }
}

/* Powers with constant exponents, and a sum in which every term has a minus. */
static void test_special_values(void **state)
{
    struct graph *f = graph_create();
    (void)state;
    assert_non_null(f);
    const graph_node x = graph_leaf(f, GRAPH_X, 0), y = graph_leaf(f, GRAPH_X, 1),
                     p = graph_leaf(f, GRAPH_P, 0);
    for (int k = -2; k < 6; k++) graph_add_output(f, two(f, GRAPH_POW, tame(f, x), graph_constant(f, k)));
    graph_add_output(f, two(f, GRAPH_SUB, two(f, GRAPH_NEG, x, 0), p));
    graph_add_output(f, two(f, GRAPH_SUB, two(f, GRAPH_NEG, two(f, GRAPH_EXP, x, 0), 0), y));
    graph_add_output(f, two(f, GRAPH_NEG, two(f, GRAPH_SIN, p, 0), 0));
    graph_add_output(f, two(f, GRAPH_NEG, two(f, GRAPH_MUL, p, y), 0));
    const struct tape_request values = {2, 1, GRAPH_OPS, f->n_outputs};
    check_tape(f, &values, 1);
    graph_destroy(f);
}

/* J^T w of the system below: u_i = x_i w_i once, then a row of n + 1 products each. */
static void check_dense_cost(const struct graph *f, size_t n)
{
    struct graph *g = NULL;
    struct sens_tape *tape = NULL;
    const struct tape_request request = {n, n + n * n, GRAPH_W, n};
    assert_int_equal(derive_vjp(f, n, &g), SENS_OK);
    assert_int_equal(tape_compile(g, &request, &tape), SENS_OK);
    const struct tape_cost cost = tape_cost(tape);
    assert_true(cost.lane == (double)(n + n * (2 * (n + 1) - 1)));
    assert_true(cost.values == (double)(n * (2 * (n + 1) - 1)));
    tape_destroy(tape);
    graph_destroy(g);
}

/* x_i (p_i + sum_j p_(n + i n + j) x_j): long rows, shared lane values, many strips. */
static void test_dense_system(void **state)
{
    enum { N = 40 };
    struct graph *f = graph_create();
    (void)state;
    assert_non_null(f);
    for (size_t i = 0; i < N; i++) {
        graph_node sum = graph_leaf(f, GRAPH_P, i);
        for (size_t j = 0; j < N; j++)
            sum = two(f, GRAPH_ADD, sum,
                      two(f, GRAPH_MUL, graph_leaf(f, GRAPH_P, N + i * N + j), graph_leaf(f, GRAPH_X, j)));
        graph_add_output(f, two(f, GRAPH_MUL, sum, graph_leaf(f, GRAPH_X, i)));
    }
    check_products(f, N, N + N * N);
    check_dense_cost(f, N);
    graph_destroy(f);
}

/* A recurrence through all cells, y_i = sin(y_(i-1) x_i) - p_0 x_(i+1), and a sum of all with one parameter. */
static void test_recurrence(void **state)
{
    enum { N = 1500 };
    struct graph *f = graph_create(), *g = NULL;
    (void)state;
    assert_non_null(f);
    graph_node y = graph_leaf(f, GRAPH_P, 1);
    for (size_t i = 0; i < N; i++) {
        const graph_node x = graph_leaf(f, GRAPH_X, i), next = graph_leaf(f, GRAPH_X, (i + 1) % N);
        y = two(f, GRAPH_SUB, two(f, GRAPH_SIN, two(f, GRAPH_MUL, y, x), 0),
                two(f, GRAPH_MUL, graph_leaf(f, GRAPH_P, 0), next));
        graph_add_output(f, y);
    }
    check_and_destroy(derive_vjp(f, N, &g), &g, N, 2, GRAPH_W, N);
    check_and_destroy(derive_vjp_p(f, 2, &g), &g, N, 2, GRAPH_W, 0);
    check_and_destroy(derive_along(f, DERIVE_X, &g), &g, N, 2, GRAPH_DX, N);
    check_and_destroy(derive_hvp(f, N, 2, DERIVE_X | DERIVE_P, &g), &g, N, 2, GRAPH_W, N);
    graph_destroy(f);
}

/* Where a guard fails nothing is written, not even by points before it. */
static void test_guards(void **state)
{
    static const enum graph_comparison kinds[] = {GRAPH_IS_LESS, GRAPH_IS_LESS_EQUAL, GRAPH_IS_EQUAL};
    static const bool expected[3][3] = {{true, false, false}, {true, true, false}, {false, true, false}};
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++)
        for (int held = 0; held < 2; held++)
            for (int order = 0; order < 3; order++) { /* x_0^2 less than, equal to, more than x_1 */
                struct graph *f = graph_create(), *g = NULL;
                struct sens_tape *tape = NULL;
                const graph_node x = graph_leaf(f, GRAPH_X, 0), y = graph_leaf(f, GRAPH_X, 1);
                const graph_node square = two(f, GRAPH_MUL, x, x);
                graph_add_guard(f, kinds[kind], square, y, held);
                graph_add_output(f, two(f, GRAPH_MUL, square, graph_leaf(f, GRAPH_P, 0)));
                assert_int_equal(derive_vjp_p(f, 1, &g), SENS_OK);
                const struct tape_request request = {2, 1, GRAPH_W, 0};
                assert_int_equal(tape_compile(g, &request, &tape), SENS_OK);
                /* the first point has a guard that holds */
                const bool lower_holds = expected[kind][0] == held, equal_holds = expected[kind][1] == held;
                double x_value[4] = {2, lower_holds ? 5 : equal_holds ? 4 : 3, 2, 5 - order};
                double t[2] = {0}, p[1] = {1}, w[4] = {1, 1, 1, 1}, zero[2] = {0};
                struct data d = {2, 1, 1, 2, t, x_value, p, w, zero, zero, zero};
                struct run run = start_run(variant_all()[0], tape, 0, 1, 1, 2);
                const bool wanted = expected[kind][order] == held;
                assert_int_equal(call(&run, &d, GRAPH_W), wanted);
                assert_true(run.sum[0] == (wanted ? 11 : 3));
                end_run(&run);
                tape_destroy(tape);
                graph_destroy(g);
                graph_destroy(f);
            }
}

/* x < 0 ? x : sqrt(x) sqrt(x) along x, at -1: what is not taken is NaN. */
static void test_sides_not_taken(void **state)
{
    struct graph *f = graph_create(), *g = NULL;
    struct sens_tape *tape = NULL;
    (void)state;
    const graph_node x = graph_leaf(f, GRAPH_X, 0), root = two(f, GRAPH_SQRT, x, 0);
    graph_add_output(f, graph_apply(f, GRAPH_SELECT, two(f, GRAPH_LESS, x, GRAPH_ZERO), x,
                                    two(f, GRAPH_MUL, root, two(f, GRAPH_EXP, root, 0))));
    double t[1] = {0}, at[1] = {-1}, p[1] = {0}, v[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int forward = 0; forward < 2; forward++) {
        assert_int_equal(forward ? derive_along(f, DERIVE_X, &g) : derive_vjp(f, 1, &g), SENS_OK);
        const struct tape_request request = {1, 0, forward ? GRAPH_DX : GRAPH_W, 1};
        assert_int_equal(tape_compile(g, &request, &tape), SENS_OK);
        struct data d = {1, 0, 9, 1, t, at, p, v, v, v, v};
        struct run run = start_run(variant_all()[0], tape, 1, 0, 9, 1);
        assert_true(call(&run, &d, request.vector));
        for (size_t l = 0; l < 9; l++) assert_true(run.out[l] == v[l]);
        end_run(&run);
        tape_destroy(tape);
        graph_destroy(g);
    }
    graph_destroy(f);
}

/* sin(w), w + 1 and an index beyond n are no products. */
static void test_what_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct graph *g = graph_create();
        struct sens_tape *tape = NULL;
        const graph_node w = graph_leaf(g, GRAPH_W, 0);
        const graph_node wrong[] = {two(g, GRAPH_SIN, w, 0), two(g, GRAPH_ADD, w, graph_constant(g, 1)),
                                    two(g, GRAPH_MUL, w, graph_leaf(g, GRAPH_X, 7)),
                                    graph_leaf(g, GRAPH_X, 0)};
        const struct tape_request request = {1, 0, GRAPH_W, 1};
        graph_add_output(g, wrong[k]);
        assert_int_equal(tape_compile(g, &request, &tape), SENS_UNSUPPORTED);
        assert_null(tape);
        graph_destroy(g);
    }
}

/* Values and lane values of a long recurrence need no more places than a strip, beside what stays: nothing. */
static void test_places_are_used_again(void **state)
{
    enum { N = 20000 };
    struct graph *f = graph_create(), *g = NULL;
    struct sens_tape *tape = NULL;
    (void)state;
    for (size_t i = 0; i < N; i++)
        graph_add_output(f, two(f, GRAPH_EXP, two(f, GRAPH_SIN, graph_leaf(f, GRAPH_X, i), 0), 0));
    assert_int_equal(derive_vjp(f, N, &g), SENS_OK);
    const struct tape_request request = {N, 0, GRAPH_W, N};
    assert_int_equal(tape_compile(g, &request, &tape), SENS_OK);
    assert_true(tape->n_strips > 10);
    assert_true(tape->n_values - N < 8192);
    assert_true(tape->n_lane_values < 8192);
    tape_destroy(tape);
    graph_destroy(g);
    graph_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),   cmocka_unit_test(test_dense_system),
        cmocka_unit_test(test_special_values),  cmocka_unit_test(test_recurrence),
        cmocka_unit_test(test_guards),          cmocka_unit_test(test_sides_not_taken),
        cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_places_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
