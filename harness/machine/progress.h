/* harness/machine/progress.h - how far a sweep is: one line on stderr, only on a terminal. */
#ifndef MACHINE_PROGRESS_H
#define MACHINE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool shown;
    double start, budget; /* seconds; 0 = no budget */
    size_t total, done;
};

void progress_start(struct progress *progress, size_t total, double budget);
/* Called before each unit of work; text says what it is. */
void progress_step(struct progress *progress, const char *text);
/* Seconds since the start. */
double progress_elapsed(const struct progress *progress);
/* Clears the line, for something else to be printed there. */
void progress_hide(const struct progress *progress);
/* The same, and there will be none any more. */
void progress_end(struct progress *progress);

#endif
