/* harness/derive/compile/run.h - another program, run to its end. */
#ifndef COMPILE_RUN_H
#define COMPILE_RUN_H

#include <stddef.h>

#include "refuse.h"
#include "sens/status.h"

struct run {
    const char *const *argument; /* the first is the absolute path of the program; ends with NULL */
    int folder;                  /* it works there; -1: here */
    double limit;                /* seconds, then it is killed with all that it started */
    char *said;                  /* the beginning of what it writes to its two streams, and a NUL */
    size_t room;                 /* for that; 1 or more */
};
/* Waits for it, and kills what it left behind. It has no input, and of the environment only PATH, HOME and
 * LD_LIBRARY_PATH; messages are in English, temporary files in its folder. SENS_OK: it ended with 0.
 * SENS_TIMEOUT; SENS_UNAVAILABLE: it cannot be started, or ended otherwise; with a sentence. */
sens_status run_program(const struct run *run, struct bench_error *error);

#endif
