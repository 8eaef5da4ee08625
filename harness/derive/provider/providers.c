/* derive/provider/providers.c - the providers of the program itself. */
#include "providers.h"

#include "derived.h"
#include "derived_cost.h"
#include "differences.h"
#include "sens/registry.h"

static const char *nothing(void)
{
    return "";
}

static sens_status wrap_tape(struct sens_ctx *ctx, const struct sens_provider_request *request,
                             struct sens_problem *wrapped)
{
    const struct engine_maker maker = tape_engine(request->variant->tape, ctx->now);
    return derived_wrap(ctx, request, &maker, wrapped);
}

const struct sens_provider derive_tape = {
    .name = "tape",
    .summary = "derived from the recorded right-hand side, run by an interpreter, all lanes an operation",
    .library = nothing,
    .parallel = true,
    .rank = 1,
    .declares = true,
    .wrap = wrap_tape,
    .account = derived_account,
    .explain = derived_explain,
    .wrap_cost = derived_cost_wrap,
    .account_cost = derived_cost_account,
};

const struct sens_provider derive_fd = {
    .name = "fd",
    .summary = "difference quotients of the right-hand side, in groups of columns that share no row",
    .library = nothing,
    .parallel = true,
    .approximate = true,
    .wrap = differences_wrap,
};

const struct sens_provider *const derive_providers[] = {
#define PROVIDER(name) &derive_##name,
    DERIVE_PROVIDER_LIST(PROVIDER) NULL,
#undef PROVIDER
};
