/* Which operations are told to have no finite derivative where they are finite: those, and no others, whose derivative
 * by the rules of differentiation is not finite there. And mixed derivatives of powers, where the first one is 0. */
#include <math.h>
#include <stdlib.h>

#include "graph.h"
#include "products.h"
#include "testing.h"

enum { VALUES = 9 };
static const double special[VALUES] = {-1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 3};

/* Of op(x_0, x_1) at a point: by its derivative along both, and what is told. */
static void compare(enum graph_op op, double a, double b, size_t *lacking)
{
    const long double x[2] = {a, b}, along[2] = {0.7L, graph_operands(op) > 1 ? 0.6L : 0};
    const double value[3] = {0, a, b};
    struct graph *f = graph_create(), *g = NULL;
    assert_non_null(f);
    const graph_node first = graph_leaf(f, GRAPH_X, 0), second = graph_leaf(f, GRAPH_X, 1);
    const graph_node made = graph_apply(f, op, first, graph_operands(op) > 1 ? second : 0, 0);
    graph_add_output(f, made);
    const bool told = graph_lacks_slope(f, made, value), finite = isfinite(graph_operate(op, a, b, 0));
    assert_int_equal(derive_along(f, DERIVE_X, &g), SENS_OK);
    long double *all = calloc(g->n_nodes, sizeof *all);
    assert_non_null(all);
    graph_evaluate(g, &(struct graph_point){.x = x, .dx = along}, all);
    if (finite && told == isfinite(all[g->output[0]]))
        fail_msg("%s(%g, %g): the derivative is %Lg, and it is told to be %sfinite", graph_op_name(op), a, b,
                 all[g->output[0]], told ? "not " : "");
    *lacking += finite && told;
    free(all);
    graph_destroy(g);
    graph_destroy(f);
}

static void test_every_operation(void **state)
{
    size_t lacking = 0;
    (void)state;
    for (enum graph_op op = 0; op < GRAPH_OPS; op++)
        for (int i = 0; graph_operands(op) == 1 && i < VALUES; i++) compare(op, special[i], 0, &lacking);
    for (enum graph_op op = 0; op < GRAPH_OPS; op++)
        for (int i = 0; graph_operands(op) == 2 && i < VALUES * VALUES; i++)
            compare(op, special[i / VALUES], special[i % VALUES], &lacking);
    assert_true(lacking >= 10);
}

/* By a constant nothing is differentiated. */
static void test_constants(void **state)
{
    const double value[4] = {0, 0, 0.5, 0};
    struct graph *f = graph_create();
    (void)state;
    assert_non_null(f);
    const graph_node x = graph_leaf(f, GRAPH_X, 0), half = graph_constant(f, 0.5L);
    const graph_node root = graph_apply(f, GRAPH_POW, x, half, 0);
    assert_true(graph_lacks_slope(f, root, value));
    const graph_node power = graph_apply(f, GRAPH_POW, half, x, 0);
    const double other[5] = {0, 0, 0.5, 0, 1};
    assert_false(graph_lacks_slope(f, power, other));
    assert_false(graph_lacks_slope(f, half, value)); /* whose operands are the words of its number */
    const double at_zero[6] = {0, 0, 0.5, 0, 1, 1};
    assert_false(graph_lacks_slope(f, graph_apply(f, GRAPH_POW, x, GRAPH_ZERO, 0), at_zero));
    graph_destroy(f);
}

/* d2(x^p)/dx dp = x^(p-1) (1 + p log x), also where the exponent is 0 and with it d(x^p)/dx. */
static void test_mixed_derivatives_of_powers(void **state)
{
    static const long double base[] = {0.5L, 2}, exponent[] = {0, 1, -1.5L}, one = 1;
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        struct graph *f = graph_create(), *h = NULL;
        const long double x = base[k % 2], p = exponent[k / 2], right = powl(x, p - 1) * (1 + p * logl(x));
        const graph_node power =
            graph_apply(f, GRAPH_POW, graph_leaf(f, GRAPH_X, 0), graph_leaf(f, GRAPH_P, 0), 0);
        graph_add_output(f, power);
        assert_int_equal(derive_hvp(f, 1, 0, DERIVE_P, &h), SENS_OK);
        long double *value = malloc(h->n_nodes * sizeof *value);
        assert_non_null(value);
        graph_evaluate(h, &(struct graph_point){.x = &x, .p = &p, .w = &one, .dp = &one}, value);
        assert_true(fabsl(value[h->output[0]] - right) <= 1e-18L * (1 + fabsl(right)));
        free(value);
        graph_destroy(h), graph_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation),
                                       cmocka_unit_test(test_constants),
                                       cmocka_unit_test(test_mixed_derivatives_of_powers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
