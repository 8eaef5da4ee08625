/* Which samples are kept: undisturbed ones in place of disturbed ones, and all where there are too few. */
#include <math.h>

#include "samples.h"
#include "testing.h"

struct kept {
    struct sens_ctx ctx;
    struct samples samples;
};

static void start(struct kept *kept, size_t wanted)
{
    *kept = (struct kept){.samples = {.wanted = 0}};
    assert_int_equal(samples_create(&kept->ctx, wanted, &kept->samples), SENS_OK);
}

static void finish(struct kept *kept)
{
    samples_release(&kept->samples);
    sens_arena_release(&kept->ctx.arena);
}

static void keep(struct kept *kept, double seconds, bool disturbed)
{
    const struct sample sample = {{seconds, seconds / 2, seconds / 4}, disturbed};
    samples_keep(&kept->samples, &sample);
}

static void expect(struct kept *kept, size_t count, size_t disturbed, double median, double largest)
{
    struct stats stats;
    assert_int_equal(kept->samples.count, count);
    assert_int_equal(kept->samples.disturbed, disturbed);
    samples_summarise(&kept->samples, 0, &stats);
    assert_int_equal(stats.count, count);
    assert_true(stats.median == median && stats.hi == largest);
    samples_summarise(&kept->samples, 2, &stats);
    assert_true(stats.median == median / 4);
}

static void taken_again(void **state)
{
    (void)state;
    struct kept kept;
    start(&kept, 3);
    keep(&kept, 100, true);
    keep(&kept, 1, false);
    keep(&kept, 200, true);
    assert_false(samples_complete(&kept.samples));
    keep(&kept, 300, true); /* no place for more of those */
    keep(&kept, 2, false);
    assert_false(samples_complete(&kept.samples));
    expect(&kept, 3, 1, 2, kept.samples.of[2].value[0]);
    keep(&kept, 3, false);
    assert_true(samples_complete(&kept.samples));
    keep(&kept, 400, false); /* nor of these now */
    samples_settle(&kept.samples);
    expect(&kept, 3, 0, 2, 3);
    finish(&kept);
}

/* What decides is the kernel's word, not the time: a slow one that is not disturbed stays. */
static void slow_ones_stay(void **state)
{
    (void)state;
    struct kept kept;
    start(&kept, 3);
    keep(&kept, 1, false);
    keep(&kept, 1, true);
    keep(&kept, 50, false);
    keep(&kept, 60, false);
    expect(&kept, 3, 0, 50, 60);
    finish(&kept);
}

static void enough_without(void **state)
{
    (void)state;
    struct kept kept;
    start(&kept, 11);
    for (int i = 0; i < 5; i++) keep(&kept, 100, true);
    for (int i = 0; i < 5; i++) keep(&kept, 1, false);
    samples_settle(&kept.samples); /* five: no interval of 95 % */
    assert_int_equal(kept.samples.count, 10);
    assert_int_equal(kept.samples.disturbed, 5);
    keep(&kept, 1, false);
    samples_settle(&kept.samples);
    expect(&kept, 6, 0, 1, 1);
    finish(&kept);
}

static void told(void **state)
{
    (void)state;
    struct kept kept;
    struct record *rec = record_create();
    assert_non_null(rec);
    start(&kept, 2);
    samples_record(&kept.samples, rec);
    assert_true(isnan(rec->number[COL_samples_disturbed])); /* there is none */
    keep(&kept, 1, true);
    keep(&kept, 1, false);
    samples_settle(&kept.samples);
    samples_record(&kept.samples, rec);
    assert_true(rec->number[COL_samples_disturbed] == 1);
    samples_begin(&kept.samples);
    assert_false(samples_end(&kept.samples, true)); /* by the clock of another program */
    samples_record(&kept.samples, rec);
    assert_true(isnan(rec->number[COL_samples_disturbed]));
    finish(&kept);
    free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_again),
        cmocka_unit_test(slow_ones_stay),
        cmocka_unit_test(enough_without),
        cmocka_unit_test(told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
