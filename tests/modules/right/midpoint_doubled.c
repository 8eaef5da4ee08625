/* The implicit midpoint rule with steps that are doubled until the state settles; where max_steps are too few
 * for the tolerance it says so.
 *
 * verify: --seed 4 --method midpoint_doubled --check cost.parts */
#define NAME             "midpoint_doubled"
#define FACTORS_OF_START 0
#define DOUBLES          1
#include "implicit_midpoint.h"
