/* harness/cell/tolerances.h - the tolerances of a cell's task: a number each for rtol and atol, or a file with one for
 * each component of the state. */
#ifndef CELL_TOLERANCES_H
#define CELL_TOLERANCES_H

#include "resolve.h"

/* Reads tol, rtol and atol into the task of a cell whose problem is made. What is made of files goes to the arena:
 * components in a row that have the same two tolerances are one part. SENS_BAD_INPUT, SENS_NO_MEMORY, with a message
 * in *error. */
sens_status resolve_tolerances(struct resolution *re);

#endif
