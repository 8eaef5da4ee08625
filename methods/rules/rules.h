/* methods/rules/rules.h - rules of a solve that need nothing of the solver, so that a library's solver follows
 * the same. */
#ifndef SENS_RULES_H
#define SENS_RULES_H

#include "sens/method.h"

/* The first trial step, Hairer, Norsett, Wanner, Solving ODEs I, section II.4. With norms scaled by
 * atol + rtol |y0| (root mean squares), d0 of y0 and d1 of f0, the Euler step of the trial is
 *     h0 = d0 / (100 d1), at most `limit`;
 * with d2 = |f(t0 + h0, y0 + h0 f0) - f0| / h0 the first step is
 *     h = min(100 h0, (0.01 / max(d1, d2))^(1/(order+1))),   or h0 where that is none. */
sens_real sens_first_trial(sens_real d0, sens_real d1, sens_real limit);
sens_real sens_first_step(sens_real h0, sens_real d1, sens_real d2, int order);

/* Steps of size dt that fill `length`, or 0. dt and length carry the rounding of the decimals they were typed
 * as, which M steps multiply: 4 ulp of length (of double, whatever sens_real) cover it, and 1e-9 dt covers a
 * dt typed with ten digits, such as 0.3333333333. A dt that is wrong is wrong by far more. */
long sens_whole_steps(sens_real dt, sens_real length);

/* fmax where b is a number; one instruction, where fmax is a call. */
static inline sens_real sens_larger(sens_real a, sens_real b)
{
    return a > b ? a : b;
}

/* Is each of the numbers finite? Few are worth neither a call nor vectors, which a loop that may end early does not
 * become. */
bool sens_many_finite(size_t count, const sens_real *v);
static inline bool sens_finite(size_t count, const sens_real *v)
{
    enum { FEW = 16 };
    if (count > FEW) return sens_many_finite(count, v);
#pragma GCC unroll 1
    for (size_t q = 0; q < count; q++)
        if (!(0 * v[q] == 0)) return false; /* 0 v is 0 or NaN */
    return true;
}

#endif
