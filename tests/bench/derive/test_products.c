/* derive/products: every derivative against difference quotients of the function in extended precision, and
 * closed forms where those do not apply (edges). */
#include "products.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

enum { N = RANDOM_N, NP = RANDOM_NP, MAX_OUT = 16 };

/* A point and a direction of the test functions. */
struct place {
    long double t, x[N], p[NP], w[MAX_OUT], dt, dx[N], dp[NP];
};

static struct graph_point point_of(const struct place *at)
{
    return (struct graph_point){at->t, at->x, at->p, at->w, at->dt, at->dx, at->dp};
}

static struct place moved(struct place at, long double h)
{
    at.t += h * at.dt;
    for (size_t i = 0; i < N; i++) at.x[i] += h * at.dx[i];
    for (size_t j = 0; j < NP; j++) at.p[j] += h * at.dp[j];
    return at;
}

static void outputs(const struct graph *g, const struct place *at, long double *out)
{
    long double *value = malloc(g->n_nodes * sizeof *value);
    const struct graph_point point = point_of(at);
    assert_non_null(value);
    graph_evaluate(g, &point, value);
    for (size_t k = 0; k < g->n_outputs; k++) out[k] = value[g->output[k]];
    free(value);
}

/* The derivative of all outputs along the direction of `at`: central differences, extrapolated (Romberg) from
 * steps h, h/2, ... The error is of order h^(2 LEVELS), and 2^LEVELS / h roundings of 1e-19. */
static void difference(const struct graph *g, const struct place *at, long double *out)
{
    enum { LEVELS = 6 };
    long double table[LEVELS][MAX_OUT], plus[MAX_OUT], minus[MAX_OUT];
    assert_true(g->n_outputs <= MAX_OUT);
    for (int level = 0; level < LEVELS; level++) {
        const long double h = 0.02L / (1 << level);
        const struct place ahead = moved(*at, h), behind = moved(*at, -h);
        outputs(g, &ahead, plus);
        outputs(g, &behind, minus);
        for (size_t k = 0; k < g->n_outputs; k++) table[level][k] = (plus[k] - minus[k]) / (2 * h);
    }
    for (int column = 1; column < LEVELS; column++)
        for (int level = LEVELS - 1; level >= column; level--)
            for (size_t k = 0; k < g->n_outputs; k++)
                table[level][k] += (table[level][k] - table[level - 1][k]) / (powl(4, column) - 1);
    for (size_t k = 0; k < g->n_outputs; k++) out[k] = table[LEVELS - 1][k];
}

/* Of the size of the difference quotient's own error, with a reserve of a hundred. */
static const long double CLOSE = 1e-12L;

static void assert_close(long double got, long double wanted)
{
    if (!(fabsl(got - wanted) <= CLOSE * (1 + fabsl(wanted)))) fail_msg("%.20Lg is not %.20Lg", got, wanted);
}

static void is_made(sens_status status, struct graph **g)
{
    assert_int_equal(status, SENS_OK);
    assert_non_null(*g);
}

static void check_forward(const struct graph *f, const struct place *at)
{
    struct graph *g = NULL;
    long double got[MAX_OUT], wanted[MAX_OUT];
    struct place in_time = *at;
    difference(f, at, wanted);
    is_made(derive_along(f, DERIVE_T | DERIVE_X | DERIVE_P, &g), &g);
    outputs(g, at, got);
    for (size_t k = 0; k < f->n_outputs; k++) assert_close(got[k], wanted[k]);
    graph_destroy(g);

    in_time.dt = 1;
    for (size_t i = 0; i < N; i++) in_time.dx[i] = 0;
    for (size_t j = 0; j < NP; j++) in_time.dp[j] = 0;
    difference(f, &in_time, wanted);
    is_made(derive_rhs_t(f, &g), &g);
    outputs(g, at, got);
    for (size_t k = 0; k < f->n_outputs; k++) assert_close(got[k], wanted[k]);
    graph_destroy(g);
}

/* df/dx_i or df/dp_j, by differences. */
static void column(const struct graph *f, const struct place *at, bool of_p, size_t k, long double *out)
{
    struct place unit = *at;
    unit.dt = 0;
    for (size_t i = 0; i < N; i++) unit.dx[i] = !of_p && i == k;
    for (size_t j = 0; j < NP; j++) unit.dp[j] = of_p && j == k;
    difference(f, &unit, out);
}

static void check_transposed(const struct graph *f, const struct place *at, bool of_p)
{
    struct graph *g = NULL;
    long double got[MAX_OUT], wanted[MAX_OUT];
    is_made(of_p ? derive_vjp_p(f, NP, &g) : derive_vjp(f, N, &g), &g);
    outputs(g, at, got);
    for (size_t k = 0; k < (of_p ? NP : N); k++) {
        long double sum = 0;
        column(f, at, of_p, k, wanted);
        for (size_t i = 0; i < f->n_outputs; i++) sum += at->w[i] * wanted[i];
        assert_close(got[k], sum);
    }
    graph_destroy(g);
}

/* The entries of a pattern of (df/dp)^T or df/dx, and zeros elsewhere. */
static void check_entries(const struct graph *f, const struct place *at, bool of_p)
{
    struct derive_entries e;
    long double got[MAX_OUT * N], wanted[MAX_OUT];
    assert_int_equal(of_p ? derive_jacobian_p(f, NP, &e) : derive_jacobian(f, N, &e), SENS_OK);
    outputs(e.graph, at, got);
    assert_int_equal(e.pattern.rows, of_p ? NP : f->n_outputs);
    assert_int_equal(e.pattern.cols, of_p ? f->n_outputs : N);
    assert_int_equal(e.pattern.start[e.pattern.rows], e.graph->n_outputs);
    for (size_t k = 0; k < (of_p ? NP : N); k++) {
        column(f, at, of_p, k, wanted);
        for (size_t i = 0; i < f->n_outputs; i++) {
            const size_t row = of_p ? k : i, col = of_p ? i : k;
            long double entry = 0;
            for (size_t q = e.pattern.start[row]; q < e.pattern.start[row + 1]; q++)
                if (e.pattern.col[q] == col) entry = got[q];
            assert_close(entry, wanted[i]);
        }
    }
    derive_entries_destroy(&e);
}

/* Second derivatives: differences of the transposed products, which were checked before. */
static void check_second(const struct graph *f, const struct place *at)
{
    struct graph *g = NULL, *h = NULL;
    long double got[MAX_OUT], wanted[MAX_OUT];
    is_made(derive_hvp(f, N, NP, DERIVE_T | DERIVE_X | DERIVE_P, &h), &h);
    assert_int_equal(h->n_outputs, N + NP);
    outputs(h, at, got);
    is_made(derive_vjp(f, N, &g), &g);
    difference(g, at, wanted);
    for (size_t k = 0; k < N; k++) assert_close(got[k], wanted[k]);
    graph_destroy(g);
    is_made(derive_vjp_p(f, NP, &g), &g);
    difference(g, at, wanted);
    for (size_t k = 0; k < NP; k++) assert_close(got[N + k], wanted[k]);
    graph_destroy(g);
    graph_destroy(h);
}

static void check_all(const struct graph *f, const struct place *at)
{
    assert_int_equal(graph_status(f), SENS_OK);
    check_forward(f, at);
    for (int of_p = 0; of_p < 2; of_p++) {
        check_transposed(f, at, of_p);
        check_entries(f, at, of_p);
    }
    check_second(f, at);
}

/* ---- single operations ----------------------------------------------------------------------------------- */

static struct place somewhere(unsigned long *state)
{
    struct place at = {.t = uniform(state), .dt = uniform(state)};
    for (size_t i = 0; i < N; i++) at.x[i] = uniform(state), at.dx[i] = uniform(state);
    for (size_t j = 0; j < NP; j++) at.p[j] = uniform(state), at.dp[j] = uniform(state);
    for (size_t k = 0; k < MAX_OUT; k++) at.w[k] = uniform(state);
    return at;
}

static graph_node constant(struct graph *g, long double value)
{
    return graph_constant(g, value);
}

static void test_single_operations(void **state)
{
    unsigned long seed = 1;
    (void)state;
    for (enum graph_op op = GRAPH_NEG; op < GRAPH_OPS; op++) {
        struct graph *f = graph_create();
        assert_non_null(f);
        const graph_node x = graph_leaf(f, GRAPH_X, 1), p = graph_leaf(f, GRAPH_P, 0),
                         t = graph_leaf(f, GRAPH_T, 0);
        const graph_node both = two(f, GRAPH_ADD, p, t);
        graph_add_output(f, apply_tamed(f, op, x, both));
        graph_add_output(f, apply_tamed(f, op, both, x));
        graph_add_output(f, two(f, GRAPH_NEG, apply_tamed(f, op, two(f, GRAPH_NEG, x, 0), both), 0));
        for (int k = 0; k < 5; k++) {
            const struct place at = somewhere(&seed);
            check_all(f, &at);
        }
        graph_destroy(f);
    }
}

static void test_random_compositions(void **state)
{
    unsigned long seed = 2;
    (void)state;
    for (int round = 0; round < 100; round++) {
        struct graph *f = random_graph(&seed);
        assert_non_null(f);
        const struct place at = somewhere(&seed);
        check_all(f, &at);
        graph_destroy(f);
    }
}

/* ---- edges ----------------------------------------------------------------------------------------------- */

/* df/dx_0, df/dx_1, df/dp_0 of one output, by reverse, forward and entries: the three agree. */
static void gradient(struct graph *f, graph_node output, struct place at, long double wanted_x,
                     long double wanted_p)
{
    struct graph *g = NULL;
    struct derive_entries e;
    long double got[MAX_OUT];
    graph_add_output(f, output);
    at.w[0] = 1;
    is_made(derive_vjp(f, 1, &g), &g);
    outputs(g, &at, got);
    assert_true(got[0] == wanted_x);
    graph_destroy(g);
    is_made(derive_vjp_p(f, 1, &g), &g);
    outputs(g, &at, got);
    assert_true(isnan(wanted_p) ? isnan(got[0]) : got[0] == wanted_p);
    graph_destroy(g);
    at.dx[0] = 1;
    is_made(derive_along(f, DERIVE_X, &g), &g);
    outputs(g, &at, got);
    assert_true(got[0] == wanted_x);
    graph_destroy(g);
    assert_int_equal(derive_jacobian(f, N, &e), SENS_OK);
    outputs(e.graph, &at, got);
    assert_true(e.graph->n_outputs == 0 ? wanted_x == 0 : got[0] == wanted_x);
    derive_entries_destroy(&e);
    graph_destroy(f);
}

static void test_powers_at_edges(void **state)
{
    struct {
        long double x, exponent, wanted;
    } constant_exponent[] = {{0, 0, 0},       {0, 1, 1},   {0, 2, 0},       {0, 3, 0},   {0, 4, 0},
                             {0, 1.5L, 0},    {-2, 2, -4}, {-2, 3, 12},     {-2, 5, 80}, {-2, -1, -0.25L},
                             {-2, -2, 0.25L}, {-2, 1, 1},  {4, 0.5L, 0.25L}};
    /* x^p: the exponent is an input; what is wanted in x, and in p */
    struct {
        long double x, p, in_x, in_p;
    } variable[] = {{0, 2, 0, 0},
                    {0, 1, 1, 0},
                    {0, 0, 0, (long double)-INFINITY},
                    {-2, 2, -4, (long double)NAN},
                    {-2, 3, 12, (long double)NAN},
                    {1, 5, 5, 0},
                    {-2, 0, 0, (long double)NAN}};
    (void)state;
    for (size_t k = 0; k < sizeof constant_exponent / sizeof *constant_exponent; k++) {
        struct graph *f = graph_create();
        const graph_node x = graph_leaf(f, GRAPH_X, 0);
        const struct place at = {.x = {constant_exponent[k].x}};
        gradient(f, two(f, GRAPH_POW, x, constant(f, constant_exponent[k].exponent)), at,
                 constant_exponent[k].wanted, 0);
    }
    for (size_t k = 0; k < sizeof variable / sizeof *variable; k++) {
        struct graph *f = graph_create();
        const graph_node x = graph_leaf(f, GRAPH_X, 0), p = graph_leaf(f, GRAPH_P, 0);
        const struct place at = {.x = {variable[k].x}, .p = {variable[k].p}};
        gradient(f, two(f, GRAPH_POW, x, p), at, variable[k].in_x, variable[k].in_p);
    }
}

/* x^2 at 0 and at -3 has the second derivative 2, x^3 has 6 x; also where the exponent is an input. */
static void test_second_derivatives_of_powers(void **state)
{
    static const long double at[] = {0, -3, 2};
    (void)state;
    for (int variable = 0; variable < 2; variable++)
        for (int power = 1; power <= 3; power++)
            for (size_t k = 0; k < 3; k++) {
                struct graph *f = graph_create(), *h = NULL;
                long double got[MAX_OUT];
                const struct place place = {.x = {at[k]}, .p = {power}, .w = {1}, .dx = {1}};
                const graph_node exponent = variable ? graph_leaf(f, GRAPH_P, 0) : constant(f, power);
                graph_add_output(f, two(f, GRAPH_POW, graph_leaf(f, GRAPH_X, 0), exponent));
                is_made(derive_hvp(f, 1, 0, DERIVE_X, &h), &h);
                outputs(h, &place, got);
                assert_int_equal(h->n_outputs, 1);
                assert_true(got[0] == (power == 1 ? 0 : power == 2 ? 2 : 6 * at[k]));
                graph_destroy(h);
                graph_destroy(f);
            }
}

/* A tie takes the first argument; fabs at 0 has the derivative +1. */
static void test_ties(void **state)
{
    static const enum graph_op ops[] = {GRAPH_FMIN, GRAPH_FMAX};
    const struct place at = {.x = {2}, .p = {2}}, origin = {.p = {0}}, below = {.x = {-1}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct graph *f = graph_create();
        gradient(f, two(f, ops[k], graph_leaf(f, GRAPH_X, 0), graph_leaf(f, GRAPH_P, 0)), at, 1, 0);
        f = graph_create();
        gradient(f, two(f, ops[k], graph_leaf(f, GRAPH_P, 0), graph_leaf(f, GRAPH_X, 0)), at, 0, 1);
    }
    struct graph *f = graph_create();
    gradient(f, two(f, GRAPH_FABS, graph_leaf(f, GRAPH_X, 0), 0), origin, 1, 0);
    f = graph_create();
    gradient(f, two(f, GRAPH_FABS, graph_leaf(f, GRAPH_X, 0), 0), below, -1, 0);
}

/* x < 0 ? p x : sqrt(x) exp(x) at x = -1: the side that is not taken is NaN, and adds nothing; nor does log(x)
 * below fmax(x, 1), nor both below further operations, nor one that two conditions switch off. */
static void test_sides_not_taken(void **state)
{
    const struct place at = {.x = {-1}, .p = {3}}, zero = {.x = {0}, .p = {3}};
    (void)state;
    struct graph *f = graph_create();
    graph_node x = graph_leaf(f, GRAPH_X, 0), p = graph_leaf(f, GRAPH_P, 0);
    const graph_node less = two(f, GRAPH_LESS, x, GRAPH_ZERO);
    const graph_node root = two(f, GRAPH_SQRT, x, 0);
    const graph_node bad = two(f, GRAPH_MUL, root, two(f, GRAPH_EXP, root, 0));
    const graph_node one = graph_apply(f, GRAPH_SELECT, less, two(f, GRAPH_MUL, p, x), bad);
    const graph_node other = graph_apply(f, GRAPH_SELECT, two(f, GRAPH_LESS, x, p), x, bad);
    gradient(f, two(f, GRAPH_SUB, two(f, GRAPH_MUL, one, one), other), at, 2 * -3 * 3 - 1, 2 * -3 * -1);
    f = graph_create();
    x = graph_leaf(f, GRAPH_X, 0);
    p = graph_leaf(f, GRAPH_P, 0); /* a condition has no derivative */
    gradient(f, graph_apply(f, GRAPH_SELECT, x, two(f, GRAPH_MUL, p, p), x), at, 0, 6);
    f = graph_create();
    x = graph_leaf(f, GRAPH_X, 0);
    p = graph_leaf(f, GRAPH_P, 0);
    gradient(f, two(f, GRAPH_MUL, p, two(f, GRAPH_FMAX, two(f, GRAPH_SQRT, x, 0), constant(f, 1))), zero, 0,
             1);
}

/* Nor do ten of them that meet in one sum: sum_i fmax(p + i, sqrt(x)) at x = 0. */
static void test_many_sides(void **state)
{
    enum { SIDES = 10 };
    const struct place zero = {.x = {0}, .p = {3}};
    (void)state;
    struct graph *f = graph_create();
    const graph_node root = two(f, GRAPH_SQRT, graph_leaf(f, GRAPH_X, 0), 0), p = graph_leaf(f, GRAPH_P, 0);
    graph_node sum = GRAPH_ZERO;
    for (int i = 0; i < SIDES; i++)
        sum = two(f, GRAPH_ADD, sum, two(f, GRAPH_FMAX, two(f, GRAPH_ADD, p, constant(f, i)), root));
    gradient(f, sum, zero, 0, SIDES);
}

/* Far out tanh is 1, its slope 0 and the slope of that, too. */
static void test_second_derivative_of_tanh(void **state)
{
    static const long double at[] = {-2000, 2000, 400, 20000};
    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        struct graph *f = graph_create(), *h = NULL;
        long double got[MAX_OUT] = {NAN};
        const struct place place = {.x = {at[k]}, .w = {1}, .dx = {1}};
        graph_add_output(f, two(f, GRAPH_TANH, graph_leaf(f, GRAPH_X, 0), 0));
        is_made(derive_hvp(f, 1, 0, DERIVE_X, &h), &h);
        outputs(h, &place, got);
        assert_true(fabsl(got[0]) < 1e-300L);
        graph_destroy(h);
        graph_destroy(f);
    }
}

/* ---- the graphs themselves -------------------------------------------------------------------------------- */

/* x0 - x0: the entry of the Jacobian stays, though it is 0; no node is there that nothing needs; guards stay. */
static void test_what_stays_and_what_goes(void **state)
{
    struct graph *f = graph_create(), *g = NULL;
    struct derive_entries e;
    (void)state;
    const graph_node x = graph_leaf(f, GRAPH_X, 0), y = graph_leaf(f, GRAPH_X, 1),
                     p = graph_leaf(f, GRAPH_P, 0);
    graph_add_output(f, two(f, GRAPH_SUB, x, x));
    graph_add_output(f, two(f, GRAPH_ADD, y, two(f, GRAPH_EXP, p, 0)));
    graph_add_guard(f, GRAPH_IS_LESS, x, p, true);
    assert_int_equal(derive_jacobian(f, 2, &e), SENS_OK);
    assert_int_equal(e.pattern.start[1], 1);
    assert_int_equal(e.pattern.start[2], 2);
    derive_entries_destroy(&e);
    is_made(derive_along(f, DERIVE_X, &g), &g);
    assert_int_equal(g->n_guards, 1);
    assert_int_equal(g->node[g->guard[0].a].op, GRAPH_X);
    assert_int_equal(g->node[g->guard[0].b].op, GRAPH_P);
    assert_true(g->guard[0].held);
    for (size_t k = 0; k < g->n_nodes; k++) assert_int_not_equal(g->node[k].op, GRAPH_EXP);
    graph_destroy(g);
    is_made(derive_rhs_t(f, &g), &g);
    assert_int_equal(g->output[0], GRAPH_ZERO);
    graph_destroy(g);
    graph_destroy(f);
}

/* What failed before gives its status, and no graph. */
static void test_failed_graph(void **state)
{
    struct graph *f = graph_create(), *g = f;
    struct derive_entries e;
    (void)state;
    graph_leaf(f, GRAPH_X, (size_t)1 << 40);
    assert_int_equal(derive_vjp(f, 1, &g), SENS_UNSUPPORTED);
    assert_null(g);
    assert_int_equal(derive_along(f, DERIVE_X, &g), SENS_UNSUPPORTED);
    assert_int_equal(derive_hvp(f, 1, 1, DERIVE_X, &g), SENS_UNSUPPORTED);
    assert_int_equal(derive_jacobian(f, 1, &e), SENS_UNSUPPORTED);
    assert_null(e.graph);
    graph_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_operations),
        cmocka_unit_test(test_random_compositions),
        cmocka_unit_test(test_powers_at_edges),
        cmocka_unit_test(test_second_derivatives_of_powers),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_sides_not_taken),
        cmocka_unit_test(test_many_sides),
        cmocka_unit_test(test_second_derivative_of_tanh),
        cmocka_unit_test(test_what_stays_and_what_goes),
        cmocka_unit_test(test_failed_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
