/* harness/bench/isolate.h - work that may crash, hang or eat all memory, done in a child process. */
#ifndef BENCH_ISOLATE_H
#define BENCH_ISOLATE_H

#include <sys/types.h>

#include "bench.h"

struct isolate_link; /* the child's way back to its parent */

/* What the child does: fills *rec, whose status column must be set, or returns false with a message in
 * *error when its input is bad. May call isolate_report on the way. */
struct isolate_work {
    bool (*run)(void *self, struct isolate_link *link, struct record *rec, struct bench_error *error);
    void *self;
};

/* Sends what is known so far. If the child dies later, its row keeps these columns beside the status. */
void isolate_report(struct isolate_link *link, const struct record *rec);

/* Runs work in a child under the limits of *options. *rec is filled whatever happens to the child,
 * SENS_TIMEOUT, SENS_CRASHED, SENS_MEMORY_LIMIT and SENS_INTERRUPTED (SIGINT, SIGTERM or SIGHUP reached
 * this process; the child is stopped) among it. Returns false when the work refused its input (message in
 * *error). */
bool isolate_call(const struct isolate_work *work, const struct measure_options *options, struct record *rec,
                  struct bench_error *error);

/* Blocks the three signals above where they are not ignored, so that they are seen by isolate_call and
 * nowhere else; returns the former mask in *former, for sigprocmask. */
void isolate_block_signals(void *former /* sigset_t */);

/* ---- what another supervisor of child processes shares ------------------------------------------------- */

/* A descriptor that is readable when one of these signals, blocked before, has come; -1 on failure. */
int isolate_signals(void);
/* In the child: writes all bytes to the parent, or ends the process, which then has nothing left to do. */
void isolate_send(int descriptor, const void *bytes, size_t size);
/* First thing in a child: ordinary signals, a process group of its own, death with its parent, no core
 * dump, at most memory_limit bytes of address space (0: no limit). */
void isolate_enter_child(pid_t parent, double memory_limit);
/* How a child ended (waitpid's status) that did not say goodbye. */
void isolate_describe_death(int how, char *text, size_t size);

#endif
