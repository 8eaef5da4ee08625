/* A continuous adjoint, right but for what it tells of its memory: numbers, and not bytes.
 *
 * verify: --quick --method numbers_for_bytes --check work.*
 * cause: work_miscounted */
#define NAME       "numbers_for_bytes"
#define DERIVATIVE SENS_DERIVATIVE_CONTINUOUS
#define BYTES      1
#include "continuous_adjoint.h"
