/* harness/verify/call/made_files.h - files of numbers for options that take one. What is to be in it the author alone
 * knows: several layouts are made up, and those that a module takes are looked at. */
#ifndef VERIFY_MADE_FILES_H
#define VERIFY_MADE_FILES_H

#include "check.h"

enum { MADE_FILES = 24 };

struct made_file {
    size_t count;
    const double *number; /* [count]; all differ, and none is 1 or 0 */
    const char *words;
    bool measured; /* with a header, and so many quantities beside the n states */
    size_t quantities;
    const size_t *quantity;
    bool repeats; /* rows that name the same places twice */
};

struct file_sizes { /* of what the module goes with */
    size_t n, np;
    double t0, t1;
};

/* Fills `file`, in the unit's arena, and returns how many there are: rows of numbers, with and without times, and
 * tables of a network, whose rows name two places each, from 0 or from 1 on. */
size_t files_make(struct verify *v, const struct file_sizes *sizes, struct made_file file[MADE_FILES]);

/* The same with a header, as a cost takes them (sens/option.h): measurements of the n states, two at a time at both
 * ends, with weights that differ, some missing, with a standard deviation each, with few, and with none; then with
 * quantities of the problem as well. */
size_t files_make_measured(struct verify *v, const struct file_sizes *sizes,
                           struct made_file file[MADE_FILES]);

#endif
