/* harness/derive/roll and generate: right-hand sides of any size as loops, compiled, against the graph itself. */
#include "bench/derive/rhs_support.h"
#include "generate_support.h"

static void check(const char *what, struct rhs f, size_t points)
{
    struct code code;
    print_message("%s, n = %zu\n", what, f.n);
    assert_int_equal(graph_status(f.graph), SENS_OK);
    generate_and_load(f.graph, f.n, f.np, "cc -O1", &code);
    check_code(&code, f.graph, f.n, f.np, points, 1 + f.n);
    unload(&code);
    graph_destroy(f.graph);
}

static size_t points_for(size_t n)
{
    return n < 8 ? 20 : 1;
}

static const size_t sizes[] = {1, 2, 3, 5, 7, 20, 50};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_glv(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++) check("glv", glv_graph(sizes[k]), points_for(sizes[k]));
}

static void test_chain(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++) check("chain", chain_graph(sizes[k]), points_for(sizes[k]));
}

static void test_heat(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++) check("heat", heat_graph(sizes[k] % 46), points_for(sizes[k]));
}

static void test_conduction(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++)
        for (int exponential = 0; exponential < 2; exponential++)
            check("conduction", conduction_graph(sizes[k], exponential), points_for(sizes[k]));
}

static void test_brusselator(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++)
        for (int periodic = 0; periodic < 2; periodic++)
            check("brusselator", brusselator_graph(sizes[k] % 46, periodic), points_for(sizes[k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glv),        cmocka_unit_test(test_chain),       cmocka_unit_test(test_heat),
        cmocka_unit_test(test_conduction), cmocka_unit_test(test_brusselator),
    };
    if (!have_compiler("cc")) return NO_COMPILER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
