/* methods/rk/tableaux.h - the explicit Runge-Kutta pairs on offer.
 *
 * Adding one: its coefficients in a tableaux*.c file, a line here and one in the list in tableaux.c.
 * Coefficients are exact rationals (SENS_Q) or all digits of the source (SENS_C), never rounded to double on
 * the way; the order conditions, those of the embedded formula and of the dense output are tested for every
 * entry of the list. */
#ifndef SENS_TABLEAUX_H
#define SENS_TABLEAUX_H

#include "sens/tableau.h"

extern const struct sens_tableau sens_tableau_euler, sens_tableau_heun, sens_tableau_midpoint,
    sens_tableau_rk4, sens_tableau_bs32, sens_tableau_cash_karp, sens_tableau_fehlberg45, sens_tableau_dopri5,
    sens_tableau_tsit5, sens_tableau_verner65, sens_tableau_fehlberg78, sens_tableau_dop853;

extern const struct sens_tableau *const sens_tableaux[]; /* NULL-terminated, by order */

/* Row i of B for a continuous extension that adds multiples of theta^2 (1 - theta)^2 to the cubic Hermite
 * polynomial:
 *
 *     sum_d B_id theta^d = Hermite_i(theta)
 *                        + theta^2 (1 - theta)^2 (p0 + p1 theta + p2 theta^2 + p3 theta^3).
 *
 * b is b_i; first and last are 1 for the stage that is the slope at the start and at the end of the step,
 * else 0. The Hermite part is first theta + (3 b - 2 first - last) theta^2 + (first + last - 2 b) theta^3. */
#define SENS_DENSE_HERMITE_2(b, first, last) (3 * (b)-2 * (first) - (last))
#define SENS_DENSE_HERMITE_3(b, first, last) ((first) + (last)-2 * (b))
#define SENS_DENSE_4(b, first, last, p0)                                                                     \
    (first), SENS_DENSE_HERMITE_2(b, first, last) + (p0), SENS_DENSE_HERMITE_3(b, first, last) - 2 * (p0),   \
        (p0)
#define SENS_DENSE_7(b, first, last, p0, p1, p2, p3)                                                         \
    (first), SENS_DENSE_HERMITE_2(b, first, last) + (p0),                                                    \
        SENS_DENSE_HERMITE_3(b, first, last) + (p1)-2 * (p0), (p2)-2 * (p1) + (p0), (p3)-2 * (p2) + (p1),    \
        (p2)-2 * (p3), (p3)

#endif
