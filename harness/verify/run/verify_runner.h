/* harness/verify/run/verify_runner.h - the units of a plan, each in a child process, a few at once.
 *
 * Results come back through a pipe and are kept unit by unit, so that the report does not depend on which
 * unit ended first. A unit that crashes, hangs, eats its memory or leaves a check without a result gets a
 * failure of the check unit.completes (plan.h). */
#ifndef VERIFY_RUNNER_H
#define VERIFY_RUNNER_H

#include "plan.h"

struct runner_task {
    const struct verify_plan *plan;
    const struct sens_registry *reg;
    bool quick;
    unsigned long seed;
    const char *method_glob;               /* of VERIFY_CROSS; NULL: all */
    const char *problem_glob;              /* of VERIFY_COST; NULL: none is named */
    const struct sens_option *const *held; /* options that were given; NULL: none */
    const char *given;                     /* the same in words, "T=20 lmm=bdf"; "": none */
    size_t jobs;                           /* processes at once, at least 1 */
    double timeout;                        /* seconds of processor time for one unit */
    double memory_limit;                   /* bytes of address space for one unit; 0: none */
};

enum runner_state {
    RUNNER_WAITING, /* not run: interrupted before its turn or at work */
    RUNNER_RUNNING,
    RUNNER_DONE,
    RUNNER_SKIPPED /* its problem fails its own checks */
};

struct runner_unit { /* what came of a unit */
    enum runner_state state;
    size_t results, capacity;
    struct verify_result *result;
    double seconds;
};

/* Fills unit[plan->count], zeroed by the caller, and to be given to runner_free whatever comes back:
 * SENS_OK; SENS_INTERRUPTED when SIGINT, SIGTERM or SIGHUP reached this process (all children are stopped,
 * the signal stays blocked and pending, so that what is there can be reported); SENS_NO_MEMORY;
 * SENS_IO_ERROR. */
sens_status runner_run(const struct runner_task *task, struct runner_unit *unit);
void runner_free(size_t count, struct runner_unit *unit);

#endif
