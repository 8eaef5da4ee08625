/* Every problem and every cost of the tree, recorded at random points: the graph is the function, at other
 * points too, and says where it is not. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "modules.h"
#include "recording_support.h"
#include "testing.h"

enum { RECORDINGS = 3, POINTS = 400, KEYS = 3 };

static const struct setting {
    const char *problem;
    const char *key[KEYS];
    double value[KEYS];
} settings[] = {
    {"glv", {"n"}, {1}},
    {"glv", {"n"}, {4}},
    {"glv", {"n"}, {8}},
    {"glv", {"n"}, {9}},
    {"glv", {"n", "seed"}, {21, 5}},
    {"glv", {"n", "kind"}, {6, 1}},
    {"vdp", {"form"}, {0}},
    {"vdp", {"form", "initial", "eps"}, {1, 1, 0.05}},
    {"vdp", {"initial"}, {1}},
    {"chain", {"n"}, {1}},
    {"chain", {"n"}, {40}},
    {"heat", {"n"}, {2}},
    {"heat", {"n"}, {7}},
    {"conduction", {"n"}, {2}},
    {"conduction", {"n"}, {9}},
    {"conduction", {"n", "kind"}, {12, 1}},
};

struct bed {
    struct sens_ctx ctx;
    const struct sens_registry *reg;
    struct sens_problem pb;
    struct random_points random;
    long compared, elsewhere; /* points where the guards held, and did not */
};

static void create(struct bed *bed, const struct sens_problem_type *type, const struct setting *setting)
{
    struct sens_value value[16];
    sens_option_defaults(type->options, value);
    for (int k = 0; setting && k < KEYS && setting->key[k]; k++) {
        const int option = sens_option_find(type->options, setting->key[k]);
        if (option < 0) fail_msg("problem %s has no option %s", type->name, setting->key[k]);
        value[option].number = setting->value[k];
    }
    assert_int_equal(sens_problem_create(&bed->ctx, type, value, &bed->pb), SENS_OK);
}

/* Around the nominal point: within what all problems of the tree are defined for. */
static struct sens_at point(struct bed *bed)
{
    const size_t n = bed->pb.n, np = bed->pb.np;
    double *x = SENS_NEW(&bed->ctx, double, n), *p = SENS_NEW(&bed->ctx, double, np);
    assert_true(x && p);
    for (size_t i = 0; i < n; i++)
        x[i] = bed->pb.x0[i] * (1 + 0.3 * uniform(&bed->random)) + 0.1 * uniform(&bed->random);
    for (size_t k = 0; k < np; k++) p[k] = bed->pb.p[k] * (1 + 0.3 * uniform(&bed->random));
    return (struct sens_at){bed->pb.t0 + (bed->pb.t1 - bed->pb.t0) * (1 + uniform(&bed->random)) / 2, x, p};
}

struct function { /* of the problem, or of a cost */
    const char *name;
    const struct sens_cost *cost;
    size_t j, outputs;
};

static sens_status record(const struct function *f, const struct recording *made, const struct sens_at *at,
                          struct graph *graph, struct bench_error *error)
{
    if (strcmp(f->name, "rhs") == 0) return recording_rhs(made, at, graph, error);
    if (strcmp(f->name, "x0") == 0) return recording_x0(made, at->p, graph, error);
    if (strcmp(f->name, "g") == 0) return recording_g(made, at, graph, error);
    return recording_phi(made, f->j, at->x, at->p, graph, error);
}

static sens_status in_double(struct bed *bed, const struct function *f, const struct sens_at *at, double *out)
{
    memset(out, 0, f->outputs * sizeof *out);
    if (strcmp(f->name, "rhs") == 0) return bed->pb.type->rhs(&bed->pb, at, out);
    if (strcmp(f->name, "x0") == 0)
        sens_problem_x0(&bed->pb, at->p, out);
    else if (strcmp(f->name, "g") == 0)
        f->cost->type->g(f->cost, at, 1, out);
    else
        f->cost->type->phi(f->cost, f->j, at->x, at->p, out);
    return SENS_OK;
}

static void widen(size_t count, const double *from, long double *to)
{
    for (size_t i = 0; i < count; i++) to[i] = from[i];
}

static void compare_at(struct bed *bed, const struct function *f, const struct graph *graph,
                       const struct sens_at *at)
{
    long double *x = SENS_NEW(&bed->ctx, long double, bed->pb.n),
                *p = SENS_NEW(&bed->ctx, long double, bed->pb.np),
                *value = SENS_NEW(&bed->ctx, long double, graph->n_nodes),
                *error = SENS_NEW(&bed->ctx, long double, graph->n_nodes);
    double *out = SENS_NEW(&bed->ctx, double, f->outputs);
    assert_true(x && p && value && error && out);
    widen(bed->pb.n, at->x, x), widen(bed->pb.np, at->p, p);
    evaluate_with_error(graph, &(struct graph_point){.t = at->t, .x = x, .p = p}, value, error);
    const bool here = graph_guards_hold(graph, value);
    ++*(here ? &bed->compared : &bed->elsewhere);
    if (!here || in_double(bed, f, at, out) != SENS_OK) return;
    for (size_t i = 0; i < f->outputs; i++) {
        const graph_node node = graph->output[i];
        if (!(fabsl(value[node] - out[i]) <= 2 * error[node]))
            fail_msg("%s %s: output %zu is %.17g, the graph says %.17g, more than %.3g off",
                     bed->pb.type->name, f->name, i, out[i], (double)value[node], 2 * (double)error[node]);
    }
}

static void check_function(struct bed *bed, const struct function *f, const struct recording *made)
{
    for (int recording = 0; recording < RECORDINGS; recording++) {
        const struct sens_arena_mark mark = sens_arena_mark(&bed->ctx.arena);
        struct graph *graph = graph_create();
        struct bench_error error;
        const struct sens_at at = point(bed);
        if (record(f, made, &at, graph, &error) != SENS_OK)
            fail_msg("%s %s: %s", bed->pb.type->name, f->name, error.text);
        assert_int_equal(graph->n_outputs, f->outputs);
        compare_at(bed, f, graph, &at);
        for (int k = 0; k < POINTS; k++) {
            const struct sens_arena_mark inner = sens_arena_mark(&bed->ctx.arena);
            const struct sens_at other = point(bed);
            compare_at(bed, f, graph, &other);
            sens_arena_rewind(&bed->ctx.arena, inner);
        }
        graph_destroy(graph);
        sens_arena_rewind(&bed->ctx.arena, mark);
    }
}

static void check_cost(struct bed *bed, const struct sens_cost_type *type)
{
    struct sens_value value[16];
    struct sens_cost cost;
    const struct recording *made;
    sens_option_defaults(type->options, value);
    if (sens_cost_create(&bed->ctx, type, value, &bed->pb, &cost) != SENS_OK) return;
    if (recording_create(&bed->ctx, &bed->pb, &cost, &made) != SENS_OK) fail_msg("%s", bed->ctx.message);
    for (size_t j = 0; j < cost.n_obs; j += 3)
        check_function(bed, &(struct function){"phi", &cost, j, cost.m}, made);
    if (type->g) check_function(bed, &(struct function){"g", &cost, 0, cost.m}, made);
}

static void check_problem(struct bed *bed, const struct sens_problem_type *type,
                          const struct setting *setting)
{
    const struct sens_arena_mark mark = sens_arena_mark(&bed->ctx.arena);
    const struct recording *made;
    create(bed, type, setting);
    if (recording_create(&bed->ctx, &bed->pb, NULL, &made) != SENS_OK) fail_msg("%s", bed->ctx.message);
    check_function(bed, &(struct function){"rhs", NULL, 0, bed->pb.n}, made);
    check_function(bed, &(struct function){"x0", NULL, 0, bed->pb.n}, made);
    for (size_t i = 0; bed->reg->costs[i]; i++) check_cost(bed, bed->reg->costs[i]);
    sens_arena_rewind(&bed->ctx.arena, mark);
}

static void test_every_problem(void **state)
{
    struct bed bed = {.reg = variant_all()[0], .random = {1}};
    (void)state;
    for (size_t i = 0; bed.reg->problems[i]; i++) check_problem(&bed, bed.reg->problems[i], NULL);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        check_problem(&bed, find_problem(bed.reg, settings[i].problem), &settings[i]);
    print_message("%ld points compared, at %ld another branch is taken\n", bed.compared, bed.elsewhere);
    assert_true(bed.compared > 100 * bed.elsewhere);
    sens_arena_release(&bed.ctx.arena);
}

/* A parameter is an input even where it is 0, and so is an initial value. */
static void test_nothing_is_folded(void **state)
{
    struct bed bed = {.reg = variant_all()[0]};
    const struct recording *made;
    struct bench_error error;
    (void)state;
    create(&bed, find_problem(bed.reg, "glv"), &(struct setting){"glv", {"n"}, {10}});
    assert_int_equal(recording_create(&bed.ctx, &bed.pb, NULL, &made), SENS_OK);
    const double zero[110] = {0};
    struct graph *graph = graph_create();
    const struct sens_at at = {0, zero, zero};
    assert_int_equal(recording_rhs(made, &at, graph, &error), SENS_OK);
    size_t products = 0, inputs = 0;
    for (size_t k = 0; k < graph->n_nodes; k++) {
        products += graph->node[k].op == GRAPH_MUL;
        inputs += graph->node[k].op == GRAPH_P;
    }
    assert_int_equal(inputs, 110);
    assert_int_equal(products, 110); /* A_ij x_j, and x_i g_i */
    assert_int_equal(graph->n_guards, 0);
    graph_destroy(graph);
    sens_arena_release(&bed.ctx.arena);
}

static void test_what_cannot_be_recorded(void **state)
{
    struct bed bed = {.reg = variant_all()[0]};
    const struct recording *made;
    struct bench_error error;
    (void)state;
    create(&bed, find_problem(bed.reg, "arenstorf"), NULL);
    assert_int_equal(recording_create(&bed.ctx, &bed.pb, NULL, &made), SENS_OK);
    const double infinite[] = {INFINITY, 0, 0, 0};
    struct graph *graph = graph_create();
    const struct sens_at at = {0, infinite, bed.pb.p};
    assert_int_equal(recording_rhs(made, &at, graph, &error), SENS_NONFINITE);
    assert_non_null(strstr(error.text, PLACE_IN("arenstorf")));
    print_message("%s\n", error.text);
    graph_destroy(graph);
    struct sens_problem decorated = bed.pb;
    decorated.inner = &bed.pb;
    assert_int_equal(recording_create(&bed.ctx, &decorated, NULL, &made), SENS_UNSUPPORTED);
    bed.ctx.arena.limit = bed.ctx.arena.bytes;
    assert_int_equal(recording_create(&bed.ctx, &bed.pb, NULL, &made), SENS_NO_MEMORY);
    sens_arena_release(&bed.ctx.arena);
}

/* Threads record the same instance at once, and fail at once, each on its own. */
enum { THREADS = 4, TIMES = 30 };

struct worker {
    pthread_t thread;
    const struct recording *recording;
    struct sens_at good, bad;
    uint64_t sum; /* of all words of the graphs */
    int failures;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct bench_error error;
    for (int k = 0; k < TIMES; k++) {
        struct graph *graph = graph_create(), *none = graph_create();
        if (!graph || !none || recording_rhs(worker->recording, &worker->good, graph, &error) != SENS_OK ||
            recording_rhs(worker->recording, &worker->bad, none, &error) != SENS_NONFINITE)
            worker->failures++;
        for (size_t i = 0; graph && i < graph->n_nodes; i++)
            worker->sum = worker->sum * 31 + graph->node[i].op + graph->node[i].a + 7 * graph->node[i].b;
        graph_destroy(graph);
        graph_destroy(none);
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct bed bed = {.reg = variant_all()[0], .random = {3}};
    const struct recording *made;
    struct worker worker[THREADS];
    (void)state;
    create(&bed, find_problem(bed.reg, "glv"), &(struct setting){"glv", {"n"}, {12}});
    assert_int_equal(recording_create(&bed.ctx, &bed.pb, NULL, &made), SENS_OK);
    double infinite[12] = {INFINITY};
    for (int k = 0; k < THREADS; k++) {
        worker[k] = (struct worker){.recording = made, .good = point(&bed), .bad = {0, infinite, bed.pb.p}};
        assert_int_equal(pthread_create(&worker[k].thread, NULL, work, &worker[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(worker[k].thread, NULL);
        assert_int_equal(worker[k].failures, 0);
        assert_true(worker[k].sum == worker[0].sum);
    }
    sens_arena_release(&bed.ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_problem),
        cmocka_unit_test(test_nothing_is_folded),
        cmocka_unit_test(test_what_cannot_be_recorded),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
