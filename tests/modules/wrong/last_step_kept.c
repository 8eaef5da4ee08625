/* The tangent of Bogacki and Shampine's pair, which begins with the step that the run before ended with.
 *
 * verify: --quick --method last_step_kept --check again.*
 * cause: stale_workspace dirty_buffer */
#define NAME        "last_step_kept"
#define KEEPS_SLOPE 0
#define KEEPS_STEP  1
#include "own_control.h"
