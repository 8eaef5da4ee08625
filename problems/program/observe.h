/* problems/program/observe.h - quantities of a model as something that was measured. */
#ifndef PROGRAM_OBSERVE_H
#define PROGRAM_OBSERVE_H

#include "sens/problem.h"

/* sens_problem_type.observe of a problem of operations. */
sens_status program_observe(struct sens_ctx *ctx, const struct sens_problem *pb, size_t count,
                            const size_t *quantity, struct sens_observer *observer);

#endif
