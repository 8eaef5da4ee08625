/* A body that follows a table: its slopes jump at the knots, and nothing jumps in its products.
 *
 * verify: --problem knots */
#define NAME         "knots"
#define SHARE_AT_END 1
#include "knots.h"
