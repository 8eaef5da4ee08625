/* The tangent of Bogacki and Shampine's pair with a step control of its own, which takes G back where a trial's error
 * is too large, and not where the right-hand side has no value.
 *
 * verify: --quick --method failed_trial_adds
 * cause: after_rejection */
#define NAME        "failed_trial_adds"
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#define FIRST       1
#define FAILED_ADDS 1
#include "own_control.h"
