/* The loops that rates are measured with do what is counted, the rates are told and read back, and threads go
 * where they are bound. */
#define _GNU_SOURCE

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "modules.h"
#include "testing.h"

#include "peak.h"
#include "seconds.h"
#include "vector.h"

enum { COUNT = 512 };

static const struct sens_peak *loops_of(size_t i)
{
    const struct sens_registry *const *all = variant_all();
    return all[i] && variant_supported(all[i]) ? all[i]->peak : NULL;
}

/* From every number of the arrays, and to every one: bytes that are counted are moved. */
static void loops_touch_all(void **state)
{
    (void)state;
    double *a = aligned_alloc(64, 3 * COUNT * sizeof *a), *b = a + COUNT, *c = b + COUNT;
    assert_non_null(a);
    const struct sens_peak *loops;
    for (size_t v = 0; (loops = loops_of(v)); v++) {
        double sum = 0;
        assert_int_equal(COUNT % loops->block, 0);
        for (int i = 0; i < COUNT; i++) b[i] = i * i + 1, c[i] = 3 * i, sum += b[i];
        assert_true(loops->read(5, COUNT, b) == 5 * sum); /* whole numbers: exact in any order */
        loops->copy(1, COUNT, a, b);
        assert_memory_equal(a, b, COUNT * sizeof *a);
        loops->triad(2, COUNT, a, b, c, 0.5);
        for (int i = 0; i < COUNT; i++) assert_true(a[i] == b[i] + 0.5 * c[i]);
        loops->write(1, COUNT, a, 7);
        for (int i = 0; i < COUNT; i++) assert_true(a[i] == 7);
        for (int i = 0; i < COUNT; i++) assert_true(b[i] == i * i + 1 && c[i] == 3 * i);
    }
    free(a);
}

/* Every one of 14 chains, from b + i, takes every step x <- a x + b: with a = 1 and b = 1 the sum grows by
 * one for each number, with b = 0 it is multiplied. Without a fused operation the even chains add and the odd
 * ones multiply. The operations that are counted are twice the numbers, or once. */
static void fma_does_its_steps(void **state)
{
    (void)state;
    static const size_t width[] = {2, 4, 8}; /* baseline, avx2, avx512 */
    const struct sens_peak *loops;
    for (size_t v = 0; (loops = loops_of(v)); v++) {
        const double chain = (double)width[v], even = 7 * chain, odd = 7 * chain; /* numbers */
        const double start = loops->fma(0, 1, 1);
        assert_true(loops->flops == (v == 0 ? 1 : 2) * (even + odd));
        assert_true(start == (even + odd) * (1 + 13 / 2.0)); /* the mean of b + i, i < 14 */
        for (size_t passes = 1; passes < 9; passes++)
            assert_true(loops->fma(passes, 1, 1) == start + (double)passes * (v == 0 ? even : even + odd));
        const double evens = even * 6, odds = odd * 7; /* 0 2 ... 12, and 1 3 ... 13 */
        assert_true(loops->fma(2, 3, 0) == (v == 0 ? evens : 9 * evens) + 9 * odds);
    }
}

/* The rate is of all passes of all threads, and of nothing else. */
static void rates_are_work_by_time(void **state)
{
    (void)state;
    const struct sens_registry *const *all = variant_all();
    for (int threads = 1; threads <= 3; threads += 2) {
        double rate[3];
        size_t passes = 0;
        const struct peak_loop loop = {
            .loops = all[0]->peak, .kind = PEAK_FMA, .threads = threads, .samples = 3, .seconds = 1e-3};
        const double start = seconds_now();
        assert_true(peak_loop_run(&loop, rate, &passes));
        const double whole = seconds_now() - start;
        const double work = (double)passes * threads * all[0]->peak->flops / 1e9;
        double seconds = 0;
        for (int i = 0; i < 3; i++) assert_true(rate[i] > 0 && isfinite(rate[i]));
        for (int i = 0; i < 3; i++) seconds += work / rate[i];
        for (int i = 0; i < 3; i++) assert_true(work / rate[i] > 0.999e-3); /* as long as was asked for */
        assert_true(seconds <= whole); /* the samples are a part of the call */
    }
    struct peak_loop copy = {.loops = all[0]->peak, .kind = PEAK_COPY, .bytes = 16384};
    assert_true(peak_loop_work(&copy) == 16384);
    copy.kind = PEAK_TRIAD, copy.bytes = 3 * 512 * 7 + 100;
    assert_true(peak_loop_work(&copy) == 3 * 512 * 7);
    copy.bytes = 1;
    assert_true(peak_loop_work(&copy) == 3 * 512);
    assert_true(peak_fma(all[0], 2, NULL) > 0);
}

static void told(void **state)
{
    (void)state;
    const struct peak_rate rate = {"triad", "avx512", "DRAM", 64, (size_t)5 << 32, 21, 123.45, 0.5, 1e3};
    char text[256] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    peak_write(file, &rate);
    fclose(file);
    assert_string_equal(text, "what=triad isa=avx512 level=DRAM threads=64 bytes=21474836480 samples=21 "
                              "median=123.45 min=0.5 max=1000");
}

/* The fma of every instruction set, on one core and on all. */
static void every_rate(void **state)
{
    (void)state;
    static struct peak peak;
    struct bench_error error = {.text = ""};
    if (!peak_measure(true, &peak, &error)) fail_msg("%s", error.text);
    size_t fma = 0, supported = 0;
    for (size_t i = 0; i < peak.count; i++) {
        const struct peak_rate *rate = &peak.rate[i];
        assert_true(rate->min > 0 && rate->min <= rate->median && rate->median <= rate->max);
        assert_true(isfinite(rate->max) && rate->samples > 1);
        assert_true(rate->threads == 1 || rate->threads == machine_cores());
        fma += strcmp(rate->what, "fma") == 0;
    }
    while (loops_of(supported)) supported++;
    assert_int_equal(fma, supported * (machine_cores() > 1 ? 2 : 1));
}

/* ---- cores --------------------------------------------------------------------------------------------- */

struct place {
    int worker;
    cpu_set_t set;
};

static void *look_where(void *argument)
{
    struct place *place = argument;
    machine_bind(place->worker);
    pthread_getaffinity_np(pthread_self(), sizeof place->set, &place->set);
    return NULL;
}

static void find_place(int worker, struct place *place)
{
    pthread_t thread;
    place->worker = worker;
    assert_int_equal(pthread_create(&thread, NULL, look_where, place), 0);
    pthread_join(thread, NULL);
}

/* Workers have cores of their own, in turn; who starts them stays where it was. */
static void workers_are_bound(void **state)
{
    (void)state;
    struct sens_ctx ctx = {.now = NULL};
    machine_prepare(&ctx, true);
    assert_true(ctx.cores >= 1 && ctx.bind == machine_bind && ctx.now == seconds_now);
    struct place own, again, *place = calloc((size_t)ctx.cores, sizeof *place);
    assert_non_null(place);
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof own.set, &own.set), 0);
    for (int w = 0; w < ctx.cores; w++) find_place(w, &place[w]);
    for (int w = 0; w < ctx.cores; w++) {
        cpu_set_t both;
        CPU_AND(&both, &place[w].set, &own.set);
        assert_true(CPU_COUNT(&place[w].set) > 0 &&
                    CPU_EQUAL(&both, &place[w].set)); /* of those it may use */
        for (int other = 0; other < w; other++) {
            CPU_AND(&both, &place[w].set, &place[other].set);
            assert_int_equal(CPU_COUNT(&both), 0);
        }
    }
    int turn = ctx.cores; /* there may be more cores, which a quota does not feed */
    for (find_place(turn, &again); !CPU_EQUAL(&place[0].set, &again.set) && turn < CPU_SETSIZE;)
        find_place(++turn, &again);
    assert_true(CPU_EQUAL(&place[0].set, &again.set));
    cpu_set_t after;
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&own.set, &after));
    free(place);
    machine_prepare(&ctx, false);
    assert_null(ctx.bind);
}

/* A wider vector has to do more, be it in place of the narrowest. */
static void full_rate(void **state)
{
    (void)state;
    const size_t bytes[] = {16, 32, 64};
    assert_int_equal(vector_at_full_rate(3, bytes, (const double[]){10, 50, 100}), 64);
    assert_int_equal(vector_at_full_rate(3, bytes, (const double[]){10, 50, 75}), 64); /* a lower clock */
    assert_int_equal(vector_at_full_rate(3, bytes, (const double[]){10, 50, 51}), 32); /* in halves */
    assert_int_equal(vector_at_full_rate(3, bytes, (const double[]){10, 11, 19}), 64);
    assert_int_equal(vector_at_full_rate(3, bytes, (const double[]){10, 11, 12}), 16);
    assert_int_equal(vector_at_full_rate(1, bytes, (const double[]){10}), 16);
    assert_int_equal(vector_at_full_rate(0, bytes, NULL), 0);
}

/* Seconds that tries are made to take: loop i has length[i], disturbed for the first `bad` tries. */
struct tries {
    double length[2], factor;
    int bad, count;
};

static double next_try(void *data, size_t i)
{
    struct tries *tries = data;
    const int at = tries->count++;
    const double drift = 1 + at; /* no two disturbed tries agree */
    return tries->length[i] * (at < tries->bad ? tries->factor * drift : 1);
}

/* However long the beginning is disturbed, the undisturbed time is found; without disturbance nine rounds do. */
static void shortest_settles(void **state)
{
    (void)state;
    double shortest[2];
    struct tries quiet = {{2, 3}, 1, 0, 0};
    vector_shortest(2, next_try, &quiet, shortest);
    assert_true(shortest[0] == 2 && shortest[1] == 3 && quiet.count == 2 * 9);
    struct tries late = {{2, 3}, 4, 102, 0}; /* 51 rounds of them, and two more */
    vector_shortest(2, next_try, &late, shortest);
    assert_true(shortest[0] == 2 && shortest[1] == 3 && late.count == 2 * 53);
    struct tries lucky = {{2, 3}, 0.1, 1, 0}; /* one try that no other comes near: all rounds are made */
    vector_shortest(2, next_try, &lucky, shortest);
    assert_true(shortest[1] == 3 && lucky.count == 2 * 400);
    vector_shortest(0, next_try, NULL, NULL);
}

/* One that this machine can run. What timing finds may differ from call to call: it is found once, and every
 * method is told the same. */
static void told_to_methods(void **state)
{
    (void)state;
    struct sens_ctx ctx = {.now = NULL}, again = ctx;
    machine_prepare(&ctx, false);
    machine_prepare(&again, false);
    assert_int_equal(ctx.vector, again.vector);
    bool told = false, found = false;
    const size_t anew = vector_find();
    const struct sens_peak *loops;
    for (size_t v = 0; (loops = loops_of(v)); v++) {
        told = told || loops->vector == ctx.vector;
        found = found || loops->vector == anew;
    }
    assert_true(told && found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_touch_all),
        cmocka_unit_test(fma_does_its_steps),
        cmocka_unit_test(rates_are_work_by_time),
        cmocka_unit_test(told),
        cmocka_unit_test(every_rate),
        cmocka_unit_test(full_rate),
        cmocka_unit_test(shortest_settles),
        cmocka_unit_test(told_to_methods),
        cmocka_unit_test(workers_are_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
