/* A continuous adjoint, adaptive and with a pair of its own, that says it is the derivative of its map.
 * verify: --quick --method continuous_as_discrete
 * cause: kind_misdeclared */
#define NAME       "continuous_as_discrete"
#define DERIVATIVE SENS_DERIVATIVE_DISCRETE
#include "continuous_adjoint.h"
