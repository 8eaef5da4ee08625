/* methods/tableaux/tableaux.h - the Runge-Kutta pairs on offer.
 *
 * Adding one: its coefficients in a tableaux*.c file, and a line in SENS_TABLEAU_LIST or SENS_IMPLICIT_LIST.
 * Coefficients are exact rationals (SENS_Q) or all digits of the source (SENS_C), never rounded to double on
 * the way; the order conditions, those of the embedded formula and of the dense output are tested for every
 * entry of the list. */
#ifndef SENS_TABLEAUX_H
#define SENS_TABLEAUX_H

#include "sens/context.h"
#include "sens/tableau.h"

/* Every explicit pair, by order. */
#define SENS_TABLEAU_LIST(X)                                                                                 \
    X(euler)                                                                                                 \
    X(heun)                                                                                                  \
    X(midpoint)                                                                                              \
    X(rk4)                                                                                                   \
    X(bs32)                                                                                                  \
    X(cash_karp)                                                                                             \
    X(fehlberg45)                                                                                            \
    X(dopri5)                                                                                                \
    X(tsit5)                                                                                                 \
    X(verner65)                                                                                              \
    X(fehlberg78)                                                                                            \
    X(dop853)

/* Every implicit one. */
#define SENS_IMPLICIT_LIST(X)                                                                                \
    X(backward_euler)                                                                                        \
    X(crank_nicolson)                                                                                        \
    X(theta)                                                                                                 \
    X(sdirk2a)                                                                                               \
    X(sdirk2b)                                                                                               \
    X(tr_bdf2)                                                                                               \
    X(sdirk3a)                                                                                               \
    X(sdirk4a)                                                                                               \
    X(sdirk4b)                                                                                               \
    X(kvaerno43)                                                                                             \
    X(kvaerno54)                                                                                             \
    X(ark32)                                                                                                 \
    X(ark43)                                                                                                 \
    X(radau_iia5)                                                                                            \
    X(radau_ia5)                                                                                             \
    X(lobatto_iiic4)                                                                                         \
    X(gauss6)                                                                                                \
    X(ros2)                                                                                                  \
    X(ros3)                                                                                                  \
    X(rodas3)                                                                                                \
    X(ros4)                                                                                                  \
    X(rodas4)                                                                                                \
    X(rodas5p)                                                                                               \
    X(auto)

#define SENS_TABLEAU_EXTERN(name) extern const struct sens_tableau sens_tableau_##name;
SENS_TABLEAU_LIST(SENS_TABLEAU_EXTERN)
SENS_IMPLICIT_LIST(SENS_TABLEAU_EXTERN)
#undef SENS_TABLEAU_EXTERN

/* The theta method of this theta, in (0, 1], under this name, of at most 63 characters; memory from the arena.
 * SENS_BAD_INPUT for another theta, SENS_NO_MEMORY. */
sens_status sens_theta_tableau(struct sens_ctx *ctx, double theta, const char *name,
                               const struct sens_tableau **tableau);

extern const struct sens_tableau *const sens_tableaux[]; /* of these lists, NULL-terminated */
extern const struct sens_tableau *const sens_implicit_tableaux[];

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
#define SENS_DENSE_5(b, first, last, p0, p1)                                                                 \
    (first), SENS_DENSE_HERMITE_2(b, first, last) + (p0),                                                    \
        SENS_DENSE_HERMITE_3(b, first, last) + (p1)-2 * (p0), (p0)-2 * (p1), (p1)
#define SENS_DENSE_7(b, first, last, p0, p1, p2, p3)                                                         \
    (first), SENS_DENSE_HERMITE_2(b, first, last) + (p0),                                                    \
        SENS_DENSE_HERMITE_3(b, first, last) + (p1)-2 * (p0), (p2)-2 * (p1) + (p0), (p3)-2 * (p2) + (p1),    \
        (p2)-2 * (p3), (p3)

#endif
