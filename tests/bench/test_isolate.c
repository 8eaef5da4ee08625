/* A child that crashes, hangs, eats memory or is interrupted becomes a status, and its parent lives on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolate.h"

static struct record rec;
static struct bench_error error;

static bool call(bool (*run)(void *, struct isolate_link *, struct record *, struct bench_error *),
                 struct measure_options options)
{
    const struct isolate_work work = {.run = run};
    memset(&rec, 0x5a, sizeof rec); /* whatever happens, all of it is written */
    error.text[0] = '\0';
    return isolate_call(&work, &options, &rec, &error);
}

static void assert_status(const char *name)
{
    assert_string_equal(rec.text[COL_status], name);
}

/* No child is left, dead or alive. */
static void assert_childless(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
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
    raise(SIGKILL);
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
    assert_true(rec.number[COL_steps] == 42);
    assert_true(isnan(rec.number[COL_n]));
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
    assert_non_null(strstr(rec.text[COL_message], "signal 9"));
    assert_string_equal(rec.text[COL_method], "cfsa"); /* what was known stays */
    assert_true(rec.number[COL_n] == 5);
    assert_true(isnan(rec.number[COL_steps])); /* no result of a failure */
    assert_true(call(leave, (struct measure_options){.timeout = 20}));
    assert_status("crashed");
    assert_non_null(strstr(rec.text[COL_message], "code 7"));
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
    assert_true(rec.number[COL_n] == 5);
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
    assert_string_equal(rec.text[COL_message], "no block");
    assert_true(call(fill_memory, (struct measure_options){.timeout = 20}));
    assert_status("ok");
}

static void interruption_stops_the_child(void **state)
{
    (void)state;
    sigset_t former, pending;
    isolate_block_signals(&former);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_through),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(crashes_are_rows),
        cmocka_unit_test(hangs_are_rows),
        cmocka_unit_test(exhausted_memory_is_a_row),
        cmocka_unit_test(interruption_stops_the_child),
        cmocka_unit_test(nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
