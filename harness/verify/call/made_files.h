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
};

struct file_sizes { /* of what the module goes with */
    size_t n, np;
    double t0, t1;
};

/* Fills `file`, in the unit's arena, and returns how many there are. */
size_t files_make(struct verify *v, const struct file_sizes *sizes, struct made_file file[MADE_FILES]);

#endif
