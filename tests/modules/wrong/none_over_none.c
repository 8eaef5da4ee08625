/* The tangent of Bogacki and Shampine's pair, which accepts a step where an error of 0 meets a tolerance of 0.
 *
 * verify: --quick --method none_over_none
 * cause: zero_tolerance */
#define NAME        "none_over_none"
#define NONE_IS_NAN 1
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#include "own_control.h"
