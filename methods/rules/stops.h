/* methods/rules/stops.h - the times at which a solve has to land. Needs nothing of the solver. */
#ifndef SENS_STOPS_H
#define SENS_STOPS_H

#include "sens/method.h"

/* The stops of a task: its cost's observation times after t0, then t1 where it is none of them. *stops is
 * allocated from the arena; obs[j] is the observation that stop j serves, or -1. An observation at t0
 * is no stop: *obs_at_t0 is 0 then, else -1. */
struct sens_stops {
    size_t n;
    const sens_real *t;
    const long *obs;
    long obs_at_t0;
};
sens_status sens_stops_create(struct sens_ctx *ctx, const struct sens_task *task, struct sens_stops *stops);

#endif
