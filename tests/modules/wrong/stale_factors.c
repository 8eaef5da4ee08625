/* The implicit midpoint rule, whose tangent is solved with the factors left over from a simplified Newton
 * iteration: those of df/dx at the beginning of the step.
 *
 * verify: --quick --method stale_factors
 * cause: stale_jacobian stale_stage */
#define NAME             "stale_factors"
#define FACTORS_OF_START 1
#include "implicit_midpoint.h"
