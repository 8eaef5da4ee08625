/* The implicit midpoint rule, whose tangent has the rows of its right side exchanged in the order of undoing them:
 * right where no row is exchanged twice.
 *
 * verify: --quick --method exchanges_undone
 * cause: row_exchange */
#define NAME                   "exchanges_undone"
#define FACTORS_OF_START       0
#define TANGENT_EXCHANGES_BACK true
#include "implicit_midpoint.h"
