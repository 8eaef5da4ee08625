/* contender/formula.h - recorded functions as JSON: operations that any language can write down in its own words.
 *
 *     {"nodes": [["x", 0], ["p", 3], ["constant", 0.5], ["mul", 0, 1], ...],    in the order of evaluation
 *      "value": [node, ...],                                                    of the outputs
 *      "x": {"row": [...], "col": [...], "node": [...]},                        what is not 0 by its form in df/dx
 *      "p": {...}}                                                              and in df/dp
 *
 * Leaves are ["t"], ["x", i], ["p", j], ["constant", number]; an operation has the name of sens/operations.h and its
 * operands, nodes before it. */
#ifndef CONTENDER_FORMULA_H
#define CONTENDER_FORMULA_H

#include <jansson.h>

#include "graph.h"

/* Of f with its derivatives; of_x: those by x. *formula is the caller's. SENS_UNSUPPORTED: more than FORMULA_NODES;
 * SENS_NO_MEMORY. */
enum { FORMULA_NODES = 2000000 };
sens_status formula_write(const struct graph *f, bool of_x, size_t n, size_t np, json_t **formula);

#endif
