/* A module's recorded part, by every compiler: each operation and branch that tests/recorded/tricks.c knows is
 * recorded as it is in double, by the same source; what cannot be recorded is refused with its line. */
#include <stdio.h>
#include <string.h>

#include "modules.h"
#include "recording_support.h"
#include "testing.h"

enum { POINTS = 1000, LAST_CASE = 31, CASES = 40, FIRST_REFUSED = 100, LAST_REFUSED = 109 };

static const char *const modules[] = {TRICKS};
enum { MODULES = sizeof modules / sizeof *modules / 2 };

struct bed {
    struct sens_ctx ctx;
    struct sens_problem pb;
    const struct recording *recording;
};

static sens_status try_create(struct bed *bed, int module, int which)
{
    const struct sens_value value = {.number = which};
    const struct sens_problem_type *type = find_problem(variant_all()[0], modules[2 * module + 1]);
    *bed = (struct bed){.ctx = {.now = NULL}};
    assert_non_null(type);
    assert_int_equal(sens_problem_create(&bed->ctx, type, &value, &bed->pb), SENS_OK);
    return recording_create(&bed->ctx, &bed->pb, NULL, &bed->recording);
}

static void create(struct bed *bed, int module, int which)
{
    if (try_create(bed, module, which) != SENS_OK) fail_msg("%s", bed->ctx.message);
}

static void point(struct random_points *random, double x[2], double *p, double *t)
{
    x[0] = 1.5 * uniform(random), x[1] = 1.5 * uniform(random);
    *p = 1.3 + 0.2 * uniform(random), *t = uniform(random);
}

/* true where the guards hold, and the graph is then the function. */
static bool compare(const struct bed *bed, const struct graph *graph, const struct sens_at *at, int which)
{
    static long double value[4096], error[4096];
    const long double x[] = {at->x[0], at->x[1]}, p[] = {at->p[0]};
    double out[2];
    assert_true(graph->n_nodes <= 4096);
    evaluate_with_error(graph, &(struct graph_point){.t = at->t, .x = x, .p = p}, value, error);
    if (!graph_guards_hold(graph, value)) return false;
    assert_int_equal(bed->pb.type->rhs(&bed->pb, at, out), SENS_OK);
    for (int i = 0; i < 2; i++) {
        const graph_node node = graph->output[i];
        if (!(fabsl(value[node] - out[i]) <= 2 * error[node]))
            fail_msg("%s case %d, output %d: %.17g, the graph says %.17g, more than %.3g off",
                     bed->pb.type->name, which, i, out[i], (double)value[node], 2 * (double)error[node]);
    }
    return true;
}

/* At each point recorded anew, and the recording of the point before looked at there. */
static void check_case(int module, int which, int *taken, int *left)
{
    struct random_points random = {(unsigned long)which};
    struct graph *before = NULL;
    struct bench_error error;
    struct bed bed;
    create(&bed, module, which);
    for (int k = 0; k < POINTS; k++) {
        double x[2], p, t;
        point(&random, x, &p, &t);
        const struct sens_at at = {t, x, &p};
        struct graph *graph = graph_create();
        if (recording_rhs(bed.recording, &at, graph, &error) != SENS_OK)
            fail_msg("%d: %s", which, error.text);
        assert_true(compare(&bed, graph, &at, which)); /* its own guards hold */
        if (before) ++*(compare(&bed, before, &at, which) ? taken : left);
        graph_destroy(before);
        before = graph;
    }
    graph_destroy(before);
    sens_arena_release(&bed.ctx.arena);
}

static void test_operations(void **state)
{
    (void)state;
    for (int module = 0; module < MODULES; module++)
        for (int which = 0; which <= LAST_CASE; which++) {
            int taken = 0, left = 0;
            check_case(module, which, &taken, &left);
            const bool branches = (which >= 19 && which <= 26) && which != 22 && which != 25;
            if (branches ? left < POINTS / 10 : left > 0) /* 22: equal, 25: NaN; neither is met here */
                fail_msg("%s case %d: guards fail at %d points, hold at %d", modules[2 * module + 1], which,
                         left, taken);
        }
}

/* Both compilers record the same operations. */
static void test_compilers_agree(void **state)
{
    struct random_points random = {7};
    struct bench_error error;
    double x[2], p, t;
    (void)state;
    point(&random, x, &p, &t);
    const struct sens_at at = {t, x, &p};
    for (int which = 0; which <= LAST_CASE; which++) {
        size_t nodes[MODULES], guards[MODULES];
        for (int module = 0; module < MODULES; module++) {
            struct bed bed;
            struct graph *graph = graph_create();
            create(&bed, module, which);
            assert_int_equal(recording_rhs(bed.recording, &at, graph, &error), SENS_OK);
            nodes[module] = graph->n_nodes, guards[module] = graph->n_guards;
            graph_destroy(graph);
            sens_arena_release(&bed.ctx.arena);
        }
        for (int module = 1; module < MODULES; module++)
            if (nodes[module] != nodes[0] || (guards[module] != guards[0] && which < 25))
                fail_msg("case %d: %zu and %zu nodes, %zu and %zu guards", which, nodes[0], nodes[module],
                         guards[0], guards[module]);
    }
}

/* What can never be recorded is refused where the instance is made, by its place in the source. */
static void test_refused(void **state)
{
    struct random_points random = {11};
    struct bench_error error;
    (void)state;
    for (int module = 0; module < MODULES; module++)
        for (int which = FIRST_REFUSED; which <= LAST_REFUSED; which++) {
            const bool infinite = which == FIRST_REFUSED + 6 || which == FIRST_REFUSED + 7;
            struct bed bed;
            double x[2], p, t;
            sens_status status = try_create(&bed, module, which);
            point(&random, x, &p, &t);
            const struct sens_at at = {t, x, &p};
            const char *text = bed.ctx.message;
            if (status == SENS_OK) {
                struct graph *graph = graph_create();
                status = recording_rhs(bed.recording, &at, graph, &error);
                text = error.text;
                graph_destroy(graph);
            }
            if (status != (infinite ? SENS_NONFINITE : SENS_UNSUPPORTED))
                fail_msg("%s case %d: %s", modules[2 * module + 1], which, sens_status_name(status));
            if (!strstr(text, which == LAST_REFUSED ? "of one source" : PLACE_IN("tricks")))
                fail_msg("case %d: %s", which, text);
            if (module == 0) print_message("%s\n", text);
            sens_arena_release(&bed.ctx.arena);
        }
}

static int load(void **state)
{
    struct bench_error error;
    (void)state;
    for (int module = 0; module < MODULES; module++)
        if (!plugin_load(modules[2 * module], &error)) fail_msg("%s", error.text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_compilers_agree),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
