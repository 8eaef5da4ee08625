/* harness/derive/record/replay.h - a problem that is given as operations (problems/program) need not be recorded. */
#ifndef DERIVE_REPLAY_H
#define DERIVE_REPLAY_H

#include "graph.h"
#include "written.h"

/* The list as a graph, with all its outputs, or (only > 0) with output only - 1 alone: graph_status. */
sens_status replay_program(const struct program *program, size_t only, struct graph *graph);

#endif
