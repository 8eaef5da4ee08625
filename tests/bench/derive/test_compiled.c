/* derive/provider: products that are compiled are those of the tape, and those that are not right are found. */
#include "bench/derive/compile/compile_support.h"

#include <math.h>

#include "agree.h"
#include "compiled_engine.h"
#include "products.h"
#include "rhs_support.h"
#include "sens/registry.h"

enum { KINDS = PRODUCT_HVP + 1, MOST = 40, LANES = 5, BATCH = 3 };

struct both { /* one recording, run in two ways */
    struct rhs f;
    struct function_shape shape;
    struct compiled_setting setting;
    struct engine_maker by_c, by_tape;
    struct engine *compiled, *tape;
    double x[MOST], p[MOST];
    struct sens_at at;
};

static void open_both(struct both *both, struct rhs f, size_t guards)
{
    const struct sens_tape_functions *functions = sens_registry_baseline()->tape;
    *both = (struct both){.f = f, .shape = {.outputs = f.n, .n = f.n, .np = f.np, .threads = 1}};
    assert_true(f.n <= MOST && f.np <= MOST);
    for (size_t k = 0; k < MOST; k++) both->x[k] = 0.5 + 0.03 * (double)(k * k % 17);
    for (size_t k = 0; k < MOST; k++) both->p[k] = 1.5 - 0.02 * (double)(k * k % 13);
    both->at = (struct sens_at){0.25, both->x, both->p};
    if (guards) graph_add_guard(f.graph, GRAPH_IS_LESS, X(f.graph, 0), P(f.graph, 0), true);
    assert_int_equal(graph_status(f.graph), SENS_OK);
    both->setting.isa = "baseline";
    struct bench_error error;
    if (compiler_find(&both->setting.compiler, &error) != SENS_OK) fail_msg("%s", error.text);
    both->by_c = compiled_engine(&both->setting, functions, NULL);
    both->by_tape = tape_engine(functions, NULL);
    assert_int_equal(both->by_c.create(&both->by_c, f.graph, &both->shape, &both->at, &both->compiled),
                     SENS_OK);
    assert_int_equal(both->by_tape.create(&both->by_tape, f.graph, &both->shape, &both->at, &both->tape),
                     SENS_OK);
}

static void close_both(struct both *both)
{
    both->by_c.destroy(both->compiled);
    both->by_tape.destroy(both->tape);
    graph_destroy(both->f.graph);
}

/* ---- right ------------------------------------------------------------------------------------------------- */

struct vectors {
    double x[BATCH * MOST], p[MOST], t[BATCH], v[BATCH * MOST * LANES], d[3][MOST * LANES];
};
static struct vectors draw_vectors(const struct both *both)
{
    struct vectors drawn;
    unsigned state = 1;
    double *const all = (double *)&drawn;
    for (size_t k = 0; k < sizeof drawn / sizeof(double); k++) {
        state = state * 1664525u + 1013904223u;
        all[k] = (double)(state >> 8) * 0x1p-23 - 1;
    }
    for (size_t k = 0; k < BATCH * MOST; k++)
        drawn.x[k] = both->x[k % both->shape.n] * (1 + 0.1 * drawn.x[k]);
    for (size_t k = 0; k < MOST; k++) drawn.p[k] = both->p[k] * (1 + 0.1 * drawn.p[k]);
    return drawn;
}

typedef double numbers[2][MOST * MOST * LANES]; /* out and sum */

static sens_status call_engine(const struct both *both, struct engine *engine, struct product_call call,
                               size_t points, numbers result)
{
    const struct vectors drawn = draw_vectors(both);
    const bool sum = call.kind == PRODUCT_VJP_P || call.on.sum;
    for (size_t k = 0; k < MOST * MOST * LANES; k++) result[0][k] = result[1][k] = 1;
    call.on.points = points;
    call.on.t = drawn.t, call.on.x = drawn.x, call.on.x_step = both->shape.n, call.on.p = drawn.p;
    call.on.lanes = LANES;
    call.on.v = drawn.v, call.on.v_step = both->shape.n * LANES;
    for (unsigned part = 0; part < 3; part++)
        call.on.extra[part] = call.parts >> part & 1 ? drawn.d[part] : NULL;
    call.on.out = result[0];
    call.on.sum = sum ? result[1] : NULL;
    return engine->maker->run(engine, &call);
}

/* Compiles the product, by running it; all parts of a second derivative. */
static void run_first(const struct both *both, enum product_kind kind)
{
    double sum = 0;
    numbers result;
    struct product_call call = {.kind = kind, .parts = kind == PRODUCT_HVP ? 7 : 0};
    if (kind == PRODUCT_HVP) call.on.sum = &sum;
    assert_int_equal(call_engine(both, both->compiled, call, 1, result), SENS_OK);
}

/* The same call to both, into numbers that were 1 before. */
static void same(struct both *both, struct product_call call, size_t points)
{
    numbers result[2];
    assert_int_equal(call_engine(both, both->compiled, call, points, result[0]), SENS_OK);
    assert_int_equal(call_engine(both, both->tape, call, points, result[1]), SENS_OK);
    for (size_t k = 0; k < 2 * MOST * MOST * LANES; k++) {
        const double got = result[0][k / (MOST * MOST * LANES)][k % (MOST * MOST * LANES)];
        const double wanted = result[1][k / (MOST * MOST * LANES)][k % (MOST * MOST * LANES)];
        if (!(fabs(got - wanted) <= 1e-12 * (1 + fabs(wanted)) * 64)) /* terms are below 64 */
            fail_msg("kind %d, parts %u, number %zu: %.17g, %.17g", call.kind, call.parts, k, got, wanted);
    }
}

static bool is_part(int kind)
{
    return kind >= PRODUCT_S && kind <= PRODUCT_DIAGONAL;
}

static void check(struct rhs f, size_t guards)
{
    struct both both;
    double sum = 0;
    open_both(&both, f, guards);
    const struct structure *structure = both.by_tape.structure(both.tape);
    assert_non_null(structure);
    assert_int_equal(both.setting.by_c, 0); /* none before it is asked for */
    for (int kind = 0; kind < KINDS; kind++)
        if (kind != PRODUCT_HVP && (!is_part(kind) || structure->part[kind - PRODUCT_S]))
            same(&both, (struct product_call){.kind = (enum product_kind)kind}, 1);
    same(&both, (struct product_call){.kind = PRODUCT_VJP_P}, BATCH);
    for (unsigned parts = 1; parts < 8; parts++) {
        struct product_call call = {.kind = PRODUCT_HVP, .parts = parts};
        if (parts & (DERIVE_X | DERIVE_P)) same(&both, call, 1);
        call.on.sum = &sum;
        same(&both, call, 1);
    }
    if (both.setting.by_tape) print_error("%s\n", both.setting.why.text);
    assert_int_equal(both.setting.by_tape, 0);
    assert_int_equal(both.setting.by_c, KINDS - 4 + (structure->n_blocks ? 3 : 0)); /* M by the tape */
    assert_string_equal(both.setting.why.text, "");
    close_both(&both);
}

/* x_0' = p_0 x_0 x_1 cos t, x_1' = x_0 - x_1: second derivatives by t with x and with p, too */
static struct rhs forced_graph(void)
{
    struct graph *g = graph_create();
    const graph_node t = graph_leaf(g, GRAPH_T, 0), growth = mul(g, P(g, 0), mul(g, X(g, 0), X(g, 1)));
    graph_add_output(g, mul(g, growth, function(g, GRAPH_COS, t)));
    graph_add_output(g, sub(g, X(g, 0), X(g, 1)));
    return (struct rhs){g, 2, 1};
}

static void test_right_hand_sides(void **state)
{
    (void)state;
    check(vdp_graph(), 0);
    check(vdp_graph(), 1);
    check(forced_graph(), 0);
    check(robertson_graph(), 0);
    check(glv_graph(5), 1);
    check(heat_graph(3), 0);
    check(conduction_graph(6, true), 0);
    check(brusselator_graph(3, true), 0);
}

/* What calls with so many lanes need is compiled when they come; which C then runs depends on their number alone. */
static void check_calls(struct rhs f)
{
    enum { WIDEST = 31, CALLS = 9 };
    static const size_t lanes[CALLS] = {8, 4, 8, 12, 1, 31, 3, 16, 1};
    static const unsigned serves[CALLS] = {8, 4, 8, 28, 32, 15, 15, 16, 32};
    static double v[MOST * WIDEST], out[2][MOST * WIDEST];
    struct both both;
    for (size_t k = 0; k < MOST * WIDEST; k++) v[k] = sin((double)k);
    open_both(&both, f, 0);
    for (size_t i = 0; i < CALLS; i++) {
        struct product_call call = {.kind = PRODUCT_VJP, .on = {.points = 1, .t = &both.at.t, .v = v}};
        call.on.x = both.x, call.on.x_step = f.n, call.on.p = both.p, call.on.lanes = lanes[i];
        for (size_t k = 0; k < MOST * WIDEST; k++) out[0][k] = out[1][k] = 7;
        call.on.out = out[0];
        assert_int_equal(both.by_c.run(both.compiled, &call), SENS_OK);
        call.on.out = out[1];
        assert_int_equal(both.by_tape.run(both.tape, &call), SENS_OK);
        for (size_t k = 0; k < MOST * WIDEST; k++)
            assert_true(fabs(out[0][k] - out[1][k]) <= 1e-12 * (1 + fabs(out[1][k])) * 64);
        assert_int_equal(both.by_c.direct(both.compiled, &call)->serves, serves[i]);
    }
    assert_int_equal(both.setting.by_c, 1);
    assert_int_equal(both.setting.by_tape, 0);
    close_both(&both);
}

static void test_calls(void **state)
{
    (void)state;
    check_calls(vdp_graph());                /* straight-line */
    check_calls(brusselator_graph(4, true)); /* loops */
    check_calls(glv_graph(5));
}

/* On another path neither of the two writes anything. */
static void test_guards(void **state)
{
    struct both both;
    double v[2] = {1, 2}, out[2] = {7, 7};
    (void)state;
    open_both(&both, vdp_graph(), 1);
    struct product_call call = {
        .kind = PRODUCT_VJP,
        .on = {.points = 1, .t = &both.at.t, .x_step = 2, .p = both.p, .lanes = 1, .v = v}};
    both.x[0] = both.p[0] + 0.5;
    call.on.x = both.x;
    call.on.out = out;
    assert_int_equal(both.by_c.run(both.compiled, &call), SENS_OUT_OF_DOMAIN);
    assert_int_equal(both.setting.by_c, 1);
    assert_true(out[0] == 7 && out[1] == 7);
    both.x[0] = both.p[0] - 0.5;
    assert_int_equal(both.by_c.run(both.compiled, &call), SENS_OK);
    assert_true(out[0] != 7);
    close_both(&both);
}

/* Near a tie all decide as the operations of the recording do, one after the other, each rounded: */
static bool plainly(const double *x, const double *p)
{
    volatile double sum = x[0] * x[1];
    const volatile double square = x[0] * x[0];
    sum -= p[0];
    sum += square;
    sum -= x[1];
    return sum < 0;
}

static void test_ties(void **state)
{
    struct rhs f = vdp_graph();
    struct graph *g = f.graph;
    struct both both;
    double v[2] = {1, 2}, out[2];
    int different = 0, below = 0;
    (void)state;
    const graph_node product = graph_apply(g, GRAPH_MUL, X(g, 0), X(g, 1), 0);
    const graph_node first = graph_apply(g, GRAPH_SUB, product, P(g, 0), 0);
    const graph_node second =
        graph_apply(g, GRAPH_ADD, first, graph_apply(g, GRAPH_MUL, X(g, 0), X(g, 0), 0), 0);
    graph_add_guard(g, GRAPH_IS_LESS, graph_apply(g, GRAPH_SUB, second, X(g, 1), 0), GRAPH_ZERO, true);
    open_both(&both, f, 0);
    struct product_call call = {
        .kind = PRODUCT_VJP,
        .on = {.points = 1, .t = &both.at.t, .x = both.x, .x_step = 2, .p = both.p, .lanes = 1, .v = v}};
    call.on.out = out;
    run_first(&both, PRODUCT_VJP);
    assert_int_equal(both.setting.by_c, 1);
    for (int k = 0; k < 1000; k++) {
        both.x[0] = 0.7 + 1e-3 * k, both.x[1] = 0.3 + 7e-4 * k;
        both.p[0] =
            fma(both.x[0], both.x[1], fma(both.x[0], both.x[0], -both.x[1])); /* a tie but for rounding */
        const bool holds = plainly(both.x, both.p);
        const sens_status wanted = holds ? SENS_OK : SENS_OUT_OF_DOMAIN;
        below += holds;
        different += holds != (both.x[0] * both.x[1] + both.x[0] * both.x[0] < both.p[0] + both.x[1]);
        assert_int_equal(both.by_c.run(both.compiled, &call), wanted);
        assert_int_equal(both.by_tape.run(both.tape, &call), wanted);
    }
    assert_in_range(below, 100, 900);
    assert_in_range(different, 100, 1000); /* rounded in another order */
    close_both(&both);
}

/* ---- wrong ------------------------------------------------------------------------------------------------- */

/* Compilers that change the text before they compile it: whatever the fault, the tape runs, and says why. */
static void test_wrong_code_is_found(void **state)
{
    static const struct {
        enum product_kind kind;
        const char *edit;
    } fault[] = {
        {PRODUCT_VJP, "s/x\\[0\\]/x[1]/"},
        {PRODUCT_VJP, "s/1\\.0 - /1.00000001 - /"},
        {PRODUCT_VJP, "s/\\* GET1(W + 1/* GET1(W + 0/"}, /* the last lane of an odd count alone */
        {PRODUCT_VJP, "s/\\* GET2(W + 1/* GET2(W + 0/"},
        {PRODUCT_JVP, "s/PUT2(OUT + 1/PUT2(OUT + 0/"},
        {PRODUCT_VJP_P, "s/) += /) = /"},
        {PRODUCT_RHS_T, "s/0\\.0/1.0/"},
        {PRODUCT_JACOBIAN, "s/OUT\\[1\\]/OUT[2]/"},
        {PRODUCT_HVP, "s/if (v->x/if (!v->x/"},
        {PRODUCT_HVP, "s/if (v->p/if (0 \\&\\& v->p/"},
    };
    struct place *place = *state;
    size_t found = 0;
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        struct both both;
        char body[512];
        snprintf(body, sizeof body, "sed -i '%s' products.c; exec gcc \"$@\"", fault[i].edit);
        fake_compiler(place, body);
        open_both(&both, vdp_graph(), 1);
        run_first(&both, fault[i].kind);
        const bool compared = strstr(both.setting.why.text, " of a product is ") ||
                              strstr(both.setting.why.text, "a product ends with ");
        if (!compared) print_error("not found: %s; %s\n", fault[i].edit, both.setting.why.text);
        found += compared && both.setting.by_tape == 1 && both.setting.by_c == 0;
        close_both(&both);
    }
    assert_int_equal(found, sizeof fault / sizeof *fault);
}

/* One that cannot be compiled, for want of a compiler that works. */
static void test_no_object(void **state)
{
    struct both both;
    fake_compiler(*state, "echo 'no licence'; exit 9");
    open_both(&both, robertson_graph(), 0);
    run_first(&both, PRODUCT_VJP);
    assert_int_equal(both.setting.by_tape, 1);
    assert_non_null(strstr(both.setting.why.text, "no licence"));
    same(&both, (struct product_call){.kind = PRODUCT_VJP}, 1); /* the tape's */
    close_both(&both);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter_place, leave_place)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_PLACE(test_right_hand_sides),
                                       IN_PLACE(test_calls),
                                       IN_PLACE(test_guards),
                                       IN_PLACE(test_ties),
                                       IN_PLACE(test_wrong_code_is_found),
                                       IN_PLACE(test_no_object)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
