/* The tangent of Bogacki and Shampine's pair, which takes the tolerance of several components for that of one.
 *
 * verify: --quick --method part_is_component
 * cause: tolerance_of_other */
#define NAME              "part_is_component"
#define PARTS_COUNT(part) 1
#define KEEPS_SLOPE       0
#define KEEPS_STEP        0
#include "own_control.h"
