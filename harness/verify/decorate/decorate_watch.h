/* harness/verify/decorate/decorate_watch.h - a problem and a cost that look at what a method asks of them.
 *
 * The contract (sens/problem.h, sens/cost.h) says what a callback may be asked for: t in [t0, t1], columns
 * k0 + L <= np, observations j < n_obs, x0 and its derivatives only where the state depends on p, numbers that
 * are there, aligned as numbers are, and outputs that share no memory with inputs. A call that breaks it is
 * noted; one whose answer would need numbers that there are not is not handed on. */
#ifndef VERIFY_DECORATE_WATCH_H
#define VERIFY_DECORATE_WATCH_H

#include <stdatomic.h>

#include "decorate.h"

struct watch {
    atomic_int broken;              /* calls that break the contract; several threads may call */
    char first[VERIFY_SUBJECT / 2]; /* the first of them, in words */
};

/* As the inner one, structure and all. */
void decorate_watch(struct verify *v, const struct sens_problem *inner, struct watch *watch,
                    struct sens_problem *problem);
/* t0 and t1 are those of the problem that it goes with. */
void decorate_watch_cost(struct verify *v, const struct sens_cost *inner, double t0, double t1,
                         struct watch *watch, struct sens_cost *cost);

#endif
