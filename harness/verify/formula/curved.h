/* harness/verify/formula/curved.h - equations that every family of formulas takes, for the groups formulas and
 * tolerances.
 *
 *     x_i' = p (b cos((1 + i) t) (1 + x_i / 4) - r_i (x_i + x_i^2 / 2)),   b = 1, or 0: without t
 *
 * They have df/dt and second derivatives, which Rosenbrock pairs take, and a split, which additive ones take: f_I has
 * b = 0. */
#ifndef VERIFY_CURVED_H
#define VERIFY_CURVED_H

#include "check.h"

enum { CURVED_MOST = 8 }; /* states */

struct curved {
    double forcing;            /* b */
    double rate[CURVED_MOST];  /* r_i */
    double start[CURVED_MOST]; /* x_i(0) */
    double p;
    size_t n;
    double length; /* of [0, length] */
};

/* From the unit's arena. */
void curved_problem(struct verify *v, const struct curved *settings, struct sens_problem *problem);

#endif
