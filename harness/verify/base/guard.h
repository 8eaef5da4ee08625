/* harness/verify/base/guard.h - outputs between numbers that nobody may change. */
#ifndef VERIFY_GUARD_H
#define VERIFY_GUARD_H

#include "verify.h"

/* `count` zeros, to be written by the code under test, with guards before and behind; v's. */
double *guard_create(struct verify *v, size_t count);

/* How many numbers of the guards of such an array have changed; NULL has none. */
size_t guard_breaches(size_t count, const double *output);

#endif
