/* Central differences of classic Runge-Kutta solves, with bumps in proportion to each parameter, and of all initial
 * states to the first.
 *
 * cause: common_bump */
#define NAME    "common_bump_x0"
#define DOUBLES 0
#define SIZE    first_state
#include "quotients.h"

static sens_real first_state(bool of_p, size_t count, const sens_real *numbers, size_t k)
{
    const sens_real scale = numbers[of_p ? k : 0];
    (void)count;
    return scale != 0 ? fabs(scale) : 1;
}
