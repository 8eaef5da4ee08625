/* As knots.c, where a continuous adjoint that leaves dG/dp out of its error test is farther off than the steps
 * of the state would be: the adjoint is smooth at the knots, the integrand of dG/dp is not.
 *
 * verify: --problem knots --method casa_dense --seed 1 */
#define NAME         "knots"
#define SHARE_AT_END 1
#include "knots.h"
