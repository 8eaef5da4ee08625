/* The iteration for a step ends where it leaves 1e-4 of the tolerance, and says so: the derivative is that of the
 * step's equations at the numbers computed, and those of the method's values know it no better.
 *
 * verify: --quick --method newton_residual */
#define NAME     "newton_residual"
#define ADAPTIVE 1
#define LEAVES   1e-4
#include "trapezoid.h"
