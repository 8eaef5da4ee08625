/* The implicit midpoint rule for problems with a mass matrix.
 * verify: --quick --method midpoint_mass */
#define NAME                "midpoint_mass"
#define FACTORS_OF_START    0
#define HAS_ROW(M, i, of_S) true
#include "implicit_midpoint.h"
