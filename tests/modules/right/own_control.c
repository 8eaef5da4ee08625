/* The tangent of Bogacki and Shampine's pair with a step control of its own, first same as last.
 *
 * verify: --quick --method own_control --check gradient.* */
#define NAME        "own_control"
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#include "own_control.h"
