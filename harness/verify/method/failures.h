/* harness/verify/method/failures.h - a method on a problem that can be made to fail, see failures.c. */
#ifndef VERIFY_FAILURES_H
#define VERIFY_FAILURES_H

#include "decorate.h"
#include "trial.h"

struct fragile {
    struct scene scene;
    struct bed bed; /* the scene's task on the decorated problem */
    struct injection injection;
    struct sens_out healthy;
    struct expected expected; /* on adapted steps, of a method that is right when healthy */
    struct expected exact;    /* where exact_known: of a method that takes a tolerance, on adapted steps */
    unsigned long in_prepare[INJECT_PLACES], in_all[INJECT_PLACES]; /* calls of a healthy solve */
    struct sens_work work;
    size_t requests, bytes; /* to the arena, in prepare */
    bool made, exact_known, expects,
        sound; /* sound: where nothing is expected, the healthy result is the exact one */
};

/* Of tolerances: what other steps, behind a failure, may make of any result. Something of a step that has failed is of
 * the size of a step. */
static const double FAILURES_OTHER_STEPS = 50;
/* So many of them, of each part; of quotients, which have the noise of their values, of x and G alone. */
struct sens_out failures_allow_steps(const struct fragile *f, double tolerances);

/* fail.limit */
void failures_check_limits(struct verify *v, struct fragile way[2]);
/* fail.memory */
void failures_check_memory(struct verify *v, struct fragile way[2]);

#endif
