/* harness/derive/roll: how few operators there are, the same number at any size, and how long it takes to find
 * them. That they are right is for test_generate_loops. */
#include "roll.h"
#include "testing.h"

#include <time.h>

#include "products.h"
#include "rhs_support.h"

enum { MOST_OPERATORS = 12 };

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct size { /* of what is written in place of a graph */
    size_t operators, tokens, pieces;
};

static struct size size_of(const char *what, const struct graph *graph, size_t first, size_t count)
{
    struct rolled *rolled;
    struct size size = {0, 0, 0};
    const double start = seconds_now();
    assert_int_equal(roll_graph(graph, first, count, false, &rolled), SENS_OK);
    const double seconds = seconds_now() - start;
    size.operators = rolled->n_operators;
    for (size_t k = 0; k < rolled->n_operators; k++) {
        size.tokens += rolled->operators[k].n_tokens;
        size.pieces += rolled->operators[k].cover.n_pieces;
    }
    print_message("    %-6s %6zu operations: %zu operators, %zu loops, %.2f ms\n", what, rolled->operations,
                  size.operators, size.pieces, 1e3 * seconds);
    roll_destroy(rolled);
    return size;
}

enum { F, VJP, VJP_P, JVP, HVP_OUT, HVP_MU, PRODUCTS };

static void sizes_of(struct rhs f, struct size size[PRODUCTS])
{
    struct graph *vjp, *vjp_p, *jvp, *hvp;
    assert_int_equal(derive_vjp(f.graph, f.n, &vjp), SENS_OK);
    assert_int_equal(derive_vjp_p(f.graph, f.np, &vjp_p), SENS_OK);
    assert_int_equal(derive_along(f.graph, DERIVE_X, &jvp), SENS_OK);
    assert_int_equal(derive_hvp(f.graph, f.n, f.np, DERIVE_T | DERIVE_X | DERIVE_P, &hvp), SENS_OK);
    size[F] = size_of("f", f.graph, 0, f.n);
    size[VJP] = size_of("vjp", vjp, 0, f.n);
    size[VJP_P] = size_of("vjp_p", vjp_p, 0, f.np);
    size[JVP] = size_of("jvp", jvp, 0, f.n);
    size[HVP_OUT] = size_of("hvp", hvp, 0, f.n);
    size[HVP_MU] = size_of("hvp_p", hvp, f.n, f.np);
    graph_destroy(vjp), graph_destroy(vjp_p), graph_destroy(jvp), graph_destroy(hvp);
    graph_destroy(f.graph);
}

/* Nothing that is written grows from one size to a larger one. */
static void check(const char *what, struct rhs smaller, struct rhs larger)
{
    struct size small[PRODUCTS], large[PRODUCTS];
    print_message("%s, n = %zu and %zu\n", what, smaller.n, larger.n);
    sizes_of(smaller, small);
    sizes_of(larger, large);
    for (size_t k = 0; k < PRODUCTS; k++) {
        assert_in_range(large[k].operators, 1, MOST_OPERATORS);
        assert_int_equal(large[k].operators, small[k].operators);
        assert_true(large[k].tokens <= small[k].tokens);
        assert_true(large[k].pieces <= small[k].pieces);
    }
}

static void test_glv(void **state)
{
    (void)state;
    check("glv", glv_graph(20), glv_graph(87));
}

static void test_heat(void **state)
{
    (void)state;
    check("heat", heat_graph(20), heat_graph(70));
}

static struct size jacobian_of(struct rhs f)
{
    struct derive_entries entries;
    assert_int_equal(derive_jacobian(f.graph, f.n, &entries), SENS_OK);
    const struct size size = size_of("df/dx", entries.graph, 0, entries.graph->n_outputs);
    derive_entries_destroy(&entries);
    graph_destroy(f.graph);
    return size;
}

/* Entries row by row: each line of the grid has ends that are shorter, which are put together. */
static void test_entries(void **state)
{
    (void)state;
    const struct size small = jacobian_of(heat_graph(20)), large = jacobian_of(heat_graph(70));
    assert_int_equal(large.operators, small.operators);
    assert_in_range(large.pieces, 1, small.pieces);
}

static void test_chain(void **state)
{
    (void)state;
    check("chain", chain_graph(50), chain_graph(30000));
}

static void test_conduction(void **state)
{
    (void)state;
    check("conduction", conduction_graph(50, false), conduction_graph(5000, false));
    check("conduction with exp", conduction_graph(50, true), conduction_graph(4000, true));
}

static void test_brusselator(void **state)
{
    (void)state;
    check("brusselator without flux", brusselator_graph(20, false), brusselator_graph(38, false));
    check("brusselator, periodic", brusselator_graph(20, true), brusselator_graph(38, true));
}

/* sum_i p_i x_i + sum_i 3 x_i, each odd term as the negative of a product with -x_i: products that are written at once
 * have the form and the order of those that signs are gathered from. */
static struct rhs signed_graph(size_t n, bool with_signs)
{
    struct graph *g = graph_create();
    for (size_t which = 0; which < 2; which++) {
        graph_node sum = number(g, 2);
        for (size_t i = 0; i < n; i++) {
            const graph_node factor = which ? number(g, 3) : P(g, i);
            if (with_signs && i % 2)
                sum = sub(g, sum, mul(g, factor, function(g, GRAPH_NEG, X(g, i))));
            else
                sum = add(g, sum, mul(g, factor, X(g, i)));
        }
        graph_add_output(g, sum);
    }
    return (struct rhs){g, 2, n};
}

static void test_signs(void **state)
{
    (void)state;
    const struct rhs plain = signed_graph(40, false), with_signs = signed_graph(40, true);
    const struct size one = size_of("plain", plain.graph, 0, 2),
                      two = size_of("signs", with_signs.graph, 0, 2);
    assert_memory_equal(&one, &two, sizeof one);
    assert_in_range(two.tokens, 1, 12);
    graph_destroy(plain.graph), graph_destroy(with_signs.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glv),   cmocka_unit_test(test_heat),       cmocka_unit_test(test_entries),
        cmocka_unit_test(test_chain), cmocka_unit_test(test_conduction), cmocka_unit_test(test_brusselator),
        cmocka_unit_test(test_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
