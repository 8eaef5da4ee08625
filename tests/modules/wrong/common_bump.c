/* Central differences of classic Runge-Kutta solves to a tolerance, with one bump for all components, in proportion to
 * the largest.
 *
 * cause: common_bump */
#define NAME    "common_bump"
#define DOUBLES 1
#define TABLED  0
#define SIZE    largest
#include "quotients.h"

static sens_real largest(bool of_p, size_t count, const sens_real *numbers, size_t k)
{
    sens_real most = 0;
    (void)of_p, (void)k;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(numbers[i]));
    return most > 0 ? most : 1;
}
