/* harness/verify/oracle/taylor.h - is a derivative the derivative? The order of the Taylor remainder.
 *
 *     r(eps) = |G(q + eps d) - G(q) - eps G'(q) d|  =  |a| eps + |c| eps^2 + ... + noise
 *
 * a is the error of the derivative: 0, and r falls as eps^2 (or faster), where the derivative is right, as
 * eps where it is not. One eps cannot tell: too large, and higher terms show; too small, and only rounding
 * does. So r is taken over many decades of eps, and the slope d log r / d log eps from the lowest stretch of
 * at least one decade that is clean: r above the noise throughout, and all local slopes alike. The lowest,
 * because a small a shows there first; from there the stretch is taken as far up as it stays clean.
 *
 * Where G has a kink near q, r falls as eps, too, for a right derivative; but not on both sides by the same
 * a, or not down to the noise. Then an output decides nothing. */
#ifndef VERIFY_TAYLOR_H
#define VERIFY_TAYLOR_H

#include "bed.h"

enum { TAYLOR_POINTS = 18 };

/* eps from largest, by half decades. */
void taylor_scales(double largest, double eps[TAYLOR_POINTS]);

struct taylor {
    double slope;     /* over the stretch */
    double low, high; /* from eps = low to high */
};

/* r [count] at eps [count], falling, with what rounding does to each, noise [count]. false: no clean decade
 * above the noise, so that nothing can be said of the slope. */
bool taylor_slope(int count, const double *eps, const double *r, const double *noise, struct taylor *fit);

/* Does a line r = |a| eps that begins at eps = low end below it? The error of a derivative goes on down to the noise;
 * what crosses a kink at some eps, or saturates from there on, as a fast mode does, does not. `noise` may be larger
 * than it really is. */
bool taylor_breaks_off(int count, const double *eps, const double *r, const double *noise, double low);

/* The remainders of every output along a random direction of p and one of x0, over the steps of the last
 * bed_solve: G from the harness's own map, which uses rhs alone, G' from *got*. `right` has G at the point
 * itself; `bound` what rounding does to G and to G'. */
void taylor_remainders(struct worst *worst, const struct bed *bed, const struct sens_out *got,
                       const struct sens_out *right, const struct sens_out *bound);

#endif
