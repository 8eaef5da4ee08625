/* harness/verify/call/made_files.h - files of numbers for options that take one. What is to be in it the author alone
 * knows: several layouts are made up, and those that a module takes are looked at. */
#ifndef VERIFY_MADE_FILES_H
#define VERIFY_MADE_FILES_H

#include "check.h"

enum { MADE_FILES = 20 };

struct made_file {
    size_t count;
    const double *number; /* [count]; all differ, and none is 1 or 0 */
    const char *words;
    bool measured; /* with a header */
};

struct file_sizes { /* of what the module goes with */
    size_t n, np;
    double t0, t1;
};

/* Fills `file`, in the unit's arena, and returns how many there are. */
size_t files_make(struct verify *v, const struct file_sizes *sizes, struct made_file file[MADE_FILES]);

/* The same with a header, as a cost takes them (sens/option.h): measurements of the n states, two of them at one time,
 * with weights that differ, some missing, with a standard deviation each, with few, and with none. */
size_t files_make_measured(struct verify *v, const struct file_sizes *sizes,
                           struct made_file file[MADE_FILES]);

#endif
