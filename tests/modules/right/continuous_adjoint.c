/* The twin of wrong/continuous_as_discrete: the same numbers, declared as what they are.
 * verify: --quick --method continuous_adjoint */
#define NAME       "continuous_adjoint"
#define DERIVATIVE SENS_DERIVATIVE_CONTINUOUS
#include "continuous_adjoint.h"
