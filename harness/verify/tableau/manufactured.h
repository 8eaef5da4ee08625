/* harness/verify/tableau/manufactured.h - equations with a known solution, to measure the order of a formula.
 *
 * For any smooth s(t) and g(t, x), x' = s'(t) + g(t, x) - g(t, s(t)) with x(t0) = s(t0) is solved by s. Here
 * s_i = sin(w_i t + q_i) and g_i = cos(t) (sin(x_(i+1)) x_(i+2) - d_i x_i): nonlinear, coupled and
 * non-autonomous, so that no condition of order is satisfied by accident. With t as one more unknown,
 * t' = 1, the same equations are autonomous: stages then find their own time sum_j a_ij h, and c is not used. */
#ifndef VERIFY_MANUFACTURED_H
#define VERIFY_MANUFACTURED_H

#include "check.h"

enum { SPECIES = 3, UNKNOWNS = SPECIES + 1 }; /* the last unknown is the time */

struct manufactured {
    double w[SPECIES], q[SPECIES], d[SPECIES];
    double start[UNKNOWNS];       /* s(t0) */
    struct sens_problem implicit; /* f_I = -cos(t) d_i x_i of the split that additive pairs take */
};

/* Coefficients drawn by the seed. */
void manufactured_draw(struct verify *v, struct manufactured *made);
/* The instance from t = 0.3 to 1.9: its data are *made, which must not move. Right-hand side, J v, df/dt, a split. */
void manufactured_problem(struct manufactured *made, bool autonomous, struct sens_problem *problem);
/* s(t), and how far x is from it. */
void manufactured_state(const struct manufactured *made, double t, double *x);
double manufactured_distance(const struct manufactured *made, double t, const double *x);

#endif
