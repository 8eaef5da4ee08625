/* The tangent of the two-step formula of Adams and Bashforth, with Simpson's rule for the running cost: right
 * for an even number of steps.
 *
 * verify: --quick --method simpson_odd
 * cause: remainder */
#define NAME          "simpson_odd"
#define KEEPS_HISTORY 0
#define SIMPSON       1
#include "multistep.h"
