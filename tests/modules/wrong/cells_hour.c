/* Cells in a line, declared with a df/dx that is the same for all t and x; but for a while all goes faster.
 *
 * verify: --quick --problem cells_hour
 * module: problem cells_hour
 * cause: not_constant */
#define NAME "cells_hour"
#include "cells.h"

static sens_real weight(sens_real t, sens_real x)
{
    (void)x;
    return t > SENS_C(1.31) && t < SENS_C(1.47) ? SENS_C(1.25) : 1;
}
