/* At the time of a jump rhs takes the side after it, and the derivatives by parameters that before it: where a step
 * ends there, the derivative of the steps is wrong.
 * verify: --quick --problem stops_late
 * module: problem stops_late
 * cause: product_window */
#define NAME          "stops_late"
#define STOPPED(t, s) ((t) > (s))
#include "infusion.h"
