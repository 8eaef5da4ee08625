/* Exponential time differencing of order 2 by its formula: for small rates no digit of e^z - 1 - z is right. At the
 * rate 0, a branch of its own, and at the default it is right.
 *
 * verify: --quick --method digits_cancel --check drawn.*
 * cause: cancels */
#define NAME "digits_cancel"
#define PHI2 by_formula
#include "exponential.h"

static sens_real by_formula(sens_real z)
{
    return (exp(z) - 1 - z) / (z * z);
}
