/* Central differences that compute x0(p) anew for each bump of a parameter, and not after the last one: dG/dx0 is taken
 * beside the initial state.
 *
 * verify: --quick --method start_left_moved
 * cause: stale_workspace one_part_only */
#define NAME       "start_left_moved"
#define DOUBLES    0
#define LEFT_MOVED 1
#include "quotients.h"
