/* harness/derive/graph: equal operations are one node, what may be folded is, what may not is kept. */
#include "graph.h"
#include "testing.h"

#include <float.h>
#include <math.h>

static void test_equal_operations_are_one_node(void **state)
{
    struct graph *g = graph_create();
    (void)state;
    assert_non_null(g);
    const graph_node x = graph_leaf(g, GRAPH_X, 3), y = graph_leaf(g, GRAPH_P, 3);
    assert_int_not_equal(x, y);
    assert_int_equal(x, graph_leaf(g, GRAPH_X, 3));
    assert_int_equal(graph_apply(g, GRAPH_ADD, x, y, 0), graph_apply(g, GRAPH_ADD, y, x, 0));
    assert_int_not_equal(graph_apply(g, GRAPH_SUB, x, y, 0), graph_apply(g, GRAPH_SUB, y, x, 0));
    const size_t before = g->n_nodes;
    for (size_t k = 0; k < 10000; k++) graph_leaf(g, GRAPH_W, k);
    assert_int_equal(g->n_nodes, before + 10000);
    for (size_t k = 0; k < 10000; k++) graph_leaf(g, GRAPH_W, k);
    assert_int_equal(g->n_nodes, before + 10000);
    assert_int_equal(graph_status(g), SENS_OK);
    graph_destroy(g);
}

/* Every constant comes back with all its bits. */
static void test_constants(void **state)
{
    static const long double values[] = {1,        -1,        0.1L,     -0.1L,    1e4000L,      3e-4900L,
                                         INFINITY, -INFINITY, 0x1p-60L, 1 / 3.0L, 1 + 0x1p-63L, 4096};
    struct graph *g = graph_create();
    (void)state;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        long double got = 0;
        const graph_node node = graph_constant(g, values[k]);
        assert_true(graph_is_constant(g, node, &got));
        assert_true(got == values[k]);
        assert_int_equal(node, graph_constant(g, values[k]));
    }
    long double nothing = 1;
    assert_true(graph_is_constant(g, graph_constant(g, NAN), &nothing) && isnan(nothing));
    assert_int_equal(graph_constant(g, 0), GRAPH_ZERO);
    assert_int_equal(graph_constant(g, -0.0L), GRAPH_ZERO);
    graph_destroy(g);
}

static void test_folding(void **state)
{
    struct graph *g = graph_create();
    (void)state;
    const graph_node x = graph_leaf(g, GRAPH_X, 0), zero = GRAPH_ZERO, one = graph_constant(g, 1);
    const graph_node two = graph_constant(g, 2);
    assert_int_equal(graph_apply(g, GRAPH_ADD, one, one, 0), two);
    assert_int_equal(graph_apply(g, GRAPH_ADD, x, zero, 0), x);
    assert_int_equal(graph_apply(g, GRAPH_SUB, x, zero, 0), x);
    assert_int_equal(graph_apply(g, GRAPH_MUL, x, zero, 0), zero);
    assert_int_equal(graph_apply(g, GRAPH_MUL, one, x, 0), x);
    assert_int_equal(graph_apply(g, GRAPH_DIV, x, one, 0), x);
    assert_int_equal(graph_apply(g, GRAPH_NEG, graph_apply(g, GRAPH_NEG, x, 0, 0), 0, 0), x);
    assert_int_equal(graph_apply(g, GRAPH_SUB, zero, x, 0), graph_apply(g, GRAPH_NEG, x, 0, 0));
    const graph_node gone = graph_apply(g, GRAPH_SUB, x, x, 0); /* cancels, and stays */
    assert_int_equal(g->node[gone].op, GRAPH_SUB);
    assert_int_equal(graph_apply(g, GRAPH_SELECT, graph_apply(g, GRAPH_LESS, x, two, 0), x, x), x);
    assert_int_equal(g->node[graph_apply(g, GRAPH_DIV, one, zero, 0)].op, GRAPH_CONSTANT);
    graph_destroy(g);
}

/* The one list of operations, against what C makes of the functions' names. The compiler folds what is known
 * here, and rounds it otherwise than the library does. */
enum { ROUNDINGS = 8 };
static void test_operations(void **state)
{
    const long double a = 0.25L, b = 0.75L, c = 3;
    const struct {
        enum graph_op op;
        long double value;
    } known[] = {{GRAPH_NEG, -0.25L},
                 {GRAPH_ADD, 1},
                 {GRAPH_SUB, -0.5L},
                 {GRAPH_MUL, 0.1875L},
                 {GRAPH_DIV, a / b},
                 {GRAPH_SQRT, 0.5L},
                 {GRAPH_CBRT, cbrtl(a)},
                 {GRAPH_EXP, expl(a)},
                 {GRAPH_EXPM1, expm1l(a)},
                 {GRAPH_LOG, logl(a)},
                 {GRAPH_LOG1P, log1pl(a)},
                 {GRAPH_POW, powl(a, b)},
                 {GRAPH_SIN, sinl(a)},
                 {GRAPH_COS, cosl(a)},
                 {GRAPH_TAN, tanl(a)},
                 {GRAPH_ASIN, asinl(a)},
                 {GRAPH_ACOS, acosl(a)},
                 {GRAPH_ATAN, atanl(a)},
                 {GRAPH_ATAN2, atan2l(a, b)},
                 {GRAPH_SINH, sinhl(a)},
                 {GRAPH_COSH, coshl(a)},
                 {GRAPH_TANH, tanhl(a)},
                 {GRAPH_HYPOT, hypotl(a, b)},
                 {GRAPH_FABS, 0.25L},
                 {GRAPH_FMIN, 0.25L},
                 {GRAPH_FMAX, 0.75L},
                 {GRAPH_LESS, 1},
                 {GRAPH_LESS_EQUAL, 1},
                 {GRAPH_SELECT, 0.75L}};
    (void)state;
    assert_int_equal(sizeof known / sizeof *known, GRAPH_OPS - GRAPH_NEG);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const long double error = graph_operate(known[k].op, a, b, c) - known[k].value;
        if (!(fabsl(error) <= ROUNDINGS * LDBL_EPSILON)) fail_msg("%s", graph_op_name(known[k].op));
    }
    assert_true(graph_operate(GRAPH_LESS, b, a, c) == 0 && graph_operate(GRAPH_LESS_EQUAL, b, a, c) == 0);
    assert_true(graph_operate(GRAPH_LESS, a, a, c) == 0 && graph_operate(GRAPH_LESS_EQUAL, a, a, c) == 1);
    assert_true(graph_operate(GRAPH_SELECT, 0, b, c) == 3 && graph_operate(GRAPH_FABS, -b, b, c) == b);
    assert_true(graph_operate(GRAPH_FMIN, b, a, c) == a && graph_operate(GRAPH_FMAX, b, a, c) == b);
    assert_true(isnan(graph_operate(GRAPH_X, a, b, c)));
}

/* x0 p0 + sin(t), with a guard x0 < p0 */
static void test_evaluation(void **state)
{
    struct graph *g = graph_create();
    (void)state;
    const graph_node x = graph_leaf(g, GRAPH_X, 0), p = graph_leaf(g, GRAPH_P, 0);
    const graph_node t = graph_leaf(g, GRAPH_T, 0);
    graph_add_guard(g, GRAPH_IS_LESS, x, p, true);
    const graph_node f =
        graph_apply(g, GRAPH_ADD, graph_apply(g, GRAPH_MUL, x, p, 0), graph_apply(g, GRAPH_SIN, t, 0, 0), 0);
    graph_add_output(g, f);
    long double value[16];
    assert_true(g->n_nodes <= 16);
    const struct graph_point at = {.t = 0.5L, .x = (long double[]){2}, .p = (long double[]){3}};
    graph_evaluate(g, &at, value);
    assert_true(value[g->output[0]] == 6 + sinl(0.5L));
    assert_true(graph_guards_hold(g, value));
    const struct graph_point other = {.t = 0.5L, .x = (long double[]){4}, .p = (long double[]){3}};
    graph_evaluate(g, &other, value);
    assert_false(graph_guards_hold(g, value));
    const struct graph_point nowhere = {.t = 0.5L, .x = (long double[]){NAN}, .p = (long double[]){3}};
    graph_evaluate(g, &nowhere, value);
    assert_false(graph_guards_hold(g, value));
    graph_destroy(g);
}

/* A copy without what is not kept: operands, outputs and guards are where they went, and equal nodes are still
 * found. */
static void test_copies_and_what_is_kept(void **state)
{
    struct graph *g = graph_create();
    (void)state;
    const graph_node x = graph_leaf(g, GRAPH_X, 0), dropped = graph_leaf(g, GRAPH_X, 1);
    const graph_node two = graph_constant(g, 2), product = graph_apply(g, GRAPH_MUL, two, x, 0);
    graph_apply(g, GRAPH_EXP, dropped, 0, 0);
    const graph_node root = graph_apply(g, GRAPH_SQRT, product, 0, 0);
    graph_add_guard(g, GRAPH_IS_LESS, product, root, true);
    struct graph *copy = graph_copy(g);
    assert_non_null(copy);
    assert_int_equal(copy->n_nodes, g->n_nodes);
    assert_int_equal(copy->n_outputs, 0);
    assert_int_equal(graph_apply(copy, GRAPH_MUL, two, x, 0), product);
    assert_int_equal(copy->n_nodes, g->n_nodes);
    graph_add_output(copy, root);
    bool kept[7] = {false};
    assert_int_equal(copy->n_nodes, 7);
    kept[x] = kept[two] = kept[product] = kept[root] = true;
    assert_true(graph_keep(copy, kept));
    assert_int_equal(copy->n_nodes, 5);
    assert_int_equal(copy->guard[0].b, copy->output[0]);
    const long double at[1] = {8};
    long double value[5];
    graph_evaluate(copy, &(struct graph_point){.x = at}, value);
    assert_true(value[copy->output[0]] == 4 && value[copy->guard[0].a] == 16);
    assert_int_equal(graph_apply(copy, GRAPH_SQRT, copy->guard[0].a, 0, 0), copy->output[0]);
    assert_int_equal(graph_leaf(copy, GRAPH_X, 1), 5); /* was removed */
    assert_int_equal(g->n_nodes, 7);
    graph_destroy(copy);
    graph_destroy(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_operations_are_one_node),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_evaluation),
        cmocka_unit_test(test_copies_and_what_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
