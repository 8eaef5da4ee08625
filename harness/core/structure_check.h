/* core/structure_check.h - the check of a declared structure, for sens_problem_create. */
#ifndef SENS_STRUCTURE_H
#define SENS_STRUCTURE_H

#include "sens/problem.h"

/* SENS_BAD_INPUT, with a message, where patterns or blocks do not fit n and np. */
sens_status sens_structure_check(struct sens_ctx *ctx, const struct sens_problem *pb);

#endif
