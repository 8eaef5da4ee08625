/* harness/verify/tasks/oscillators.h - linear equations whose systems have to be solved with rows exchanged.
 *
 *     x' = p k B x,    B = b e_0 e_0^T + R_12 + R_34 + W,    R_ij = e_i e_j^T - e_j e_i^T
 *     x' = p k C x,    C = -C^T with growing strengths along the chain of states
 *
 * One slow state and two pairs that turn, coupled weakly by W, of which no entry is 0. Where h gamma p k is above 1,
 * elimination of I - h gamma p k B meets its largest pivot off the diagonal, and not in the first column: what W has
 * put below the diagonal there has to follow the exchange. With C each row is exchanged with the next in turn, so that
 * the order of the exchanges counts. One parameter; rhs_t is 0, hvp is there, and f_I of the split is three quarters
 * of f. */
#ifndef VERIFY_OSCILLATORS_H
#define VERIFY_OSCILLATORS_H

#include "check.h"

/* On [0, 1]; *k is read at each call. From the unit's arena. */
void oscillators_problem(struct verify *v, const double *k, struct sens_problem *problem);
void oscillators_in_turn(struct verify *v, const double *k, struct sens_problem *problem);

#endif
