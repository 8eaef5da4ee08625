/* A continuous adjoint with dG/dp outside the error test of its backward solve, which it says.
 *
 * verify: --quick --method untested_quadrature */
#define NAME        "untested_quadrature"
#define DERIVATIVE  SENS_DERIVATIVE_CONTINUOUS
#define MU_UNTESTED 1
#define LIMITS      limits
#include "sens/method.h"
static const struct sens_limit limits[] = {{.check = "extremes.rest",
                                            .subject = "*",
                                            .reason = "dG/dp is outside the error test of the backward solve",
                                            .only = SENS_IN_DGDP},
                                           {.check = NULL}};
#include "continuous_adjoint.h"
