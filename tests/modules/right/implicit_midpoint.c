/* The implicit midpoint rule and its tangent: Newton to the last digit, then one more factorisation.
 *
 * verify: --quick --method implicit_midpoint --check gradient.* */
#define NAME             "implicit_midpoint"
#define FACTORS_OF_START 0
#include "implicit_midpoint.h"
