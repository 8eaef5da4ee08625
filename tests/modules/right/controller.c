/* A tableau and a step controller beside those of the program change nothing in what its methods are.
 *
 * verify: --quick --method discrete_adjoint */
#define A32 0.75
#include "ralston.h"
