/* Central differences of classic Runge-Kutta solves over steps that prepare doubles until the state has settled.
 *
 * verify: --quick --method quotients_classic */
#define NAME    "quotients_classic"
#define DOUBLES 1
#define TABLED  0
#include "quotients.h"
