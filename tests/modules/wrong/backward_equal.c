/* Two-step backward differences with the coefficients of equal steps, also behind a stop, where the length of steps has
 * changed.
 *
 * verify: --quick --method backward_equal
 * cause: missing_step */
#define NAME             "backward_equal"
#define RATIO(h, before) 1
#include "backward.h"
