/* A continuous adjoint whose cubic between the steps takes the slopes at their ends for one another: it meets the
 * states there, and its error falls with the tolerance, as h^2.
 *
 * verify: --quick --method slopes_exchanged
 * cause: lower_order */
#define NAME       "slopes_exchanged"
#define DERIVATIVE SENS_DERIVATIVE_CONTINUOUS
#define FIRST      1
#include "continuous_adjoint.h"
