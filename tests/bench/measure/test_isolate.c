/* A child that crashes, hangs, eats memory or is interrupted becomes a status, and its parent lives on. */
#include "isolate_support.h"
#include "machine.h"
#include "seconds.h"

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

static bool exit_without_memory(void *self, struct isolate_link *link, struct record *out,
                                struct bench_error *why)
{
    if (!malloc((size_t)1 << 40)) exit(2);
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
    const double start = seconds_now();
    assert_true(call(hang, (struct measure_options){.timeout = 0.2}));
    const double seconds = seconds_now() - start;
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
    assert_true(call(exit_without_memory, limited));
    assert_status("memory_limit");
    assert_non_null(strstr(rec->text[COL_message], "code 2"));
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
    };
    return cmocka_run_group_tests(tests, make_record, free_record);
}
