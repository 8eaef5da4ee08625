/* The implicit midpoint rule with steps that are doubled until the state settles, whose tangent is solved with
 * df/dx at the beginning of the step: exact at a tight tolerance, and wrong at any.
 *
 * verify: --quick --method stale_factors_doubled --check gradient.own
 * cause: stale_jacobian stale_stage */
#define NAME             "stale_factors_doubled"
#define FACTORS_OF_START 1
#define DOUBLES          1
#include "implicit_midpoint.h"
