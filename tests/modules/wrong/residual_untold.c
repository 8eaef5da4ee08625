/* The iteration for a step ends where it leaves a hundredth of the tolerance, and the method says nothing of it.
 *
 * verify: --quick --method residual_untold
 * cause: kind_misdeclared derivative_not_solver */
#define NAME     "residual_untold"
#define ADAPTIVE 1
#define LEAVES   1e-2
#define REPORTS  0
#include "trapezoid.h"
