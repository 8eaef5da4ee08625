/* harness/sweep/sweep.h - runs the cells of a sweep. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "refuse.h"
#include "sweep_file.h"

struct sweep_run {
    const char *out;   /* folder of the results */
    bool resume;       /* keep the rows that are there, and skip their cells */
    const char *retry; /* with resume: but not rows of these statuses, "timeout,crashed"; NULL: none */
    double budget;     /* seconds; negative = the one of the sweep file */
    struct peak *peak; /* of the machine: none, until the first sweep that is timed has measured it for all */
};

/* The order in which the cells are run, shuffled by the sweep's seed where they are timed: [count] indices,
 * malloc'ed; NULL without memory. */
size_t *sweep_order(const struct sweep *sweep);

/* Measures every cell in its own process, in this order, and writes each row as it is known. Returns
 * an exit code: EXIT_OK also when the budget was used up (said on stderr); EXIT_INTERRUPTED; EXIT_SOLVER with
 * a message when cells have no row because their processes were killed from outside or could not be started,
 * twice; EXIT_USAGE or EXIT_CHECK with a message when the result file cannot be opened or written. */
int sweep_execute(const struct sweep *sweep, const struct sweep_run *run, struct bench_error *error);

#endif
