/* harness/cell/override.h - numbers in the place of those of a problem. */
#ifndef CELL_OVERRIDE_H
#define CELL_OVERRIDE_H

#include "resolve.h"

/* p and x0 of the cell's problem, from files (params, x0), where an option that bears the name of one of them counts
 * before its number of the file, or from the spec's own numbers; x0 anew where it depends on p. Beside them what the
 * cell's problem_used says of them. SENS_BAD_INPUT with a message, SENS_NO_MEMORY. */
sens_status override_numbers(struct resolution *re);

#endif
