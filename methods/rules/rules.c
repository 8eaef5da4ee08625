/* Rules of a solve, see rules.h. */
#include "rules.h"

#include <float.h>
#include <limits.h>
#include <tgmath.h>

sens_real sens_first_trial(sens_real d0, sens_real d1, sens_real limit)
{
    const sens_real h0 = d0 < SENS_C(1e-5) || d1 < SENS_C(1e-5) ? SENS_C(1e-6) : SENS_C(0.01) * d0 / d1;
    return fmin(h0 > 0 ? h0 : SENS_C(1e-6), limit); /* d1 is infinite where a scale is 0 */
}

sens_real sens_first_step(sens_real h0, sens_real d1, sens_real d2, int order)
{
    const sens_real steepest = fmax(d1, d2);
    const sens_real h1 = steepest <= SENS_C(1e-15) ? fmax(SENS_C(1e-6), h0 * SENS_C(1e-3))
                                                   : pow(SENS_C(0.01) / steepest, 1 / (sens_real)(order + 1));
    const sens_real h = fmin(100 * h0, h1);
    return isfinite(h) && h > 0 ? h : h0;
}

long sens_whole_steps(sens_real dt, sens_real length)
{
    const sens_real steps = round(length / dt);
    if (!(steps >= 1 && steps <= (sens_real)LONG_MAX / 2)) return 0;
    const sens_real tolerance = SENS_C(1e-9) * dt + 4 * (sens_real)DBL_EPSILON * length;
    return fabs(steps * dt - length) <= tolerance ? (long)steps : 0;
}

/* Sums of 0 v, which are 0 or NaN, vectorise. */
bool sens_many_finite(size_t count, const sens_real *v)
{
    enum { LANES = 8 };
    sens_real zeros[LANES] = {0}, zero = 0;
    size_t q = 0;
    for (; q + LANES <= count; q += LANES)
        for (size_t l = 0; l < LANES; l++) zeros[l] += 0 * v[q + l];
    for (size_t l = 0; l < LANES; l++) zero += zeros[l];
    for (; q < count; q++) zero += 0 * v[q];
    return zero == 0;
}
