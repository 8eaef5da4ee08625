/* The tangent of the two-step formula of Adams and Bashforth, whose history is never reset: a run begins with
 * the last slope of the run before.
 *
 * verify: --quick --method history_not_reset --check again.*
 * cause: stale_workspace dirty_buffer */
#define NAME          "history_not_reset"
#define KEEPS_HISTORY 1
#define SIMPSON       0
#include "multistep.h"
