/* harness/verify/method/trials.h - work.trials (trials.c), of the group `surroundings`. */
#ifndef VERIFY_TRIALS_H
#define VERIFY_TRIALS_H

#include "check.h"

void trials_check(struct verify *v);

#endif
