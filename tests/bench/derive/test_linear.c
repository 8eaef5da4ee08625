/* derive_is_linear: of formulas that are linear in x with coefficients of p, and of others; and of drawn ones, whose
 * df/dx is then the same at all times and states. */
#include "products.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "random_graph.h"

struct leaves {
    struct graph *f;
    graph_node t, x, y, p, q, two;
};

static struct leaves leaves_create(void)
{
    struct graph *const f = graph_create();
    assert_non_null(f);
    return (struct leaves){f,
                           graph_leaf(f, GRAPH_T, 0),
                           graph_leaf(f, GRAPH_X, 0),
                           graph_leaf(f, GRAPH_X, 1),
                           graph_leaf(f, GRAPH_P, 0),
                           graph_leaf(f, GRAPH_P, 1),
                           graph_constant(f, 2)};
}

static graph_node of(const struct leaves *l, enum graph_op op, graph_node a, graph_node b)
{
    return graph_apply(l->f, op, a, graph_operands(op) > 1 ? b : 0, 0);
}

static void require(const struct leaves *l, graph_node output, bool linear, int line)
{
    graph_add_output(l->f, output);
    if (derive_is_linear(l->f) != linear) fail_msg("line %d: expected %s", line, linear ? "linear" : "not");
    graph_destroy(l->f);
}

/* One formula: `expression` may use l. */
#define CASE(linear, expression)                                                                             \
    do {                                                                                                     \
        const struct leaves made = leaves_create(), *const l = &made;                                        \
        require(l, expression, linear, __LINE__);                                                            \
    } while (0)

static void test_formulas(void **state)
{
    (void)state;
    CASE(true, l->x);
    CASE(true, l->t);
    CASE(true, of(l, GRAPH_SIN, of(l, GRAPH_MUL, l->p, l->t), 0));
    CASE(true, of(l, GRAPH_MUL, l->p, of(l, GRAPH_SUB, l->x, l->y)));
    CASE(true, of(l, GRAPH_NEG, of(l, GRAPH_MUL, of(l, GRAPH_EXP, l->p, 0), l->x), 0));
    CASE(true, of(l, GRAPH_DIV, of(l, GRAPH_ADD, l->x, l->t), of(l, GRAPH_POW, l->p, l->two)));
    CASE(true, of(l, GRAPH_ADD, of(l, GRAPH_MUL, l->two, l->x), of(l, GRAPH_MUL, l->t, l->t)));
    CASE(true, of(l, GRAPH_DIV, l->t, of(l, GRAPH_ADD, l->t, l->two)));
    CASE(false, of(l, GRAPH_MUL, l->t, l->x));
    CASE(false, of(l, GRAPH_MUL, l->x, l->y));
    CASE(false, of(l, GRAPH_MUL, l->x, l->x));
    CASE(false, of(l, GRAPH_DIV, l->x, l->t));
    CASE(false, of(l, GRAPH_DIV, l->p, l->x));
    CASE(false, of(l, GRAPH_EXP, l->x, 0));
    CASE(false, of(l, GRAPH_FABS, of(l, GRAPH_MUL, l->p, l->x), 0));
    CASE(false, of(l, GRAPH_FMAX, l->x, l->p));
    CASE(false, of(l, GRAPH_POW, l->x, l->two));
    CASE(false, graph_apply(l->f, GRAPH_SELECT, of(l, GRAPH_LESS, l->x, l->p), l->x, l->y));
    CASE(false, graph_apply(l->f, GRAPH_SELECT, of(l, GRAPH_LESS, l->t, l->p), l->x, l->y));
    CASE(false, of(l, GRAPH_MUL, of(l, GRAPH_ADD, l->x, l->p), l->y));
}

/* A value that a guard looks at may be another formula elsewhere. */
static void test_guards(void **state)
{
    (void)state;
    const struct leaves l = leaves_create();
    graph_add_guard(l.f, GRAPH_IS_LESS, l.t, l.two, true);
    require(&l, of(&l, GRAPH_MUL, l.p, l.x), false, __LINE__);
}

/* df/dx at a point, [entries]. */
static long double *entries_at(const struct derive_entries *entries, unsigned long *seed,
                               const long double *p)
{
    long double x[RANDOM_N] = {0}, *value = malloc((entries->graph->n_nodes + 1) * sizeof *value);
    long double *const made = malloc((entries->graph->n_outputs + 1) * sizeof *made);
    assert_true(value && made);
    for (size_t i = 0; i < RANDOM_N; i++) x[i] = uniform(seed);
    const struct graph_point at = {.t = uniform(seed), .x = x, .p = p};
    graph_evaluate(entries->graph, &at, value);
    for (size_t e = 0; e < entries->graph->n_outputs; e++) made[e] = value[entries->graph->output[e]];
    free(value);
    return made;
}

static void require_one_matrix(const struct graph *f, unsigned long *seed)
{
    struct derive_entries entries;
    const long double p[RANDOM_NP] = {uniform(seed), uniform(seed)};
    assert_int_equal(derive_jacobian(f, RANDOM_N, &entries), SENS_OK);
    long double *const here = entries_at(&entries, seed, p), *const there = entries_at(&entries, seed, p);
    for (size_t e = 0; e < entries.graph->n_outputs; e++)
        assert_true(here[e] == there[e] || (isnan(here[e]) && isnan(there[e])));
    free(here), free(there);
    derive_entries_destroy(&entries);
}

/* Few operations, of which a good part is linear. */
static struct graph *short_formula(unsigned long *seed)
{
    static const enum graph_op ops[] = {GRAPH_ADD, GRAPH_SUB, GRAPH_MUL, GRAPH_MUL,
                                        GRAPH_DIV, GRAPH_NEG, GRAPH_SIN};
    const struct leaves l = leaves_create();
    graph_node known[12] = {l.t, l.x, l.y, l.p, l.q, l.two};
    size_t count = 6;
    while (count < 12) {
        const enum graph_op op = ops[drawn(seed, sizeof ops / sizeof *ops)];
        const graph_node a = known[drawn(seed, count)], b = known[drawn(seed, count)];
        known[count++] = of(&l, op, a, b);
    }
    graph_add_output(l.f, known[11]);
    graph_add_output(l.f, known[10]);
    return l.f;
}

static void test_drawn_formulas(void **state)
{
    unsigned long seed = 5;
    int linear = 0, others = 0;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct graph *const f = round % 3 ? short_formula(&seed) : random_graph(&seed);
        assert_non_null(f);
        if (derive_is_linear(f))
            linear++, require_one_matrix(f, &seed);
        else
            others++;
        graph_destroy(f);
    }
    assert_true(linear > 100 && others > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_drawn_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
