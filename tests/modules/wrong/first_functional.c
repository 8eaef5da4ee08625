/* A continuous adjoint whose error test backwards sees the adjoint of the first functional alone.
 *
 * verify: --quick --method first_functional
 * cause: outside_test */
#define NAME               "first_functional"
#define DERIVATIVE         SENS_DERIVATIVE_CONTINUOUS
#define UNTESTED(st, w, i) ((w) == &(st)->backward && (i) % (st)->m != 0)
#include "continuous_adjoint.h"
