/* harness/cell/replace.h - keys that put something else in the place of a part of the problem: vjp, rhs, structure;
 * and the gradients of its cost. */
#ifndef CELL_REPLACE_H
#define CELL_REPLACE_H

#include "resolve.h"

/* The problem of the cell with the products, the right-hand side and the structure that were asked for. */
sens_status replace_parts(struct resolution *re);

/* The cost of the cell with derived gradients, where it has none of its own. */
sens_status replace_gradients(struct resolution *re);

/* Do its products take turns? */
bool replace_one_thread(const struct cell *cell);

#endif
