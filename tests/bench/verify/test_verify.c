/* verify's runner, on groups that crash, hang, eat memory or say too little. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "named_registry.h"
#include "process.h"
#include "seconds.h"
#include "testing.h"
#include "verify_child.h"

/* ---- groups that do as their names say ----------------------------------------------------------------- */

static void tell(struct verify *v, const char *check, bool fails)
{
    struct verify_result result = verify_open(check, "module", "subject");
    struct worst worst = {.count = 0};
    worst_note(&worst, fails ? 2 : 0.5, 1, "component 0");
    verify_judge(&result, &worst);
    if (fails) verify_blame(&result, CAUSE_stage_time, 0.75);
    verify_close(v, &result);
}

static void nap(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

static void pass(struct verify *v)
{
    tell(v, "first", false);
    tell(v, "second", false);
}

static void pass_slowly(struct verify *v)
{
    if (v->problem == &good) nap(0.2);
    pass(v);
}

static void fail_bad(struct verify *v)
{
    nap(0.05);
    tell(v, "first", v->problem == &bad);
    tell(v, "second", false);
}

static void crash(struct verify *v)
{
    tell(v, "first", false);
    abort();
}

static void leave(struct verify *v)
{
    tell(v, "first", false);
    _exit(7);
}

static void close_everything(struct verify *v)
{
    (void)v;
    for (int i = 3; i < 64; i++) close(i);
    for (;;) pause();
}

static void hang(struct verify *v)
{
    tell(v, "first", false);
    for (;;) pause();
}

static void loop(struct verify *v)
{
    volatile unsigned long turns = 0;
    tell(v, "first", false);
    for (;;) turns++;
}

/* Sleeps longer than its limit of processor time, and then does all it has to. */
static void dawdle(struct verify *v)
{
    nanosleep(&(struct timespec){.tv_nsec = 600000000}, NULL);
    pass(v);
}

static void eat_memory(struct verify *v)
{
    for (;;) verify_array(v, 1 << 20);
}

static void forget(struct verify *v)
{
    tell(v, "first", false);
}

static void invent(struct verify *v)
{
    pass(v);
    tell(v, "third", false);
}

static void print(struct verify *v)
{
    puts("not a part of the report");
    fflush(stdout);
    pass(v);
}

static void interrupt_parent(struct verify *v)
{
    tell(v, "first", false);
    nap(0.05); /* so that the result is there before the signal */
    kill(getppid(), SIGINT);
    for (;;) pause();
}

static const struct verify_check checks[] = {{.id = "first"}, {.id = "second"}, {.id = NULL}};

static struct verify_group group_of(enum verify_kind kind, void (*run)(struct verify *v))
{
    return (struct verify_group){.name = "group", .kind = kind, .checks = checks, .run = run};
}

/* ---- the runner ---------------------------------------------------------------------------------------- */

enum { UNITS = 8 };
static struct plan_unit planned[UNITS];
static struct verify_plan plan;
static struct runner_unit unit[UNITS];
static struct runner_task task;

static void plan_units(size_t count, const struct verify_unit *units)
{
    plan = (struct verify_plan){.count = count, .unit = planned};
    for (size_t i = 0; i < count; i++) planned[i] = (struct plan_unit){.unit = units[i]};
    memset(unit, 0, sizeof unit);
    task = (struct runner_task){.plan = &plan, .reg = &registry, .quick = true, .jobs = 2, .timeout = 20};
}

/* One unit of one group on the method `one`. */
static sens_status run_alone(void (*run)(struct verify *v), double timeout, double memory)
{
    const struct verify_group group = group_of(VERIFY_METHOD, run);
    plan_units(1, &(struct verify_unit){.group = &group, .method = &one});
    task.timeout = timeout;
    task.memory_limit = memory;
    return runner_run(&task, unit);
}

static const struct verify_result *last_of(const struct runner_unit *of)
{
    assert_true(of->results > 0);
    return &of->result[of->results - 1];
}

/* The unit has `before` results of its own, then a failure that says text. */
static void assert_incomplete(size_t before, const char *text, const char *blamed)
{
    const struct verify_result *last = last_of(&unit[0]);
    assert_int_equal(unit[0].state, RUNNER_DONE);
    assert_int_equal(unit[0].results, before + 1);
    assert_string_equal(last->check, "unit.completes");
    assert_string_equal(last->module, "method one");
    assert_string_equal(last->subject, "group group");
    assert_int_equal(last->verdict, VERIFY_FAIL);
    if (!strstr(last->text, text)) fail_msg("'%s' does not contain '%s'", last->text, text);
    assert_int_equal(last->blames, blamed != NULL);
    if (blamed) assert_string_equal(last->blame[0].cause, blamed);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    runner_free(1, unit);
}

static void units_that_end_badly_fail(void **state)
{
    (void)state;
    assert_int_equal(run_alone(crash, 20, 0), SENS_OK);
    assert_incomplete(1, "killed by signal 6 (Aborted)", "crash");
    assert_int_equal(run_alone(leave, 20, 0), SENS_OK);
    assert_incomplete(1, "ended with code 7", "crash");
    assert_int_equal(run_alone(hang, 0.2, 0), SENS_OK);
    assert_incomplete(1, "still there after 2 s with less than 0.2 s of processor time", "no_return");
    assert_int_equal(run_alone(loop, 0.2, 0), SENS_OK);
    assert_incomplete(1, "still running after 0.2 s of processor time", "no_return");
    assert_int_equal(run_alone(close_everything, 20, 0), SENS_OK);
    assert_incomplete(0, "it closed its connection", "crash");
    assert_int_equal(run_alone(eat_memory, 60, 1 << 28), SENS_OK);
    assert_incomplete(0, "no_memory", NULL);
}

/* What a busy machine does to a good unit: it gets its processor time late. */
static void waiting_is_no_failure(void **state)
{
    (void)state;
    assert_int_equal(run_alone(dawdle, 0.2, 0), SENS_OK);
    assert_int_equal(last_of(&unit[0])->verdict, VERIFY_PASS);
    runner_free(1, unit);
}

static void every_check_has_a_result(void **state)
{
    (void)state;
    assert_int_equal(run_alone(forget, 20, 0), SENS_OK);
    assert_incomplete(1, "no result for check second", NULL);
    assert_int_equal(run_alone(invent, 20, 0), SENS_OK);
    assert_incomplete(3, "a result for third", NULL);
}

static void good_units_pass(void **state)
{
    (void)state;
    assert_int_equal(run_alone(print, 20, 0), SENS_OK);
    assert_int_equal(unit[0].results, 3);
    assert_true(unit[0].result[0].value == 0.5 && unit[0].result[0].bound == 1);
    assert_string_equal(last_of(&unit[0])->check, "unit.completes");
    assert_int_equal(last_of(&unit[0])->verdict, VERIFY_PASS);
    runner_free(1, unit);
}

static void pairs_wait_for_their_problem(void **state)
{
    (void)state;
    const struct verify_group problem = group_of(VERIFY_PROBLEM, fail_bad),
                              slow = group_of(VERIFY_PROBLEM, pass_slowly),
                              pair = group_of(VERIFY_PAIR, pass), cross = group_of(VERIFY_CROSS, pass);
    const struct verify_unit units[] = {
        {.group = &slow, .problem = &good},
        {.group = &problem, .problem = &good},
        {.group = &problem, .problem = &bad},
        {.group = &pair, .problem = &good, .method = &one},
        {.group = &pair, .problem = &bad, .method = &one},
        {.group = &cross, .problem = &bad},
    };
    for (size_t jobs = 1; jobs <= 6; jobs++) {
        plan_units(6, units);
        task.jobs = jobs;
        assert_int_equal(runner_run(&task, unit), SENS_OK);
        assert_int_equal(unit[3].state, RUNNER_DONE);
        assert_int_equal(unit[3].results, 3);
        for (int i = 4; i < 6; i++) {
            assert_int_equal(unit[i].state, RUNNER_SKIPPED);
            assert_int_equal(unit[i].results, 1);
            assert_int_equal(unit[i].result->verdict, VERIFY_SKIP);
            assert_string_equal(unit[i].result->text, "problem bad fails its own checks");
        }
        assert_string_equal(unit[4].result->module, "method one");
        assert_string_equal(unit[4].result->subject, "group group on problem bad");
        assert_string_equal(unit[5].result->module, "problem bad");
        runner_free(6, unit);
    }
}

static void interruption_keeps_what_is_there(void **state)
{
    (void)state;
    const struct verify_group good_group = group_of(VERIFY_METHOD, pass),
                              killer = group_of(VERIFY_METHOD, interrupt_parent),
                              sleeper = group_of(VERIFY_METHOD, hang);
    const struct verify_unit units[] = {{.group = &good_group, .method = &one},
                                        {.group = &sleeper, .method = &one},
                                        {.group = &killer, .method = &one},
                                        {.group = &good_group, .method = &two}};
    sigset_t former, interrupt;
    process_block_signals(&former);
    plan_units(4, units);
    assert_int_equal(runner_run(&task, unit), SENS_INTERRUPTED);
    assert_int_equal(unit[0].state, RUNNER_DONE);
    assert_int_equal(unit[0].results, 3);
    assert_int_equal(unit[1].state, RUNNER_WAITING);
    assert_int_equal(unit[1].results, 1);
    assert_int_equal(unit[2].state, RUNNER_WAITING);
    assert_int_equal(unit[3].results, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    runner_free(4, unit);
    const struct timespec now = {0};
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    assert_int_equal(sigtimedwait(&interrupt, NULL, &now),
                     SIGINT); /* still pending, for whoever comes next */
    sigprocmask(SIG_SETMASK, &former, NULL);
}

/* Descriptors are given back, and a unit costs little beside its checks. */
static void units_are_cheap(void **state)
{
    (void)state;
    const struct verify_group group = group_of(VERIFY_METHOD, pass);
    struct verify_unit units[UNITS];
    for (int i = 0; i < UNITS; i++) units[i] = (struct verify_unit){.group = &group, .method = &one};
    const int before = dup(0);
    const double start = seconds_now();
    close(before);
    for (int i = 0; i < 25; i++) {
        plan_units(UNITS, units);
        assert_int_equal(runner_run(&task, unit), SENS_OK);
        runner_free(UNITS, unit);
    }
    const int after = dup(0);
    close(after);
    assert_int_equal(before, after);
    print_message("%.2f ms a unit\n", 1e3 * (seconds_now() - start) / (25 * UNITS));
}

static void nothing_in_a_result_is_trusted(void **state)
{
    (void)state;
    struct verify_result result;
    memset(&result, 0xee, sizeof result);
    child_clean(&result);
    assert_int_equal(result.verdict, VERIFY_FAIL);
    assert_int_equal(result.blames, 0);
    assert_int_equal(strlen(result.text), VERIFY_TEXT - 1);
    assert_int_equal(result.text[0], '?');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_that_end_badly_fail),
        cmocka_unit_test(waiting_is_no_failure),
        cmocka_unit_test(every_check_has_a_result),
        cmocka_unit_test(good_units_pass),
        cmocka_unit_test(pairs_wait_for_their_problem),
        cmocka_unit_test(interruption_keeps_what_is_there),
        cmocka_unit_test(units_are_cheap),
        cmocka_unit_test(nothing_in_a_result_is_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
