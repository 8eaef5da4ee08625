/* harness/measure/isolate.h - work that may crash, hang or eat all memory, done in a child process. */
#ifndef MEASURE_ISOLATE_H
#define MEASURE_ISOLATE_H

#include "measure.h"

struct isolate_link; /* the child's way back to its parent */

/* What the child does: fills *rec, whose status column must be set, or returns false with a message in
 * *error when its input is bad. May call isolate_report on the way. */
struct isolate_work {
    bool (*run)(void *self, struct isolate_link *link, struct record *rec, struct bench_error *error);
    void *self;
};

/* Sends what is known so far. If the child dies later, its row keeps these columns beside the status. */
void isolate_report(struct isolate_link *link, const struct record *rec);

/* Runs work in a child under the limits of *options. *rec, of record_create, is filled whatever happens to
 * the child: SENS_TIMEOUT, SENS_CRASHED, SENS_MEMORY_LIMIT, SENS_INTERRUPTED (SIGINT, SIGTERM or SIGHUP
 * reached this process) and SENS_DISTURBED (no process could be had, or it was killed from outside) among
 * it. No process of the work's is left, at its end or after. Returns false when the work refused its input
 * (message in *error). */
bool isolate_call(const struct isolate_work *work, const struct measure_options *options, struct record *rec,
                  struct bench_error *error);

#endif
