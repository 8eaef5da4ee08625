/* derive/provider/paths: recordings by their guards, new ones where none of these hold, several threads at a time. */
#include "paths.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "modules.h"
#include "products.h"

/* f(x) = p (k + 1) x^2 for k <= x < k + 1, k = ..., -1, 0, 1, ...: a recording by its two comparisons. Not finite
 * from 1000 on. At ROUNDED the recorder takes the branch below, as rounding may have it at an edge. */
static const double ROUNDED = 500;
static sens_status record_stairs(const void *source, const struct sens_at *at, struct graph *g,
                                 struct bench_error *error)
{
    if (source) nanosleep(source, NULL); /* time for others to ask for the same */
    if (!(fabs(at->x[0]) < 1000)) {
        bench_refuse(error, "not finite");
        return SENS_NONFINITE;
    }
    const double k = floor(at->x[0]) - (at->x[0] == ROUNDED ? 1 : 0);
    const graph_node x = graph_leaf(g, GRAPH_X, 0), p = graph_leaf(g, GRAPH_P, 0);
    graph_add_guard(g, GRAPH_IS_LESS, x, graph_constant(g, k), false);
    graph_add_guard(g, GRAPH_IS_LESS, x, graph_constant(g, k + 1), true);
    const graph_node square = graph_apply(g, GRAPH_MUL, x, x, 0);
    graph_add_output(
        g, graph_apply(g, GRAPH_MUL, graph_apply(g, GRAPH_MUL, p, graph_constant(g, k + 1), 0), square, 0));
    return graph_status(g);
}

static double wanted(double x, double p, double w)
{
    return w * p * (floor(x) + 1) * 2 * x;
}

static void start(struct paths *paths, int threads)
{
    const double x = 0.5, p = 1;
    const struct sens_at at = {0, &x, &p};
    struct bench_error error;
    *paths = (struct paths){.record = record_stairs,
                            .shape = {.outputs = 1, .n = 1, .np = 1, .threads = threads},
                            .maker = tape_engine(variant_all()[0]->tape, NULL)};
    assert_int_equal(paths_create(paths, &at, &error), SENS_OK);
}

/* The transposed product at x with w: NAN where there is none. */
static double product(struct paths *paths, double x, double p, double w)
{
    const double t = 0;
    double out = (double)NAN;
    const struct product_call call = {
        .kind = PRODUCT_VJP,
        .on = {.points = 1, .t = &t, .x = &x, .x_step = 1, .p = &p, .lanes = 1, .v = &w, .out = &out}};
    return paths_run(paths, &call) == SENS_OK ? out : (double)NAN;
}

static void test_a_recording_a_path(void **state)
{
    struct paths paths;
    (void)state;
    start(&paths, 1);
    for (int round = 0; round < 3; round++)
        for (int k = -3; k < 3; k++) {
            const double x = k + 0.25 * (round + 1);
            assert_true(product(&paths, x, 2, 3) == wanted(x, 2, 3));
        }
    assert_int_equal(atomic_load(&paths.n_recorded), 6);
    assert_true(product(&paths, 1, 2, 3) == wanted(1, 2, 3)); /* on an edge */
    assert_int_equal(atomic_load(&paths.n_recorded), 6);
    paths_destroy(&paths);
}

/* More paths than are kept: still right, recorded each time. */
static void test_many_paths(void **state)
{
    struct paths paths;
    (void)state;
    start(&paths, 1);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 2 * PATHS_KEPT; k++)
            assert_true(product(&paths, k + 0.5, 1, 1) == wanted(k + 0.5, 1, 1));
    assert_int_equal(paths.n_kept, PATHS_KEPT);
    assert_int_equal(atomic_load(&paths.n_recorded), PATHS_KEPT + 2 * PATHS_KEPT);
    paths_destroy(&paths);
}

static void test_where_nothing_can_be_recorded(void **state)
{
    struct paths paths;
    struct bench_error error;
    const double far = 2000, p = 1;
    const struct sens_at at = {0, &far, &p};
    (void)state;
    start(&paths, 1);
    assert_true(isnan(product(&paths, far, 1, 1)));
    assert_true(isnan(product(&paths, (double)NAN, 1, 1)));
    assert_true(product(&paths, 0.5, 1, 1) == wanted(0.5, 1, 1));
    paths_destroy(&paths);
    struct paths none = {.record = record_stairs,
                         .shape = {.outputs = 1, .n = 1, .np = 1, .threads = 1},
                         .maker = tape_engine(variant_all()[0]->tape, NULL)};
    assert_int_equal(paths_create(&none, &at, &error), SENS_NONFINITE);
    assert_string_equal(error.text, "not finite");
}

/* What was recorded at a point is taken there, though its own guard says otherwise. */
static void test_rounded_edge(void **state)
{
    struct paths paths;
    (void)state;
    start(&paths, 1);
    assert_true(product(&paths, ROUNDED, 1, 1) == 500 * 2 * 500.0);
    assert_true(product(&paths, ROUNDED, 1, 1) == 500 * 2 * 500.0);
    assert_true(product(&paths, ROUNDED - 0.5, 1, 1) == 500 * 2 * 499.5);
    paths_destroy(&paths);
}

/* A batch of points on several paths is the sum of what each gives; with one that cannot be recorded there is no
 * result. */
static void test_batches(void **state)
{
    struct paths paths;
    double t[4] = {0}, x[4] = {0.5, 1.5, -0.5, 0.25}, w[4] = {1, 2, 3, 4}, p = 2, mu = 10, sum = 10;
    struct product_call call = {
        .kind = PRODUCT_VJP_P,
        .on = {
            .points = 4, .t = t, .x = x, .x_step = 1, .p = &p, .lanes = 1, .v = w, .v_step = 1, .sum = &mu}};
    (void)state;
    start(&paths, 1);
    for (int k = 0; k < 4; k++) sum += w[k] * (floor(x[k]) + 1) * x[k] * x[k];
    assert_int_equal(paths_run(&paths, &call), SENS_OK);
    assert_true(mu == sum);
    x[2] = 2000;
    assert_int_not_equal(paths_run(&paths, &call), SENS_OK);
    paths_destroy(&paths);
}

/* ---- a function that becomes another one ------------------------------------------------------------------- */

/* The stairs in double; above 3 it is another function than was recorded, and at ROUNDED the branch above. */
static size_t n_computed;
static sens_status compute_stairs(const void *of, const struct sens_at *at, double *dx)
{
    (void)of;
    n_computed++;
    dx[0] = at->p[0] * (floor(at->x[0]) + 1) * at->x[0] * at->x[0] * (at->x[0] > 3 && at->x[0] < 4 ? 2 : 1);
    return at->x[0] < -3 ? SENS_OUT_OF_DOMAIN : SENS_OK;
}

static void test_another_function(void **state)
{
    static const struct watched stairs = {"problem", "stairs", "f", 1, 1, 1, compute_stairs, NULL};
    struct paths paths;
    (void)state;
    start(&paths, 1);
    paths.watch.function = &stairs;
    n_computed = 0;
    for (int k = 0; k < 500; k++) assert_true(product(&paths, 2.5, 2, 3) == wanted(2.5, 2, 3));
    assert_in_range(n_computed, 8, 60); /* 1, 2, ..., 8, then an eighth more each */
    for (int k = 0; k < 500; k++) assert_true(product(&paths, 2.5, 2, 3) == wanted(2.5, 2, 3));
    assert_in_range(n_computed, 8, 62); /* from 512 on as many again */
    for (int k = 0; k < 200; k++)
        assert_true(product(&paths, -5, 1, 1) == wanted(-5, 1, 1)); /* f is not defined there */
    for (int k = 0; k < 200; k++) assert_true(product(&paths, ROUNDED, 1, 1) == 500 * 2 * 500.0);
    assert_null(watch_reason(&paths.watch));
    int calls = 0;
    while (!isnan(product(&paths, 3.5, 1, 1)) && calls < 2000) calls++;
    assert_in_range(calls, 0, 1400 + 1);
    assert_non_null(
        strstr(watch_reason(&paths.watch), "problem stairs: at t = 0 f[0] is 98, and 49 by its recording"));
    assert_true(isnan(product(&paths, 2.5, 2, 3))); /* nor is any other product right */
    paths_destroy(&paths);
}

/* ---- threads --------------------------------------------------------------------------------------------- */

enum { THREADS = 4, CALLS = 5000, STAIRS = 40, LANES = 16 };

struct worker {
    struct paths *paths;
    pthread_barrier_t *together;
    unsigned long state;
    int wrong;
};

static int wrong_lanes(struct paths *paths, double x)
{
    const double t = 0, p = 1;
    double w[LANES], out[LANES];
    int wrong = 0;
    for (int l = 0; l < LANES; l++) w[l] = l + x;
    const struct product_call call = {
        .kind = PRODUCT_VJP,
        .on = {.points = 1, .t = &t, .x = &x, .x_step = 1, .p = &p, .lanes = LANES, .v = w, .out = out}};
    if (paths_run(paths, &call) != SENS_OK) return LANES;
    for (int l = 0; l < LANES; l++) wrong += !(fabs(out[l] - wanted(x, p, w[l])) <= 1e-12 * fabs(out[l]));
    return wrong;
}

/* First all come to each new path at once, then each goes its own way. */
static void *work(void *object)
{
    struct worker *me = object;
    for (int k = 0; k < STAIRS; k++) {
        pthread_barrier_wait(me->together);
        me->wrong += wrong_lanes(me->paths, k + 0.5);
    }
    for (int k = 0; k < CALLS; k++) {
        me->state = me->state * 6364136223846793005UL + 1442695040888963407UL;
        me->wrong += wrong_lanes(me->paths, (double)(me->state >> 40) / (double)(1ul << 24) * STAIRS);
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct paths paths;
    struct worker worker[THREADS];
    pthread_t thread[THREADS];
    pthread_barrier_t together;
    (void)state;
    const struct timespec pause = {0, 300000};
    start(&paths, 2); /* fewer rooms than threads */
    paths.source = &pause;
    assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (size_t k = 0; k < THREADS; k++) {
        worker[k] = (struct worker){&paths, &together, k + 1, 0};
        assert_int_equal(pthread_create(&thread[k], NULL, work, &worker[k]), 0);
    }
    for (size_t k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(worker[k].wrong, 0);
    }
    assert_int_equal(atomic_load(&paths.n_recorded), STAIRS); /* no path twice */
    pthread_barrier_destroy(&together);
    paths_destroy(&paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_recording_a_path),
        cmocka_unit_test(test_many_paths),
        cmocka_unit_test(test_where_nothing_can_be_recorded),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_another_function),
        cmocka_unit_test(test_rounded_edge),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
