/* The tangent of the two-step formula of Adams and Bashforth, restarted at every observation.
 *
 * verify: --quick --method multistep --check gradient.* */
#define NAME          "multistep"
#define KEEPS_HISTORY 0
#define SIMPSON       0
#include "multistep.h"
