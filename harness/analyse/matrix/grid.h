/* harness/analyse/matrix/grid.h - the times of an analysis. */
#ifndef ANALYSE_GRID_H
#define ANALYSE_GRID_H

#include "refuse.h"
#include "sens/problem.h"

struct grid {
    size_t times;
    const double *t; /* [times] increasing, in [t0, t1], the last one behind t0 */
};

/* "A:B:N" N times with equal distances from A to B, "log:A:B:N" with equal ratios, one number, or the name of a file
 * of numbers. NULL: 21 times with equal distances from t0 to t1. Memory of the arena. SENS_BAD_INPUT with a message
 * that names what was given; SENS_NO_MEMORY. */
sens_status grid_read(struct sens_ctx *ctx, const char *text, const struct sens_problem *pb,
                      struct grid *grid, struct bench_error *error);

#endif
