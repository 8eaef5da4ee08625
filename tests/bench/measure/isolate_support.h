/* What the tests of isolate.c share: the record of the last call, and simple work. */
#ifndef TESTS_BENCH_ISOLATE_SUPPORT_H
#define TESTS_BENCH_ISOLATE_SUPPORT_H

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
#include "testing.h"

static struct record *rec;
static struct bench_error error;
static pid_t *left_behind; /* where a child writes the pid of a process that it leaves behind */

static inline bool call(bool (*run)(void *, struct isolate_link *, struct record *, struct bench_error *),
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

static inline void assert_status(const char *name)
{
    assert_string_equal(rec->text[COL_status], name);
}

/* No child is left, dead or alive. */
static inline void assert_childless(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static inline int make_record(void **state)
{
    (void)state;
    rec = record_create();
    left_behind = mmap(NULL, sizeof *left_behind, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return rec && left_behind != MAP_FAILED ? 0 : -1;
}

static inline int free_record(void **state)
{
    (void)state;
    free(rec);
    return 0;
}

static inline _Noreturn void wait_for_ever(void)
{
    for (;;) pause();
}

static inline bool succeed(void *self, struct isolate_link *link, struct record *out, struct bench_error *why)
{
    (void)self, (void)link, (void)why;
    record_set_status(out, SENS_OK, "");
    out->number[COL_steps] = 42;
    return true;
}

#endif
