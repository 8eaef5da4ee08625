/* harness/cell/data_file.h - measurements of states and quantities, with a header line that names them.
 *
 *     t,prey,predators sigma=0.1,sigma_prey,weight
 *     0.5,1.2,0.7,0.05,1
 *     0.5,NA,0.66,,2
 *
 * The first cell of the header is `t` or `time`. Each other names a state, or a quantity of the model, with or without
 * one standard deviation for the whole column, or is `sigma_NAME`, the standard deviation of each value, or `weight`,
 * which counts a row as so many, or `experiment`, the number of the experiment that a row belongs to. Cells are
 * separated by TABs where the header has one, else by commas; they may stand in double quotes, commas inside of
 * brackets separate nothing, blanks around a cell do not count. A value that is empty, NA or nan (in any case) was not
 * measured. Lines may end with CR LF; # begins a comment; empty lines are skipped. Times do not fall from line to line
 * of an experiment, equal ones are repeated measurements. */
#ifndef CELL_DATA_FILE_H
#define CELL_DATA_FILE_H

#include "sens/problem.h"
#include "values.h"

struct data_wanted {
    double experiment; /* whose lines; 0: the file has no such column */
    bool sigma;        /* each measurement has to have its standard deviation: likelihood=on */
};

/* The measurements for a problem, whose names are labels_find's, as struct sens_value says; of a file whose
 * first line has no names, its numbers. Of those with an experiment the lines of one (1, 2, ...) are taken, times of
 * others may lie outside of the interval; 0: a file without such a column. In ctx's arena.
 * SENS_BAD_INPUT with file, line and value; SENS_NO_MEMORY. */
sens_status data_file_read(struct sens_ctx *ctx, const struct spec_pair *pair, const struct sens_problem *pb,
                           const struct data_wanted *wanted, struct sens_value *value,
                           struct bench_error *error);

#endif
