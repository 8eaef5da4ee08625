/* harness/derive/generate: the structure that is found, held against the Jacobians of the graph. */
#include "bench/derive/rhs_support.h"
#include "generate_support.h"

static generated_numbers *part_of(const struct code *code, enum generate_product part)
{
    generated_numbers *found;
    void *symbol = function_of(code, part);
    memcpy(&found, &symbol, sizeof found);
    return found;
}

static long double *values(const struct derive_entries *entries, const struct point *at)
{
    struct oracle oracle = evaluate(entries->graph, at, 0);
    free(oracle.size);
    return oracle.value;
}

static void assert_near(double got, long double expected, long double size)
{
    assert_true(fabsl((long double)got - expected) <= GENERATED_TOLERANCE * (fabsl(expected) + size));
}

/* df_i/dp_(first + i cols + j) = s_i phi_j */
static void check_outer(const struct code *code, const struct rhs *f, const struct point *at, double *s)
{
    struct derive_entries entries = {.graph = NULL};
    double *phi = drawn(f->np, 0, 1, &(uint64_t){1}), *start = phi;
    part_of(code, GENERATE_S)(at->t, at->x, at->p, s);
    part_of(code, GENERATE_PHI)(at->t, at->x, at->p, phi);
    assert_int_equal(derive_jacobian_p(f->graph, f->np, &entries), SENS_OK);
    long double *value = values(&entries, at);
    size_t parameters = 0;
    for (size_t b = 0; b < code->found.n_blocks; b++) {
        const struct sens_outer block = code->found.blocks[b];
        assert_int_equal(block.first, parameters);
        parameters += f->n * block.cols;
        for (size_t k = 0; k < f->n * block.cols; k++) {
            assert_int_equal(entries.pattern.col[block.first + k], k / block.cols);
            assert_near(s[k / block.cols] * start[k % block.cols], value[block.first + k], 0);
        }
        start += block.cols;
    }
    assert_int_equal(parameters, f->np);
    assert_int_equal(entries.pattern.start[f->np], f->np);
    free(value), free(phi);
    derive_entries_destroy(&entries);
}

/* df_i/dx_k = d_i [i = k] + s_i M_ik. matrix: the parameter where M begins in p, with its diagonal; 0: none. */
static void check_coupling(const struct code *code, const struct rhs *f, const struct point *at,
                           const double *s, size_t matrix)
{
    struct derive_entries entries = {.graph = NULL};
    double *M = drawn(f->n * f->n, 0, 1, &(uint64_t){1}), *d = drawn(f->n, 0, 1, &(uint64_t){1});
    part_of(code, GENERATE_COUPLING)(0, NULL, at->p, M);
    part_of(code, GENERATE_DIAGONAL)(at->t, at->x, at->p, d);
    if (matrix > 0) assert_memory_equal(M, at->p + matrix, f->n * f->n * sizeof *M);
    assert_int_equal(derive_jacobian(f->graph, f->n, &entries), SENS_OK);
    long double *value = values(&entries, at);
    for (size_t i = 0; i < f->n; i++)
        for (size_t e = entries.pattern.start[i]; e < entries.pattern.start[i + 1]; e++) {
            const size_t k = entries.pattern.col[e];
            assert_near((i == k ? d[i] : 0) + s[i] * M[i * f->n + k], value[e], (long double)f->n);
        }
    free(value), free(M), free(d);
    derive_entries_destroy(&entries);
}

struct expected {
    size_t blocks, matrix;
    bool coupling, constant, sparse;
};

static void check(struct rhs f, struct expected expected)
{
    struct code code;
    uint64_t seed = 4;
    generate_and_load(f.graph, f.n, f.np, 4, "cc -O0", &code);
    assert_int_equal(code.found.n_blocks, expected.blocks);
    assert_int_equal(code.found.coupling, expected.coupling);
    assert_int_equal(code.found.constant_jacobian, expected.constant);
    assert_int_equal(code.found.sparsity != NULL, expected.sparse);
    for (size_t k = 0; k < 20; k++) {
        struct point at = draw_point(f.n, f.np, 1, &seed);
        double *s = drawn(f.n, 0, 1, &seed);
        if (expected.blocks > 0) check_outer(&code, &f, &at, s);
        if (expected.coupling) check_coupling(&code, &f, &at, s, expected.matrix);
        free(s);
        free_point(&at);
    }
    unload(&code);
    graph_destroy(f.graph);
}

static void test_glv(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 12; n += 5)
        check(glv_graph(n), (struct expected){.blocks = 2, .coupling = true, .matrix = n});
}

static void test_others(void **state)
{
    (void)state;
    check(heat_graph(6), (struct expected){.constant = true, .sparse = true});
    check(chain_graph(9), (struct expected){.blocks = 1, .constant = true, .sparse = true});
    check(conduction_graph(9, false), (struct expected){.constant = true, .sparse = true});
    check(conduction_graph(9, true), (struct expected){.sparse = true});
    check(brusselator_graph(5, true), (struct expected){.sparse = true});
    check(vdp_graph(), (struct expected){.blocks = 0});
    check(robertson_graph(), (struct expected){.blocks = 0});
}

/* x_i' = x_i sum_j p_ij phi_j with phi_j = x_j; `apart`: phi_2 is another one in the second row, a column that neither
 * the first entry of a row nor its last tells of. */
static struct rhs outer_graph(bool apart)
{
    enum { N = 4 };
    struct graph *g = graph_create();
    for (size_t i = 0; i < N; i++) {
        graph_node sum = GRAPH_ZERO;
        for (size_t j = 0; j < N; j++) {
            const graph_node phi = apart && i == 1 && j == 2 ? function(g, GRAPH_SIN, X(g, 0)) : X(g, j);
            sum = add(g, sum, mul(g, P(g, i * N + j), phi));
        }
        graph_add_output(g, mul(g, X(g, i), sum));
    }
    return (struct rhs){g, N, (size_t)N * N};
}

/* One parameter more that acts on all: no blocks cover it. One coefficient that depends on x: no coupling.
 * One factor that differs from row to row: no block. */
static void test_almost(void **state)
{
    struct rhs f = glv_graph(5), h = glv_graph(5);
    (void)state;
    for (size_t i = 0; i < f.n; i++) f.graph->output[i] = add(f.graph, f.graph->output[i], P(f.graph, f.np));
    f.np++;
    check(f, (struct expected){.blocks = 0});
    h.graph->output[2] = add(h.graph, h.graph->output[2], function(h.graph, GRAPH_SIN, X(h.graph, 3)));
    check(h, (struct expected){.blocks = 2});
    check(outer_graph(false), (struct expected){.blocks = 1, .coupling = true});
    check(outer_graph(true), (struct expected){.blocks = 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_glv), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_almost)};
    if (!have_compiler("cc")) return NO_COMPILER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
