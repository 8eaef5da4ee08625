/* derive/provider/generated_rhs.h - a right-hand side that is generated from the problem's own, rhs=generated. */
#ifndef DERIVE_GENERATED_RHS_H
#define DERIVE_GENERATED_RHS_H

#include "sens/provider.h"

/* As wrap_rhs of a provider (sens/provider.h): recorded at the nominal point, compiled, and compared with the tape and
 * with the problem's own, there and at random points. Where the branches are others than those that were recorded, the
 * problem's own runs. */
sens_status generated_rhs_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                               struct sens_problem *wrapped);

#endif
