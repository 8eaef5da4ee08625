/* A child that crashes, hangs, eats memory or is interrupted becomes a status, and its parent lives on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolate.h"
#include "process.h"

static struct record *rec;
static struct bench_error error;
static pid_t *left_behind; /* where a child writes the pid of a process that it leaves behind */

static bool call(bool (*run)(void *, struct isolate_link *, struct record *, struct bench_error *),
                 struct measure_options options)
{
    const struct isolate_work work = {.run = run};
    for (int c = 0; c < COLUMN_COUNT; c++) { /* whatever happens, all of it is written */
        rec->number[c] = 1e300;
        memset(rec->text[c], 0x5a, RECORD_TEXT - 1);
    }
    error.text[0] = '\0';
    return isolate_call(&work, &options, rec, &error);
}

static void assert_status(const char *name)
{
    assert_string_equal(rec->text[COL_status], name);
}

/* No child is left, dead or alive. */
static void assert_childless(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int make_record(void **state)
{
    (void)state;
    rec = record_create();
    left_behind = mmap(NULL, sizeof *left_behind, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return rec && left_behind != MAP_FAILED ? 0 : -1;
}

static int free_record(void **state)
{
    (void)state;
    free(rec);
    return 0;
}

static _Noreturn void wait_for_ever(void)
{
    for (;;) pause();
}

static bool succeed(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)why;
    record_set_status(out, SENS_OK, "");
    out->number[COL_steps] = 42;
    return true;
}

static bool refuse(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out;
    return bench_refuse(why, "file:7: no such key");
}

static bool report_and_die(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)why;
    strcpy(out->text[COL_method], "cfsa");
    out->number[COL_n] = 5;
    out->number[COL_steps] = 42;
    isolate_report(link, out);
    signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
    raise(SIGSEGV);
    return true;
}

static bool leave(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    _exit(7);
}

static bool abandon(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    abort();
}

static bool hang(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)why;
    out->number[COL_n] = 5;
    isolate_report(link, out);
    wait_for_ever();
}

static bool fill_memory(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)why;
    for (int i = 0; i < 64; i++) {
        volatile char *block = malloc((size_t)64 << 20);
        if (!block) {
            record_set_status(out, SENS_NO_MEMORY, "no block");
            return true;
        }
        *block = 1;
    }
    record_set_status(out, SENS_OK, "");
    return true;
}

/* As a library does that does not look at what malloc returns. */
static bool trust_malloc(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    volatile char *block = malloc((size_t)1 << 40);
    block[0] = 1;
    return succeed(self, link, out, why);
}

/* As C++ does where no one catches what new throws. */
static bool give_up_without_memory(void *self, struct isolate_link *link, struct record *out,
                                   struct bench_error *why)
{
    if (!malloc((size_t)1 << 40)) abort();
    return succeed(self, link, out, why);
}

/* The whole limit is in use when something goes wrong that has set no errno. */
static bool crash_when_full(void *self, struct isolate_link *link, struct record *out,
                            struct bench_error *why)
{
    for (size_t block = (size_t)64 << 20; block >= (size_t)1 << 20; block /= 2)
        while (malloc(block)) continue;
    errno = 0;
    return abandon(self, link, out, why);
}

static bool interrupt_parent(void *self, struct isolate_link *link, struct record *out,
                             struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    kill(getppid(), SIGINT);
    wait_for_ever();
}

static void results_come_through(void **state)
{
    (void)state;
    assert_true(call(succeed, (struct measure_options){.timeout = 20}));
    assert_status("ok");
    assert_true(rec->number[COL_steps] == 42);
    assert_true(isnan(rec->number[COL_n]));
    assert_childless();
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    assert_false(call(refuse, (struct measure_options){.timeout = 20}));
    assert_string_equal(error.text, "file:7: no such key");
}

static void crashes_are_rows(void **state)
{
    (void)state;
    assert_true(call(report_and_die, (struct measure_options){.timeout = 20}));
    assert_status("crashed");
    assert_non_null(strstr(rec->text[COL_message], "signal 11"));
    assert_string_equal(rec->text[COL_method], "cfsa"); /* what was known stays */
    assert_true(rec->number[COL_n] == 5);
    assert_true(isnan(rec->number[COL_steps])); /* no result of a failure */
    assert_true(call(leave, (struct measure_options){.timeout = 20}));
    assert_status("crashed");
    assert_non_null(strstr(rec->text[COL_message], "code 7"));
    assert_true(call(abandon, (struct measure_options){.timeout = 20}));
    assert_status("crashed");
    assert_childless();
}

static void hangs_are_rows(void **state)
{
    (void)state;
    const double start = machine_now();
    assert_true(call(hang, (struct measure_options){.timeout = 0.2}));
    const double seconds = machine_now() - start;
    assert_status("timeout");
    assert_true(rec->number[COL_n] == 5);
    assert_true(seconds >= 0.2 && seconds < 10); /* 10: a busy machine */
    assert_childless();
}

static void exhausted_memory_is_a_row(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* address space cannot be limited there */
#endif
    assert_true(call(fill_memory, (struct measure_options){.timeout = 20, .memory_limit = 1u << 30}));
    assert_status("memory_limit");
    assert_string_equal(rec->text[COL_message], "no block");
    assert_true(call(fill_memory, (struct measure_options){.timeout = 20}));
    assert_status("ok");
}

/* A library that dies of a refused allocation is told apart from one that is wrong. */
static void dying_of_the_limit_is_no_crash(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* address space cannot be limited there */
#endif
    const struct measure_options limited = {.timeout = 60, .memory_limit = 1u << 30};
    assert_true(call(trust_malloc, limited));
    assert_status("memory_limit");
    assert_non_null(strstr(rec->text[COL_message], "signal 11"));
    assert_true(call(give_up_without_memory, limited));
    assert_status("memory_limit");
    assert_non_null(strstr(rec->text[COL_message], "signal 6"));
    assert_true(call(crash_when_full, limited));
    assert_status("memory_limit");
    assert_true(call(abandon, limited)); /* there was memory enough */
    assert_status("crashed");
    assert_true(call(report_and_die, limited));
    assert_status("crashed");
    assert_non_null(strstr(rec->text[COL_message], "signal 11"));
    assert_childless();
}

static void interruption_stops_the_child(void **state)
{
    (void)state;
    sigset_t former, pending;
    process_block_signals(&former);
    assert_true(call(interrupt_parent, (struct measure_options){.timeout = 20}));
    assert_status("interrupted");
    assert_childless();
    sigpending(&pending);
    assert_true(sigismember(&pending, SIGINT)); /* it stays pending: the next cell is not started either */
    assert_true(call(hang, (struct measure_options){.timeout = 20}));
    assert_status("interrupted");
    const struct timespec now = {0};
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    assert_int_equal(sigtimedwait(&interrupt, NULL, &now), SIGINT);
    sigprocmask(SIG_SETMASK, &former, NULL);
}

/* Descriptors and buffers are given back: the next free descriptor stays the same. */
static void nothing_leaks(void **state)
{
    (void)state;
    const int before = dup(0);
    close(before);
    for (int i = 0; i < 50; i++) assert_true(call(succeed, (struct measure_options){.timeout = 20}));
    const int after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

/* ---- children that misbehave --------------------------------------------------------------------------- */

/* A process of its own session, so that killing the group does not reach it. It lives until it is killed. */
static void leave_daemon(void)
{
    const pid_t middle = fork();
    if (middle == 0) {
        setsid();
        const pid_t last = fork();
        if (last == 0) wait_for_ever();
        *left_behind = last;
        _exit(0);
    }
    waitpid(middle, NULL, 0);
}

static void assert_dead(pid_t pid)
{
    assert_true(pid > 0);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static bool close_all(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    for (int d = 0; d < 1024; d++) close(d);
    wait_for_ever();
}

static bool leave_group(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    const pid_t other = fork();
    if (other == 0) wait_for_ever();
    setpgid(other, other);
    setpgid(0, other);
    *left_behind = other;
    wait_for_ever();
}

static bool leave_daemon_and_end(void *self, struct isolate_link *link, struct record *out,
                                 struct bench_error *why)
{
    leave_daemon();
    return succeed(self, link, out, why);
}

static bool leave_daemon_and_die(void *self, struct isolate_link *link, struct record *out,
                                 struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    leave_daemon();
    abort();
}

static bool ignore_all(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    for (int s = 1; s < 32; s++) signal(s, SIG_IGN);
    wait_for_ever();
}

/* No deadline saves the parent here: it would hang for ever, and the test with it. */
static void closed_descriptors_do_not_hang(void **state)
{
    (void)state;
    assert_true(call(close_all, (struct measure_options){.timeout = 0}));
    assert_status("disturbed"); /* killed, by this very process */
    assert_childless();
}

static void no_process_escapes(void **state)
{
    (void)state;
    assert_true(call(leave_group, (struct measure_options){.timeout = 0.2}));
    assert_status("timeout");
    assert_childless();
    assert_dead(*left_behind);
    assert_true(call(ignore_all, (struct measure_options){.timeout = 0.2}));
    assert_status("timeout");
    assert_childless();
}

/* A daemon that holds a copy of the pipe: the last message ends the cell, or the death of its process does,
 * without any time limit. */
static void daemons_hold_nothing_up(void **state)
{
    (void)state;
    assert_true(call(leave_daemon_and_end, (struct measure_options){.timeout = 0}));
    assert_status("ok");
    assert_childless();
    assert_dead(*left_behind);
    assert_true(call(leave_daemon_and_die, (struct measure_options){.timeout = 0}));
    assert_status("crashed");
    assert_childless();
    assert_dead(*left_behind);
}

/* A child of this process that has nothing to do with the cell lives on. */
static void strangers_are_left_alone(void **state)
{
    (void)state;
    const pid_t stranger = fork();
    if (stranger == 0) wait_for_ever();
    assert_true(call(leave_daemon_and_end, (struct measure_options){.timeout = 0}));
    assert_dead(*left_behind);
    assert_int_equal(waitpid(stranger, NULL, WNOHANG), 0);
    kill(stranger, SIGKILL);
    assert_int_equal(waitpid(stranger, NULL, 0), stranger);
}

/* Nothing of the parent's is open in a child but the standard streams and its way back. */
static bool count_descriptors(void *self, struct isolate_link *link, struct record *out,
                              struct bench_error *why)
{
    int open = 0;
    for (int d = 3; d < 1024; d++) open += fcntl(d, F_GETFD) >= 0;
    succeed(self, link, out, why);
    out->number[COL_n] = open;
    return true;
}

static void children_inherit_nothing(void **state)
{
    (void)state;
    FILE *lock = tmpfile();
    assert_non_null(lock);
    assert_int_equal(flock(fileno(lock), LOCK_EX), 0);
    assert_true(call(count_descriptors, (struct measure_options){.timeout = 0}));
    assert_true(rec->number[COL_n] == 1);
    fclose(lock);
}

/* ---- what comes is not what was to come ---------------------------------------------------------------- */

static bool scribble(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    static const char stray[] =
        "stray bytes, as a method prints them to a descriptor that it takes for its own";
    (void)link, (void)why, (void)out;
    for (int d = 3; d < 64; d++)
        if (write(d, stray, sizeof stray) < 0) continue;
    return succeed(self, link, out, why);
}

/* The child's own copy of the record has been overwritten: a text without an end, no status, half a step. */
static bool overrun(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    succeed(self, link, out, why);
    memset(out->text[COL_method], 'x', RECORD_TEXT);
    return true;
}

static bool invent_status(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    succeed(self, link, out, why);
    strcpy(out->text[COL_status], "excellent");
    return true;
}

static bool half_step(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    succeed(self, link, out, why);
    out->number[COL_steps] = 2.5;
    return true;
}

static bool no_status(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    return true;
}

static void damaged_messages_are_crashes(void **state)
{
    (void)state;
    bool (*const damage[])(void *, struct isolate_link *, struct record *,
                           struct bench_error *) = {scribble, overrun, invent_status, half_step, no_status};
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        assert_true(call(damage[i], (struct measure_options){.timeout = 20}));
        assert_status("crashed");
        assert_string_equal(rec->text[COL_message], "what its process sent is damaged");
        assert_true(isnan(rec->number[COL_steps]));
        assert_childless();
    }
}

/* ---- what is no fault of the cell's -------------------------------------------------------------------- */

static bool be_killed(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    raise(SIGKILL);
    return true;
}

static bool be_terminated(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)out, (void)why;
    raise(SIGTERM);
    return true;
}

static void kills_from_outside_are_told_apart(void **state)
{
    (void)state;
    assert_true(call(be_killed, (struct measure_options){.timeout = 20}));
    assert_status("disturbed");
    assert_non_null(strstr(rec->text[COL_message], "signal 9"));
    assert_true(call(be_terminated, (struct measure_options){.timeout = 20}));
    assert_status("disturbed");
    assert_non_null(strstr(rec->text[COL_message], "signal 15"));
}

/* No descriptor is left for the way back. */
static void no_process_is_no_fault_of_the_cell(void **state)
{
    (void)state;
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool called = call(succeed, (struct measure_options){.timeout = 20});
    setrlimit(RLIMIT_NOFILE, &limit);
    assert_true(called);
    assert_status("disturbed");
}

/* Where SIGINT was ignored when this program was started, the child ignores it, too. */
static bool look_at_sigint(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    struct sigaction action;
    succeed(self, link, out, why);
    sigaction(SIGINT, NULL, &action);
    out->number[COL_n] = action.sa_handler == SIG_IGN;
    return true;
}

static void ignored_signals_stay_ignored(void **state)
{
    (void)state;
    assert_true(call(look_at_sigint, (struct measure_options){.timeout = 20}));
    assert_true(rec->number[COL_n] == 0);
    signal(SIGINT, SIG_IGN);
    const bool called = call(look_at_sigint, (struct measure_options){.timeout = 20});
    signal(SIGINT, SIG_DFL);
    assert_true(called && rec->number[COL_n] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_through),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(crashes_are_rows),
        cmocka_unit_test(hangs_are_rows),
        cmocka_unit_test(exhausted_memory_is_a_row),
        cmocka_unit_test(dying_of_the_limit_is_no_crash),
        cmocka_unit_test(interruption_stops_the_child),
        cmocka_unit_test(nothing_leaks),
        cmocka_unit_test(closed_descriptors_do_not_hang),
        cmocka_unit_test(no_process_escapes),
        cmocka_unit_test(daemons_hold_nothing_up),
        cmocka_unit_test(strangers_are_left_alone),
        cmocka_unit_test(children_inherit_nothing),
        cmocka_unit_test(damaged_messages_are_crashes),
        cmocka_unit_test(kills_from_outside_are_told_apart),
        cmocka_unit_test(no_process_is_no_fault_of_the_cell),
        cmocka_unit_test(ignored_signals_stay_ignored),
    };
    return cmocka_run_group_tests(tests, make_record, free_record);
}
