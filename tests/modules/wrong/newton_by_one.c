/* The implicit midpoint rule, whose Newton iteration ends where a correction is below 1e-9 of 1 + |x|: states that are
 * small themselves are not solved for.
 *
 * verify: --quick --method newton_by_one
 * cause: state_scale */
#define NAME                 "newton_by_one"
#define FACTORS_OF_START     0
#define SETTLED(moved, size) ((moved) <= SENS_C(1e-9) * (1 + (size)))
#include "implicit_midpoint.h"
