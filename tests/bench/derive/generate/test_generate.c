/* harness/derive/generate: small right-hand sides as straight-line code, compiled, against the graph itself. */
#include <locale.h>

#include "bench/derive/rhs_support.h"
#include "generate_support.h"
#include "text.h"

enum { POINTS = 1000 }; /* each for all L */

static void check(struct rhs f, const char *compiler)
{
    assert_int_equal(graph_status(f.graph), SENS_OK);
    for (unsigned widest = 2; widest <= 8; widest *= 2) {
        struct code code;
        generate_and_load(f.graph, f.n, f.np, widest, compiler, &code);
        check_code(&code, f.graph, f.n, f.np, POINTS / 27, 1);
        unload(&code);
    }
    graph_destroy(f.graph);
}

static void test_van_der_pol(void **state)
{
    (void)state;
    check(vdp_graph(), "cc -O3");
    if (have_compiler("clang")) check(vdp_graph(), "clang -O3");
}

static void test_robertson(void **state)
{
    (void)state;
    check(robertson_graph(), "cc -O1");
}

/* Every operation, t included; one entry each. Positive arguments below 1 suit all of them. */
static struct rhs all_operations(void)
{
    struct graph *g = graph_create();
    size_t n = 0;
    const graph_node t = graph_leaf(g, GRAPH_T, 0), half = number(g, 0.5L);
    for (int op = GRAPH_NEG; op < GRAPH_OPS; op++, n++) {
        const graph_node a = mul(g, half, mul(g, P(g, 0), X(g, (size_t)n % 5))), b = add(g, X(g, 1), t);
        graph_node value =
            graph_apply(g, (enum graph_op)op, a, graph_operands((enum graph_op)op) > 1 ? b : 0, 0);
        if (op == GRAPH_SELECT)
            value = graph_apply(g, GRAPH_SELECT, graph_apply(g, GRAPH_LESS, a, b, 0), b, a);
        graph_add_output(g, mul(g, value, X(g, 2)));
    }
    for (int k = 1; k <= 5; k++, n++)
        graph_add_output(g, graph_apply(g, GRAPH_POW, X(g, 3), number(g, k), 0));
    return (struct rhs){g, n, 1};
}

static void test_all_operations(void **state)
{
    (void)state;
    check(all_operations(), "cc -O1");
}

/* What is no right-hand side of this size is refused. */
static void test_refused(void **state)
{
    struct generate_found found;
    struct rhs f = vdp_graph();
    char *source;
    (void)state;
    assert_int_equal(generate_source(f.graph, 2, 0, GENERATE_ALL, GENERATE_ALL_CALLS, 4, &source, &found),
                     SENS_UNSUPPORTED);
    assert_int_equal(generate_source(f.graph, 1, 1, GENERATE_ALL, GENERATE_ALL_CALLS, 4, &source, &found),
                     SENS_UNSUPPORTED);
    assert_null(source);
    graph_add_output(f.graph, graph_leaf(f.graph, GRAPH_W, 0));
    assert_int_equal(generate_source(f.graph, 3, 1, GENERATE_ALL, GENERATE_ALL_CALLS, 4, &source, &found),
                     SENS_UNSUPPORTED);
    graph_destroy(f.graph);
}

/* A locale whose numbers have a comma changes nothing; where there is none, there is nothing to see. */
static void test_numbers_have_a_point(void **state)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {{1.5, "1.5"}, {-0.25, "(-0.25)"}, {3, "3.0"}, {1e20, "1e+20"}, {-2.5e-300, "(-2.5e-300)"}};
    (void)state;
    const locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
    if (!comma) skip();
    const locale_t before = uselocale(comma);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct text text = {.at = NULL};
        text_add_number(&text, (long double)cases[k].number);
        char *taken = text_take(&text);
        assert_non_null(taken);
        assert_string_equal(taken, cases[k].text);
        free(taken);
    }
    uselocale(before);
    freelocale(comma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_have_a_point),
        cmocka_unit_test(test_van_der_pol),
        cmocka_unit_test(test_robertson),
        cmocka_unit_test(test_all_operations),
        cmocka_unit_test(test_refused),
    };
    if (!have_compiler("cc")) return NO_COMPILER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
