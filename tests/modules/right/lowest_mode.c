/* Heat in a rod from its lowest mode: the state allows steps on which the others, which no error test of the state
 * sees, grow in its sensitivities.
 *
 * verify: --quick --problem lowest_mode */
#define NAME   "lowest_mode"
#define LENGTH 2
#include "rod.h"
