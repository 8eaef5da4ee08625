/* derive/generate/guards.h - the guards of a function as numbers. */
#ifndef DERIVE_GUARDS_H
#define DERIVE_GUARDS_H

#include "graph.h"

/* A new graph with one output, how many guards of f do not hold; the caller destroys it. NULL on failure. */
sens_status guards_broken(const struct graph *f, struct graph **guards);

#endif
