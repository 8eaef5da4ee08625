/* harness/analyse/fit/experiments.h - the experiments that data are of, and what sets each apart.
 *
 *     experiment,gut,T
 *     1,10,12
 *     2,5,
 *
 * A table with a header line: `experiment`, its number as in the data, then options of the problem or keys of the cell,
 * whose values in a line are those of that experiment. A value that is empty, NA or nan stays as it is for all; one
 * that is there counts before the numbers of files (params, x0). Cells, comments and line ends are those of data
 * (data_file.h). */
#ifndef FIT_EXPERIMENTS_H
#define FIT_EXPERIMENTS_H

#include "cell.h"

enum { EXPERIMENTS_MAX = 1000 };

struct experiments { /* memory of the arena */
    size_t count;
    struct cell *cell; /* [count] */
    double *number;    /* [count] */
};

/* A cell for each line, from `spec` and what the line says; path NULL: one cell, of `spec` alone. The statuses of
 * cell_resolve; SENS_BAD_INPUT with file, line and value; SENS_NO_MEMORY. */
sens_status experiments_read(struct sens_ctx *ctx, const char *path, const struct spec *spec,
                             struct experiments *experiments, struct bench_error *error);

#endif
