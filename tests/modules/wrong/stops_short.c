/* An adaptive tangent that takes a step which ends half a percent short of a stop for one that ends there: the state is
 * that of the earlier time.
 *
 * verify: --quick --method stops_short
 * cause: lands_beside */
#define NAME          "stops_short"
#define KEEPS_SLOPE   0
#define KEEPS_STEP    0
#define ARRIVES       SENS_C(0.995)
#define LAST(h, left) fmin(h, left)
#include "own_control.h"
