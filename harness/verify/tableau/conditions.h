/* harness/verify/tableau/conditions.h - the conditions of order of a formula, to rounding. */
#ifndef VERIFY_TABLEAU_CONDITIONS_H
#define VERIFY_TABLEAU_CONDITIONS_H

#include "check.h"

/* sum_i w_i Phi_i(t) = theta^r / gamma(t) for the trees t of order r <= order, at most 5: of the formula with weights w
 * [stages] at the end of the step (theta = 1), or inside it. */
void conditions_note(struct worst *worst, const struct sens_tableau *tb, const double *w, int order,
                     double theta, const char *what);

/* Those of b, to its order, and of b - e, to that of the embedded formula. */
void conditions_note_pair(struct worst *worst, const struct sens_tableau *tb);

#endif
