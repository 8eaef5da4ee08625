/* derive/record/watch.h - does a recording still say what the function computes?
 *
 * A recording takes the function for what it was at one point. Where the source reads the bits of a number, or
 * remembers what it was called with, no guard shows that it has become another one. So the values of the graph
 * are compared with the function in double, at some of the points where products are asked for: the first, and
 * then each that comes after an eighth more of them; after 512, after as many again. A look costs as much as
 * hundreds of calls. Whatever lasts for an eighth of 512 calls, or for half of all, is met. */
#ifndef DERIVE_WATCH_H
#define DERIVE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "graph.h"
#include "refuse.h"
#include "sens/problem.h"

struct watched {                        /* a function as it is in double */
    const char *kind, *name, *function; /* "problem", "glv", "f": for people */
    size_t n, np, outputs;
    /* out [outputs], which is zeroed. Any status: it is not defined there. */
    sens_status (*value)(const void *of, const struct sens_at *at, double *out);
    const void *of;
};

/* Begins as {.function = ...}, all else 0. */
struct watch {
    const struct watched *function; /* what was recorded; NULL: nothing is looked at */
    atomic_size_t asked, next;      /* points so far; the one to look at */
    atomic_bool claimed, failed;
    struct bench_error why; /* once it has failed */
};

/* Another point, where products of this graph are wanted. SENS_OK; SENS_UNSUPPORTED: there, or before, the two
 * differed by more than rounding; SENS_NO_MEMORY. Any number of threads may ask. */
sens_status watch_point(struct watch *watch, const struct graph *graph, const struct sens_at *at);

/* Counts another point, where nothing is due; false: it does not, and watch_point has to be asked. */
static inline bool watch_rests(struct watch *watch)
{
    if (!watch->function) return true;
    const size_t asked = atomic_load_explicit(&watch->asked, memory_order_relaxed);
    if (asked >= atomic_load_explicit(&watch->next, memory_order_relaxed) ||
        atomic_load_explicit(&watch->failed, memory_order_relaxed))
        return false;
    atomic_store_explicit(&watch->asked, asked + 1, memory_order_relaxed);
    return true;
}

/* Why it failed; NULL: it did not. No thread asks any more. */
const char *watch_reason(const struct watch *watch);

#endif
