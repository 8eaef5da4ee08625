/* harness/verify/tasks/ring.h - equations whose matrices change their look on the way.
 *
 *     x_i' = p k (x_(i-1)^2 - x_i^2),     i modulo n, from one state at 1 and the others at 0
 *
 * df/dx has two entries a row, declared as a pattern. All but two of them are 0 where the solve begins, and none
 * later: who looks for entries there finds too few. Elimination of I - h gamma df/dx fills the last column in: who
 * leaves the factors of the step before where the pattern has nothing has them in the next matrix. The open chain, from
 * states that are all of the size of 1 and with x_0' = - p k x_0^2, has neither. One parameter; hvp is there. */
#ifndef VERIFY_RING_H
#define VERIFY_RING_H

#include "check.h"

/* On [0, 1]; *k is read at each call. From the unit's arena. */
void ring_problem(struct verify *v, const double *k, struct sens_problem *problem);
void ring_open_problem(struct verify *v, const double *k, struct sens_problem *problem);

#endif
