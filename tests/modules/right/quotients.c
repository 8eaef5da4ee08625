/* Central differences of classic Runge-Kutta solves, with bumps in proportion to what is bumped.
 *
 * verify: --quick --method quotients */
#define NAME    "quotients"
#define DOUBLES 0
#include "quotients.h"
