/* A child that does all it can to hang its parent, to escape it or to fool it. */
#include "isolate_support.h"

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

/* No deadline saves the parent here: it would hang for ever, and the test with it. That this very process has
 * to kill it is no disturbance from outside: it would do the same again, and its row stays. */
static void closed_descriptors_do_not_hang(void **state)
{
    (void)state;
    assert_true(call(close_all, (struct measure_options){.timeout = 0}));
    assert_status("crashed");
    assert_non_null(strstr(rec->text[COL_message], "closed its connection"));
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
