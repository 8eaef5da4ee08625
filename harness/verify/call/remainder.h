/* harness/verify/call/remainder.h - faults that come and go with the rest that a size leaves. */
#ifndef VERIFY_REMAINDER_H
#define VERIFY_REMAINDER_H

#include "check.h"

/* Of sizes from `size` on, which is wrong: does what is wrong repeat with a period of 2, 4 or 8, with right
 * ones in between? Then it is said and blamed. `wrong` tells of one size. */
bool remainder_blame(bool (*wrong)(const void *self, long size), const void *self, long size,
                     const char *name, struct verify_result *result);

#endif
