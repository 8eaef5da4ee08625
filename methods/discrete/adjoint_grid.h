/* methods/discrete/adjoint_grid.h - the family of explicit steps on grids (adjoint_grid.c). */
#ifndef ADJOINT_GRID_H
#define ADJOINT_GRID_H

#include <stdbool.h>

#include "adjoint_family.h"

extern const struct adjoint_family adjoint_grid;

/* Is it one for this task? */
bool adjoint_grid_suits(const struct sens_task *task);

#endif
