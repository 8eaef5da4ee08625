/* Cells in a line, declared with a df/dx that is the same for all t and x; but where a cell holds less than nothing,
 * all goes by a tenth faster. From where it starts no solution gets there.
 *
 * verify: --quick --problem cells_leak
 * module: problem cells_leak
 * cause: not_constant */
#define NAME "cells_leak"
#include "cells.h"

static sens_real weight(sens_real t, sens_real x)
{
    (void)t;
    return x < 0 ? SENS_C(1.1) : 1;
}
