/* Exponential time differencing of order 2, with a series where digits would cancel.
 *
 * verify: --quick --method exponential */
#define NAME "exponential"
#define PHI2 by_series
#include "exponential.h"

static sens_real by_series(sens_real z)
{
    return z > -1 ? series(z) : (expm1(z) / z - 1) / z;
}
