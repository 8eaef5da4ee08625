/* The iteration for a step ends where it leaves as much as the tolerance in each step: its derivative is no
 * longer that of the numbers computed, and that it says so does not excuse it.
 *
 * verify: --quick --method residual_large
 * cause: kind_misdeclared derivative_not_solver */
#define NAME     "residual_large"
#define ADAPTIVE 1
#define LEAVES   1
#include "trapezoid.h"
