/* Heat in a rod, whose closed form has a rod of length 1 in mind.
 *
 * verify: --quick --problem unit_length
 * module: problem unit_length
 * cause: closed_form_wrong */
#define NAME   "unit_length"
#define LENGTH 1
#include "rod.h"
