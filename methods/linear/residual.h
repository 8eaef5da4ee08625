/* methods/linear/residual.h - is a solution right to rounding? Each equation by itself (Oettli & Prager, Numer. Math. 6
 * (1964) 405-409): its residual is rounding of its own terms. */
#ifndef SENS_RESIDUAL_H
#define SENS_RESIDUAL_H

#include "sens/method.h"

/* R = 0 in the lanes in which every equation is right to rounding of its own terms, the sum of whose sizes is `terms`,
 * or of terms as small, in their units, as rounding of rounding of the lane's largest: states far from what the cost
 * looks at, if units of states are not 1e31 apart. entries: of an equation, on average. unit [rows]: what the numbers
 * of an equation are multiples of; NULL: all are 1. All else [rows][L]. Is any lane left? */
bool sens_residual_leave_off(size_t rows, size_t L, sens_real entries, const sens_real *unit,
                             const sens_real *terms, sens_real *R);

#endif
