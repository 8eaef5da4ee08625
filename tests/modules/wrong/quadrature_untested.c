/* A continuous adjoint with dG/dp outside the error test of its backward solve: where state and adjoint are constants
 * its error has no bound, whatever the tolerance, and nothing says so.
 *
 * verify: --quick --method quadrature_untested --check extremes.*
 * cause: outside_test */
#define NAME        "quadrature_untested"
#define DERIVATIVE  SENS_DERIVATIVE_CONTINUOUS
#define MU_UNTESTED 1
#include "continuous_adjoint.h"
