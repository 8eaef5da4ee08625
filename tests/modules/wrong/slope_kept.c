/* The tangent of Bogacki and Shampine's pair, first same as last, whose first slope of a run is the last one
 * of the run before. (Nothing is kept before the first run.)
 *
 * verify: --quick --method slope_kept
 * cause: stale_workspace dirty_buffer */
#define NAME        "slope_kept"
#define KEEPS_SLOPE 1
#define KEEPS_STEP  0
#include "own_control.h"
