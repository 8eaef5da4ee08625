/* contender/instance.h - a task as JSON: what a contender is to solve. */
#ifndef CONTENDER_INSTANCE_H
#define CONTENDER_INSTANCE_H

#include <jansson.h>

#include "sens/method.h"

/* Problem, cost, tolerance, what is asked for, the method's options; "functions" are the operations of f, x0, phi and g
 * (formula.h), or null where these cannot be written down: the source is not here, decides by comparisons which
 * operations it takes, or is wrapped in something that changes it. The contender then has to ask for values.
 * *instance is the caller's. Memory of the ctx's arena is given back. SENS_NO_MEMORY. */
sens_status instance_write(struct sens_ctx *ctx, const struct sens_task *task, json_t **instance);

#endif
