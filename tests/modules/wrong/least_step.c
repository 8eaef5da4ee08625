/* The tangent of Bogacki and Shampine's pair with a step control of its own: the shortest step is taken whatever its
 * error, so that no solve ends for want of a step.
 *
 * verify: --quick --method least_step
 * cause: least_step */
#define NAME        "least_step"
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#define LEAST       SENS_C(5e-6)
#include "own_control.h"
