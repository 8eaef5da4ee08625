/* The implicit midpoint rule, whose tangent takes df/dp at the beginning of the step: dG/dx0 is right.
 *
 * verify: --quick --method parameters_of_start
 * cause: parameter_sum */
#define NAME                "parameters_of_start"
#define FACTORS_OF_START    0
#define PARAMETERS_OF_START 1
#include "implicit_midpoint.h"
