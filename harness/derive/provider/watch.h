/* derive/provider/watch.h - does a recording still say what the function computes?
 *
 * A recording takes the function for what it was at one point. Where the source reads the bits of a number, or
 * remembers what it was called with, no guard shows that it has become another one. So the values of the graph
 * are compared with the function in double, at some of the points where products are asked for: the first, and
 * then each that comes after an eighth more of them. Whatever lasts for an eighth of all calls is met. */
#ifndef DERIVE_WATCH_H
#define DERIVE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "graph.h"
#include "refuse.h"
#include "sens/problem.h"

/* Begins as {.problem = ...}, all else 0. */
struct watch {
    const struct sens_problem *problem; /* whose right-hand side was recorded; NULL: nothing is looked at */
    atomic_size_t asked, next;          /* points so far; the one to look at */
    atomic_bool claimed, failed;
    struct bench_error why; /* once it has failed */
};

/* Another point, where products of this graph are wanted. SENS_OK; SENS_UNSUPPORTED: there, or before, the two
 * differed by more than rounding; SENS_NO_MEMORY. Any number of threads may ask. */
sens_status watch_point(struct watch *watch, const struct graph *graph, const struct sens_at *at);

/* Why it failed; NULL: it did not. No thread asks any more. */
const char *watch_reason(const struct watch *watch);

#endif
