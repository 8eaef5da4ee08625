/* A continuous adjoint with dG/dp outside the error test of its backward solve, which need not be in it.
 *
 * verify: --quick --method untested_quadrature */
#define NAME        "untested_quadrature"
#define DERIVATIVE  SENS_DERIVATIVE_CONTINUOUS
#define MU_UNTESTED 1
#include "continuous_adjoint.h"
