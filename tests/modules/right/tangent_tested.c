/* The variational equations by Bogacki and Shampine's pair with a step control of its own: each component of x is held
 * to its tolerance, S to those of the task, which are the least of each.
 *
 * verify: --quick --method tangent_tested */
#define NAME          "tangent_tested"
#define KEEPS_SLOPE   0
#define KEEPS_STEP    0
#define TESTS_TANGENT 1
#include "own_control.h"
