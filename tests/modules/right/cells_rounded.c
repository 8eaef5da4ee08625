/* Cells in a line whose df/dx is the same for all t and x, but for the last digits: a factor of each row is
 * (1 + x) - x.
 *
 * verify: --quick --problem cells_rounded */
#define NAME "cells_rounded"
#include "cells.h"

static sens_real weight(sens_real t, sens_real x)
{
    (void)t;
    return (1 + x) - x;
}
