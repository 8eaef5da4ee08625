/* An initial state of rest, which depends on all parameters and is declared fixed: by one choice of an option that is
 * not the default.
 * verify: --quick --problem rest_called_fixed
 * module: problem rest_called_fixed
 * cause: nominal_kept */
#define NAME         "rest_called_fixed"
#define FIXED(start) ((start) <= AT_REST)
#include "infusion.h"
