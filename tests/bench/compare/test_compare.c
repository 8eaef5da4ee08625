/* Contenders that take turns: one at a time, each once a round, in an order that is drawn anew; the failure
 * of one leaves the others alone; quotients are of samples of the same round. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"
#include "process.h"
#include "testing.h"

/* ---- subjects of the test ------------------------------------------------------------------------------ */

enum mischief {
    HONEST,
    UNAVAILABLE,
    NOT_READY,
    DIES_AT_ONCE,
    DIES_LATER,
    HANGS,
    FAILS_LATER,
    FULL,
    INTERRUPTS,
    OUT_OF_REACH
};

struct fake {
    enum mischief mischief;
    int id;
    double factor; /* its time is this times that of the round */
    int samples;   /* given so far, in its process */
    int rung;      /* of the tolerance; 0: not known */
};

enum { LOG = 1000, CONTENDERS = 4, FAILS_AT = 3 /* rounds from 0 */ };
/* What happened, by all processes: id + 1 when a sample begins, -(id + 1) when it ends. */
static struct happenings {
    volatile int count, released, calibrated, entry[LOG];
} * happened;

static void note(int entry)
{
    if (happened->count < LOG)
        happened->entry[happened->count++] = entry; /* one at a time, or the test fails */
}

/* The machine as seen by the contender that comes first, second ... in a round: slow for whole rounds. */
static double round_seconds(int round)
{
    return round % 3 == 1 ? 4.0 : round % 3 == 2 ? 0.5 : 1.0;
}

static sens_status describe(void *self, struct record *rec, char message[COMPARE_TEXT])
{
    const struct fake *fake = self;
    record_set_status(rec, SENS_OK, "");
    rec->number[COL_n] = 7;
    if (fake->mischief != UNAVAILABLE) return SENS_OK;
    snprintf(message, COMPARE_TEXT, "not here");
    return SENS_UNAVAILABLE;
}

/* Contender i finds rung 20 + i, with the error 2^-i, once for all its processes. */
static sens_status calibrate(void *self, struct calibration *found, char message[COMPARE_TEXT])
{
    struct fake *fake = self;
    *found = (struct calibration){.rung = fake->rung};
    if (fake->rung) return SENS_OK;
    happened->calibrated++;
    *found = (struct calibration){20 + fake->id, ldexp(1, -fake->id), ldexp(0.5, -fake->id), 40, 9, false};
    if (fake->mischief != OUT_OF_REACH) {
        fake->rung = found->rung;
        return SENS_OK;
    }
    found->rung = -1;
    snprintf(message, COMPARE_TEXT, "least %g", found->best);
    return SENS_NOT_REACHED;
}

static void learn(void *self, const struct calibration *found)
{
    struct fake *fake = self;
    fake->rung = found->rung;
}

static sens_status prepare(void *self, struct record *rec, int *repeat, char message[COMPARE_TEXT])
{
    const struct fake *fake = self;
    if (fake->mischief == DIES_AT_ONCE) raise(SIGKILL);
    if (fake->mischief == FULL) return SENS_NO_MEMORY;
    rec->number[COL_steps] = 10;
    if (fake->rung) rec->number[COL_rtol] = compare_rung_tolerance(fake->rung);
    rec->number[COL_t_total_s] = 2 * fake->factor; /* and 50 flops in it */
    rec->number[COL_gflops] = 25 / fake->factor;
    *repeat = 3 + fake->id;
    if (fake->mischief != NOT_READY) return SENS_OK;
    snprintf(message, COMPARE_TEXT, "step %d", 12);
    return SENS_STEP_LIMIT;
}

static sens_status give_sample(void *self, struct compare_sample *sample, char message[COMPARE_TEXT])
{
    struct fake *fake = self;
    const int round = fake->samples++;
    note(fake->id + 1);
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL); /* time for another to intrude */
    note(-(fake->id + 1));
    const double seconds = fake->factor * round_seconds(round);
    *sample = (struct compare_sample){seconds, seconds / 4, seconds / 2, 0.5, 100, 0};
    if (round < FAILS_AT) return SENS_OK;
    if (fake->mischief == DIES_LATER) raise(SIGTRAP);
    if (fake->mischief == INTERRUPTS) kill(getppid(), SIGINT);
    while (fake->mischief == HANGS || fake->mischief == INTERRUPTS) pause();
    if (fake->mischief != FAILS_LATER) return SENS_OK;
    snprintf(message, COMPARE_TEXT, "other bits");
    return SENS_NOT_REPEATABLE;
}

static void release(void *self)
{
    (void)self;
    happened->released++;
}

/* ---- helpers ------------------------------------------------------------------------------------------- */

static struct fake fake[CONTENDERS];
static struct compare_group group;
static bool with_calibration;
static const struct compare_options calm = {.rounds = 12, .seconds = 1e6, .timeout = 60, .seed = 1};

static void assert_childless(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* CONTENDERS contenders; contender i takes 2^i times the time of contender 0. */
static sens_status play(const struct compare_options *options, size_t at, enum mischief mischief)
{
    struct progress progress;
    sigset_t former;
    happened->count = happened->released = happened->calibrated = 0;
    assert_true(compare_group_create(&group, CONTENDERS, options->rounds));
    for (int i = 0; i < CONTENDERS; i++) {
        fake[i] = (struct fake){HONEST, i, ldexp(1, i), 0, 0};
        group.contender[i].subject = (struct compare_subject){
            describe, with_calibration ? calibrate : NULL, learn, prepare, give_sample, release, &fake[i]};
        group.contender[i].changes = i ? "x=1" : "";
    }
    fake[at].mischief = mischief;
    process_block_signals(&former);
    progress_start(&progress, CONTENDERS + options->rounds, 0);
    progress.shown = false;
    const sens_status status = compare_group_run(&group, options, &progress);
    struct timespec now = {0};
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    while (sigtimedwait(&interrupt, NULL, &now) == SIGINT) continue; /* it stays pending for the caller */
    sigprocmask(SIG_SETMASK, &former, NULL);
    assert_childless();
    return status;
}

static void assert_failed(size_t index, sens_status status, const char *message)
{
    const struct contender *contender = &group.contender[index];
    assert_int_equal(contender->status, status);
    assert_string_equal(contender->rec->text[COL_status], sens_status_name(status));
    assert_non_null(strstr(contender->rec->text[COL_message], message));
    assert_true(isnan(contender->rec->number[COL_t_total_s])); /* no result of a failure */
    assert_true(isnan(contender->rec->number[COL_steps]));
    assert_true(isnan(contender->ratio.median));
}

/* Those but `index` have their times: rounds are 1, 4, 1/2 in turn. */
static void assert_others_ran(size_t index, size_t rounds)
{
    assert_int_equal(group.rounds, rounds);
    for (size_t i = 0; i < CONTENDERS; i++) {
        const struct contender *contender = &group.contender[i];
        if (i == index) continue;
        assert_int_equal(contender->status, SENS_OK);
        assert_true(contender->rec->number[COL_t_total_s] == ldexp(1, (int)i));
        assert_true(contender->rec->number[COL_samples] == (double)rounds);
        if (index != 0) assert_true(contender->ratio.median == ldexp(1, (int)i));
    }
}

/* ---- turns --------------------------------------------------------------------------------------------- */

/* Each sample ends before another begins, and each round has each contender once. */
static void they_take_turns(void **state)
{
    (void)state;
    int follows[CONTENDERS] = {0};
    assert_int_equal(play(&calm, 0, HONEST), SENS_OK);
    assert_int_equal(happened->count, 2 * CONTENDERS * (int)calm.rounds);
    for (int r = 0; r < (int)calm.rounds; r++) {
        unsigned seen = 0;
        for (int k = 0; k < CONTENDERS; k++) {
            const volatile int *entry = &happened->entry[2 * (r * CONTENDERS + k)];
            assert_true(entry[0] > 0 && entry[1] == -entry[0]);
            seen |= 1u << entry[0];
            if (k == 0) follows[entry[0] - 1]++;
        }
        assert_int_equal(seen, 0x1e);
    }
    for (int i = 0; i < CONTENDERS; i++)
        assert_true(follows[i] < (int)calm.rounds);       /* no one is always first */
    assert_int_equal(happened->released, 3 * CONTENDERS); /* in three processes each, one after the other */
    assert_others_ran(CONTENDERS, calm.rounds);
    compare_group_free(&group);
}

static void orders_follow_the_seed(void **state)
{
    (void)state;
    static struct happenings first;
    struct compare_options other = calm;
    other.seed = 2;
    play(&calm, 0, HONEST);
    compare_group_free(&group);
    memcpy(&first, happened, sizeof first);
    play(&calm, 0, HONEST);
    compare_group_free(&group);
    assert_memory_equal((const void *)first.entry, (const void *)happened->entry, sizeof first.entry);
    play(&other, 0, HONEST);
    compare_group_free(&group);
    assert_memory_not_equal((const void *)first.entry, (const void *)happened->entry, sizeof first.entry);
}

/* ---- misfortunes --------------------------------------------------------------------------------------- */

static void one_fails_and_the_rest_goes_on(void **state)
{
    (void)state;
    static const struct {
        enum mischief mischief;
        sens_status status;
        const char *message;
    } misfortune[] = {{UNAVAILABLE, SENS_UNAVAILABLE, "not here"},
                      {NOT_READY, SENS_STEP_LIMIT, "step 12"},
                      {DIES_AT_ONCE, SENS_DISTURBED, "signal 9"},
                      {DIES_LATER, SENS_CRASHED, "signal 5"},
                      {FAILS_LATER, SENS_NOT_REPEATABLE, "other bits"}};
    for (size_t i = 0; i < sizeof misfortune / sizeof misfortune[0]; i++) {
        assert_int_equal(play(&calm, 2, misfortune[i].mischief), SENS_OK);
        assert_failed(2, misfortune[i].status, misfortune[i].message);
        assert_true(group.contender[2].rec->number[COL_n] == 7); /* what was known stays */
        assert_others_ran(2, calm.rounds);
        compare_group_free(&group);
    }
}

static void a_hang_is_stopped(void **state)
{
    (void)state;
    struct compare_options options = calm;
    options.timeout = 0.3;
    assert_int_equal(play(&options, 1, HANGS), SENS_OK);
    assert_failed(1, SENS_TIMEOUT, "stopped after 0.3 s");
    assert_others_ran(1, calm.rounds);
    compare_group_free(&group);
}

static void a_memory_limit_has_its_own_name(void **state)
{
    (void)state;
    struct compare_options options = calm;
    assert_int_equal(play(&options, 1, FULL), SENS_OK);
    assert_failed(1, SENS_NO_MEMORY, "");
    compare_group_free(&group);
    options.memory_limit = 4e9;
    assert_int_equal(play(&options, 1, FULL), SENS_OK);
    assert_failed(1, SENS_MEMORY_LIMIT, "");
    compare_group_free(&group);
}

/* Without the base there are times and no quotients. */
static void the_base_may_fail(void **state)
{
    (void)state;
    assert_int_equal(play(&calm, 0, DIES_LATER), SENS_OK);
    assert_failed(0, SENS_CRASHED, "signal 5");
    assert_others_ran(0, calm.rounds);
    for (size_t i = 1; i < CONTENDERS; i++) assert_true(isnan(group.contender[i].ratio.median));
    compare_group_free(&group);
}

/* The whole rounds before it count. */
static void an_interruption_keeps_the_rounds(void **state)
{
    (void)state;
    assert_int_equal(play(&calm, 3, INTERRUPTS), SENS_INTERRUPTED);
    assert_others_ran(CONTENDERS, FAILS_AT);
    compare_group_free(&group);
}

/* Each is in three processes, one after the other, and looks for its tolerance in the first alone. */
static void tolerances_are_found_once(void **state)
{
    (void)state;
    with_calibration = true;
    assert_int_equal(play(&calm, 2, OUT_OF_REACH), SENS_OK);
    with_calibration = false;
    assert_int_equal(happened->calibrated, CONTENDERS);
    assert_failed(2, SENS_NOT_REACHED, "least 0.125");
    assert_others_ran(2, calm.rounds);
    for (int i = 0; i < CONTENDERS; i++) {
        const struct contender *contender = &group.contender[i];
        assert_int_equal(contender->found.rung, i == 2 ? -1 : 20 + i);
        assert_true(contender->found.best == ldexp(0.5, -i));
        assert_int_equal(contender->found.tried, 9);
        if (i != 2) assert_true(contender->rec->number[COL_rtol] == compare_rung_tolerance(20 + i));
    }
    assert_int_equal(happened->released, 3 * (CONTENDERS - 1) + 1);
    compare_group_free(&group);
}

static void nothing_leaks(void **state)
{
    (void)state;
    const struct compare_options few = {.rounds = 2, .seconds = 1e6, .timeout = 60};
    const int before = dup(0);
    close(before);
    for (int i = 0; i < 5; i++) {
        play(&few, 1, i % 2 ? DIES_AT_ONCE : HONEST);
        compare_group_free(&group);
    }
    const int after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

/* ---- when it is enough --------------------------------------------------------------------------------- */

static void rounds_end_in_time(void **state)
{
    (void)state;
    const struct compare_options options = {.rounds = 21, .seconds = 10};
    assert_false(compare_is_enough(&options, 0, 0));
    assert_false(compare_is_enough(&options, 20, 9.9));
    assert_true(compare_is_enough(&options, 21, 0));
    assert_true(compare_is_enough(&options, 5, 10));
    assert_false(compare_is_enough(&options, 4, 10)); /* a few are made even so */
    assert_true(compare_is_enough(&options, 1, 40));  /* but not at any price */
    assert_false(compare_is_enough(&options, 0, 1000));
    const struct compare_options hasty = {.rounds = 9, .seconds = 1e-9, .timeout = 60};
    assert_int_equal(play(&hasty, 0, HONEST), SENS_OK);
    assert_int_equal(group.rounds, 1);
    compare_group_free(&group);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Quotients in the same round are exact here, while the medians of the times are of different rounds. */
static void quotients_are_paired(void **state)
{
    (void)state;
    enum { ROUNDS = 7 };
    const double base[ROUNDS] = {1, 8, 2, NAN, 4, 16, 1}, factor[ROUNDS] = {2, 2, 4, 1, 2, 0.5, NAN};
    struct compare_sample a[ROUNDS], b[ROUNDS];
    double scratch[ROUNDS];
    struct compare_ratio ratio;
    for (int r = 0; r < ROUNDS; r++) {
        a[r] = (struct compare_sample){.total = base[r]};
        b[r] = (struct compare_sample){.total = base[r] * factor[r]};
    }
    compare_ratio(ROUNDS, b, a, scratch, &ratio);
    assert_int_equal(ratio.count, 5); /* of 2, 2, 4, 2, 1/2 */
    assert_true(ratio.median == 2 && ratio.min == 0.5 && ratio.max == 4);
    assert_true(ratio.lo == 0.5 && ratio.hi == 4); /* fewer than six: the extremes */
    compare_ratio(0, b, a, scratch, &ratio);
    assert_true(ratio.count == 0 && isnan(ratio.median) && isnan(ratio.max));
}

/* 50 flops in the first run of 2 s; the rounds say 1 s, beside a peak of 100. */
static void rates_go_with_the_times(void **state)
{
    (void)state;
    assert_int_equal(play(&calm, 0, HONEST), SENS_OK);
    for (int i = 0; i < CONTENDERS; i++) {
        const double *number = group.contender[i].rec->number;
        assert_true(number[COL_gflops] == ldexp(50, -i));
        assert_true(number[COL_peak_gflops] == 100);
        assert_true(number[COL_share] == number[COL_gflops] / 100);
        assert_true(number[COL_t_forward_s] == ldexp(0.25, i) && number[COL_t_reverse_s] == ldexp(0.5, i));
        assert_true(group.contender[i].cpu == 0.5);
        assert_int_equal(group.contender[i].repeat, 3 + i);
        assert_true(number[COL_t_min_s] == ldexp(0.5, i));
    }
    compare_group_free(&group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_take_turns),
        cmocka_unit_test(orders_follow_the_seed),
        cmocka_unit_test(one_fails_and_the_rest_goes_on),
        cmocka_unit_test(a_hang_is_stopped),
        cmocka_unit_test(a_memory_limit_has_its_own_name),
        cmocka_unit_test(the_base_may_fail),
        cmocka_unit_test(an_interruption_keeps_the_rounds),
        cmocka_unit_test(tolerances_are_found_once),
        cmocka_unit_test(nothing_leaks),
        cmocka_unit_test(rounds_end_in_time),
        cmocka_unit_test(quotients_are_paired),
        cmocka_unit_test(rates_go_with_the_times),
    };
    happened = mmap(NULL, sizeof *happened, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (happened == MAP_FAILED) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
