/* derive/provider/step_engine.h - whole steps that are generated from the recorded right-hand side, engine=compiled. */
#ifndef DERIVE_STEP_ENGINE_H
#define DERIVE_STEP_ENGINE_H

#include "sens/provider.h"

/* As make_engine of a provider (sens/provider.h): recorded at the nominal point, compiled, and compared with plain
 * loops over the functions of *problem. */
sens_status step_engine_make(struct sens_ctx *ctx, const struct sens_provider_request *request,
                             const struct sens_tableau *tableau, struct sens_problem *problem);
void step_engine_account(const struct sens_step_engine *engine, struct sens_engine_account *account);

#endif
