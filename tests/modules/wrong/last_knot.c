/* A body that follows a table, whose df/dp at the last knot is that of an interval behind it: wrong at t = T
 * and nowhere else.
 *
 * verify: --quick --problem last_knot
 * module: problem last_knot
 * cause: product_window */
#define NAME         "last_knot"
#define SHARE_AT_END 0
#include "knots.h"
