/* What the kernel says of samples, from made-up files, and when a sample is disturbed; which cores are least busy. */
#define _GNU_SOURCE

#include <math.h>

#include "disturbance.h"
#include "folder.h"
#include "processors.h"

/* ---- the rule ------------------------------------------------------------------------------------------ */

/* One thread for a second, of which `processor` on a core. */
static struct disturbance second(double processor, double waited, double stolen, double switches)
{
    return (struct disturbance){.elapsed = 1,
                                .processor = processor,
                                .switches = switches,
                                .waited = waited,
                                .stolen = stolen,
                                .threads = 1};
}

static void two_percent(void **state)
{
    (void)state;
    struct disturbance found = second(1, 0, 0, 0);
    assert_false(is_disturbed(&found));
    found = second(0.9999, 5e-6, 0, 1); /* one preemption of some microseconds in a second */
    assert_false(is_disturbed(&found));
    found = second(0.981, 0.019, 0, 3);
    assert_false(is_disturbed(&found));
    found = second(0.979, 0, 0, 0); /* what took it away is not told */
    assert_true(is_disturbed(&found));
    found = second(1, 0, 0.03, 0); /* a host that the processor time does not know of */
    assert_true(is_disturbed(&found));
    found = second(1, 0.015, 0.01, 0);
    assert_true(is_disturbed(&found));
    found = second(1, 0, 0, 1100); /* caches to be filled again 1100 times */
    assert_true(is_disturbed(&found));
    found = second(1.0001, 0, 0, 0); /* two clocks */
    assert_true(disturbance_lost(&found) == 0);
}

static void short_samples(void **state)
{
    (void)state;
    struct disturbance found = {
        .elapsed = 1e-3, .processor = 0.995e-3, .switches = 1, .waited = 5e-6, .threads = 1};
    assert_true(is_disturbed(&found));
    found.elapsed = 1e-2;
    found.processor = found.elapsed - 5e-6;
    assert_false(is_disturbed(&found));
}

/* More threads have more processor time than there is time: their waiting counts, of the one that waited longest. */
static void several_threads(void **state)
{
    (void)state;
    struct disturbance found = {.elapsed = 1, .processor = 0.7, .waited = 0.01, .stolen = NAN, .threads = 4};
    assert_false(is_disturbed(&found));
    found.waited = 0.03;
    assert_true(is_disturbed(&found));
    found.waited = NAN;
    assert_true(isnan(disturbance_lost(&found)));
    assert_false(is_disturbed(&found));
    struct disturbance asleep = {.elapsed = 1, .processor = 0.5, .waited = 0.001, .sleeps = 1, .threads = 1};
    assert_false(is_disturbed(&asleep));
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void put_thread(int id, const char *schedstat, int processor)
{
    char name[64], text[256];
    snprintf(name, sizeof name, "self/task/%d/schedstat", id);
    folder_write(folder, name, schedstat);
    snprintf(name, sizeof name, "self/task/%d/stat", id);
    snprintf(text, sizeof text,
             "%d (a b) c) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
             "31 32 33 "
             "34 35 %d 0 0\n",
             id, processor);
    folder_write(folder, name, text);
}

static void differences(void **state)
{
    (void)state;
    struct disturbance found;
    struct disturbance_meter *meter = disturbance_create(folder);
    assert_non_null(meter);
    folder_write(folder, "stat",
                 "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 0 0 0 0 0 0 0 50 0 0\ncpu1 0 0 0 0 0 0 0 100 0 0\n"
                 "cpu2 0 0 0 0 0 0 0 7 0 0\nintr 5 cpu1\n");
    put_thread(11, "5000000000 3000000 4\n", 1);
    put_thread(12, "5000000000 9000000 4\n", 0);
    disturbance_begin(meter);
    folder_write(folder, "stat",
                 "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 0 0 0 0 0 0 0 51 0 0\ncpu1 0 0 0 0 0 0 0 103 0 0\n"
                 "cpu2 0 0 0 0 0 0 0 99 0 0\nintr 5 cpu1\n");
    put_thread(11, "6000000000 5000000 6\n", 1);
    put_thread(12, "6000000000 16000000 6\n", 0);
    put_thread(13, "1000 6000000 1\n", 0); /* new */
    disturbance_end(meter, &found);
    assert_int_equal(found.threads, 3);
    assert_true(fabs(found.waited - 6.6e-3) < 1e-12);
    assert_true(fabs(found.stolen * (double)sysconf(_SC_CLK_TCK) - 3) <
                1e-9); /* no thread was on processor 2 */
    assert_true(found.elapsed > 0 && found.processor >= 0 && found.switches >= 0);
    disturbance_free(meter);
}

/* A thread that was roused often: each time a core had to wake for it. */
static void waking(void **state)
{
    (void)state;
    struct disturbance found;
    struct disturbance_meter *meter = disturbance_create(folder);
    put_thread(11, "0 0 0\n", 1);
    put_thread(12, "5000 1000000 10\n", 0);
    disturbance_begin(meter);
    put_thread(12, "6000 1900000 20\n", 0); /* 90 us a turn */
    disturbance_end(meter, &found);
    assert_true(found.waited == 0);
    disturbance_free(meter);
}

static void not_told(void **state)
{
    (void)state;
    struct disturbance found;
    struct disturbance_meter *meter = disturbance_create("/no/such/folder");
    disturbance_begin(meter);
    disturbance_end(meter, &found);
    assert_true(isnan(found.waited) && isnan(found.stolen) && found.threads == 0);
    assert_true(isnan(disturbance_lost(&found)));
    disturbance_free(meter);
    static const char *const malformed[] = {"", "12", "12 x 3", "12 13", "x"};
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        meter = disturbance_create(folder);
        put_thread(11, malformed[i], 1);
        folder_write(folder, "self/task/11/stat", malformed[i]);
        folder_write(folder, "stat", "cpu  1 2 3\ncpu0 0 0 0 0\ncpu99999999999 1 1 1 1 1 1 1 1\ncpux\n");
        disturbance_begin(meter);
        disturbance_end(meter, &found);
        assert_true(isnan(found.waited) && isnan(found.stolen) && found.threads == 1);
        disturbance_free(meter);
    }
    disturbance_free(NULL);
}

static void idle_times(void **state)
{
    (void)state;
    struct processor_times times = {.of = NULL};
    assert_false(processor_times_read(folder, &times));
    folder_write(folder, "stat",
                 "cpu  1 2 3 4 5 6 7 8\ncpu0 9 9 9 100 20 9 9 30 9 9\ncpu2 9 9 9 1 0 9 9 0 9\nintr 1\n");
    assert_true(processor_times_read(folder, &times));
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    assert_int_equal(times.count, 3);
    assert_true(times.of[0].idle == tick * 120 && times.of[0].stolen == tick * 30);
    assert_true(isnan(times.of[1].idle)); /* switched off */
    assert_true(times.of[2].idle == tick);
    folder_write(folder, "stat", "btime 5\n");
    assert_false(processor_times_read(folder, &times));
    assert_int_equal(times.count, 0);
    processor_times_free(&times);
}

/* ---- least busy ---------------------------------------------------------------------------------------- */

static void expect_order(size_t count, const double *busy, const int *expected)
{
    int order[8];
    processors_rank(count, busy, order);
    for (size_t i = 0; i < count; i++) assert_int_equal(order[i], expected[i]);
}

static void least_busy_first(void **state)
{
    (void)state;
    expect_order(4, (double[]){0, 0, 0, 0}, (int[]){3, 2, 1, 0});
    expect_order(4, (double[]){0, 0.1, 0.05, 0.15}, (int[]){3, 2, 1, 0}); /* a tick or two */
    expect_order(4, (double[]){0.1, 0, 0.5, 1}, (int[]){1, 0, 2, 3});
    expect_order(3, (double[]){1, 1, 1}, (int[]){2, 1, 0}); /* all alike */
    expect_order(3, (double[]){0.7, 1, 1}, (int[]){0, 2, 1});
    expect_order(3, (double[]){2, 1, NAN},
                 (int[]){1, 0, 2}); /* two processors of a core; one that is not told */
    expect_order(2, (double[]){NAN, NAN}, (int[]){1, 0});
    expect_order(1, (double[]){0.3}, (int[]){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_percent),
        cmocka_unit_test(short_samples),
        cmocka_unit_test(several_threads),
        cmocka_unit_test_setup_teardown(differences, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(waking, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(not_told, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(idle_times, folder_setup, folder_teardown),
        cmocka_unit_test(least_busy_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
