/* Exponential time differencing of order 2, whose running cost is a sum of rectangles: G and its gradient are of order
 * 1.
 *
 * verify: --quick --method rectangles --check order.*
 * cause: lower_order */
#define NAME       "rectangles"
#define PHI2       by_series
#define RECTANGLES 1
#include "exponential.h"

static sens_real by_series(sens_real z)
{
    return z > -1 ? series(z) : (expm1(z) / z - 1) / z;
}
