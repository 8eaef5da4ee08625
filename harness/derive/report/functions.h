/* derive/report/functions.h - what is derived beside f: x0(p), and phi and g of a cost. */
#ifndef DERIVE_FUNCTIONS_H
#define DERIVE_FUNCTIONS_H

#include <jansson.h>

#include "graph.h"
#include "refuse.h"
#include "sens/cost.h"

/* *list, whose reference is the caller's: x0 where it depends on p, and, unless cost is NULL, phi of its first
 * observation and g, as far as it has them. Of each its outputs, operations and guards, and what a tape does for its
 * derivatives by x and p, once a point and for each vector. Neither is decorated. Any status of recording.h, with a
 * message in *error. */
sens_status functions_describe(struct sens_ctx *ctx, const struct sens_problem *pb,
                               const struct sens_cost *cost, json_t **list, struct bench_error *error);

/* Operations of a graph: a change of sign and a choice are none. */
double functions_operations(const struct graph *graph);

#endif
