/* methods/implicit/newton.h - when Newton's method for implicit stages is at its end.
 *
 * With theta the ratio of two corrections, what is left after one is at most theta / (1 - theta) times as large
 * as it: the stopping rule of Hairer & Wanner, Solving ODEs II, IV.8. The bound is rounding, not a part of the
 * tolerance: derivatives of the map are those of converged stages, and with J from the step's start the
 * iterations that this takes more are few. All of it depends on the iterates alone, so that a step can be had
 * again, bit for bit. */
#ifndef SENS_NEWTON_H
#define SENS_NEWTON_H

#include "system.h"

struct sens_newton {              /* starts as all 0 */
    sens_real own;                /* the largest correction relative to its component */
    sens_real size;               /* relative to its component or to atol / rtol, whichever is larger */
    sens_real near;               /* the same, or to the largest component where all are below atol / rtol */
    sens_real largest;            /* relative to the largest component */
    sens_real theta, fastest;     /* of two corrections the ratio; the smallest so far */
    int count, renewals, growths; /* of corrections */
};

/* DONE: *it is. RENEW: df/dx is too far away, and is to be formed anew at the iterate. FAILED: NOT_CONVERGED. */
enum sens_newton_next { SENS_NEWTON_GO_ON, SENS_NEWTON_RENEW, SENS_NEWTON_DONE, SENS_NEWTON_FAILED };

/* After a correction d of Y, both [size], which are one or more states of the system. */
enum sens_newton_next sens_newton_judge(const struct sens_ode *ode, size_t size, const sens_real *d,
                                        const sens_real *Y, struct sens_newton *it);

/* What is left, as a multiple of the largest component. */
double sens_newton_left(const struct sens_newton *it);

#endif
