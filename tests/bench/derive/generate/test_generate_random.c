/* harness/derive/roll and generate: graphs that nobody would write. Whatever is rolled up or not, it has to be
 * right. */
#include "bench/derive/rhs_support.h"
#include "generate_support.h"

static size_t below(size_t count, uint64_t *seed)
{
    return (size_t)(uniform(seed) * (double)count);
}

static graph_node drawn_leaf(struct graph *g, size_t n, size_t np, uint64_t *seed)
{
    switch (below(8, seed)) {
    case 0:
        return graph_leaf(g, GRAPH_T, 0);
    case 1:
        return number(g, (long double)below(5, seed) - 2);
    case 2:
        return number(g, uniform(seed));
    case 3:
    case 4:
        return P(g, below(np, seed));
    default:
        return X(g, below(n, seed));
    }
}

/* An operation that keeps values of order 1. */
static graph_node drawn_operation(struct graph *g, graph_node a, graph_node b, uint64_t *seed)
{
    switch (below(12, seed)) {
    case 0:
        return function(g, GRAPH_NEG, a);
    case 1:
    case 2:
        return add(g, a, b);
    case 3:
    case 4:
        return sub(g, a, b);
    case 5:
        return quotient(g, a, add(g, number(g, 3), mul(g, b, b)));
    case 6:
        return function(g, GRAPH_SIN, a);
    case 7:
        return function(g, GRAPH_TANH, a);
    case 8:
        return graph_apply(g, GRAPH_SELECT, graph_apply(g, GRAPH_LESS, a, b, 0), a, b);
    default:
        return mul(g, function(g, GRAPH_SIN, a), b);
    }
}

static void check(struct rhs f, uint64_t seed)
{
    struct code code;
    assert_int_equal(graph_status(f.graph), SENS_OK);
    generate_and_load(f.graph, f.n, f.np, 2u << seed % 3, "cc -O0", &code);
    check_code(&code, f.graph, f.n, f.np, 2, seed);
    unload(&code);
    graph_destroy(f.graph);
}

static void test_random(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (size_t round = 0; round < 12; round++) {
        struct graph *g = graph_create();
        const size_t n = 2 + below(12, &seed), np = 1 + below(6, &seed), operations = 20 + below(120, &seed);
        graph_node *node = malloc((operations + 8) * sizeof *node);
        assert_non_null(node);
        for (size_t k = 0; k < 8; k++) node[k] = drawn_leaf(g, n, np, &seed);
        for (size_t k = 8; k < operations + 8; k++) {
            const graph_node a = node[below(k, &seed)],
                             b = below(3, &seed) ? drawn_leaf(g, n, np, &seed) : node[below(k, &seed)];
            node[k] = drawn_operation(g, a, b, &seed);
        }
        for (size_t i = 0; i < n; i++) graph_add_output(g, node[8 + below(operations, &seed)]);
        free(node);
        check((struct rhs){g, n, np}, seed);
    }
}

/* Rows of a matrix of random constants, with holes, in a random order: tables of indices and of constants. */
static void test_permuted_rows(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (size_t n = 5; n <= 40; n *= 2) {
        struct graph *g = graph_create();
        size_t *row = malloc(n * sizeof *row);
        assert_non_null(row);
        for (size_t i = 0; i < n; i++) row[i] = i;
        for (size_t i = n; i-- > 1;) {
            const size_t other = below(i + 1, &seed), swap = row[i];
            row[i] = row[other], row[other] = swap;
        }
        for (size_t i = 0; i < n; i++) {
            graph_node sum = P(g, row[i]);
            for (size_t j = 0; j < n; j++)
                if (below(3, &seed))
                    sum = add(
                        g, sum,
                        mul(g, number(g, (long double)uniform(&seed) - 0.5L), mul(g, X(g, j), P(g, row[j]))));
            graph_add_output(g, mul(g, X(g, row[i]), sum));
        }
        free(row);
        check((struct rhs){g, n, n}, n);
    }
}

/* Recurrences: one that uses itself, two that use each other, one that runs backwards. */
static void test_recurrences(void **state)
{
    (void)state;
    for (size_t n = 4; n <= 64; n *= 2) {
        struct graph *g = graph_create();
        graph_node one = X(g, 0), two = X(g, 1), back = P(g, 0);
        for (size_t i = 0; i < n / 4; i++) {
            const graph_node next = add(g, mul(g, two, P(g, i)), function(g, GRAPH_SIN, one));
            two = sub(g, mul(g, one, X(g, i)), mul(g, two, number(g, 0.5L)));
            one = next;
            back = function(g, GRAPH_TANH, add(g, back, X(g, n - 1 - i)));
            graph_add_output(g, one);
            graph_add_output(g, two);
            graph_add_output(g, back);
            graph_add_output(g, mul(g, back, one));
        }
        check((struct rhs){g, n, n}, n);
    }
}

/* Sums over pairs: sum_(j < i) sin(x_i - x_j) p_j, and a product over all x. */
static void test_triangles(void **state)
{
    (void)state;
    for (size_t n = 3; n <= 24; n *= 2) {
        struct graph *g = graph_create();
        graph_node all = number(g, 2);
        for (size_t i = 0; i < n; i++) all = mul(g, all, X(g, i));
        for (size_t i = 0; i < n; i++) {
            graph_node sum = all;
            for (size_t j = 0; j < i; j++)
                sum = add(g, sum, mul(g, P(g, j), function(g, GRAPH_SIN, sub(g, X(g, i), X(g, j)))));
            graph_add_output(g, sum);
        }
        check((struct rhs){g, n, n}, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_permuted_rows),
                                       cmocka_unit_test(test_recurrences), cmocka_unit_test(test_triangles)};
    if (!have_compiler("cc")) return NO_COMPILER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
