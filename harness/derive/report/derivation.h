/* derive/report/derivation.h - the derivative products of a problem, made from its right-hand side alone: how many
 * operations they have, and what was found of the structure. */
#ifndef DERIVE_DERIVATION_H
#define DERIVE_DERIVATION_H

#include <jansson.h>

#include "refuse.h"
#include "sens/cost.h"

/* *object, whose reference is the caller's: of f and of each product the operations, of f and in a tape, and the
 * operators of generated C; entries and groups of columns of df/dx and (df/dp)^T; guards; structure; x0(p), and phi and
 * g of the cost (NULL: none), as functions.h has it. pb is no decorated problem, nor is the cost one. Any status of
 * recording.h, with a message in *error. */
sens_status derivation_describe(struct sens_ctx *ctx, const struct sens_problem *pb,
                                const struct sens_cost *cost, json_t **object, struct bench_error *error);

/* The C of all products for an instruction set (compile.h); the caller frees it. Likewise. */
sens_status derivation_code(struct sens_ctx *ctx, const struct sens_problem *pb, const char *isa,
                            char **source, struct bench_error *error);

#endif
