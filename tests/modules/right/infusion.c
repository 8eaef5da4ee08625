/* The twin of wrong/rest_called_fixed and wrong/stops_late: rhs jumps at a time that an option names, and takes the
 * side after it there, as its derivatives do.
 * verify: --quick --problem infusion */
#define NAME "infusion"
#include "infusion.h"
