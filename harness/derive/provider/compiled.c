/* derive/provider/compiled.c - the provider `compiled`. */
#include "compiled_engine.h"
#include "derived.h"
#include "derived_cost.h"
#include "generated_rhs.h"
#include "providers.h"
#include "sens/registry.h"
#include "step_engine.h"

/* Without a compiler the tape runs, and the account says so. */
static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    const struct sens_tape_functions *functions = request->variant->tape;
    struct compiled_setting *setting = SENS_NEW(ctx, struct compiled_setting, 1);
    if (!setting) return SENS_NO_MEMORY;
    setting->isa = request->variant->isa;
    const bool found = compiler_find(&setting->compiler, &setting->why) == SENS_OK;
    struct engine_maker maker =
        found ? compiled_engine(setting, functions, ctx->now) : tape_engine(functions, ctx->now);
    maker.compiles = found;
    maker.compiled = setting;
    return derived_wrap(ctx, request, &maker, wrapped);
}

static void account(const struct sens_problem *wrapped, struct sens_provider_account *account)
{
    const struct derived *derived = wrapped->data;
    const struct compiled_setting *setting = derived->rhs.maker.compiled;
    derived_account(wrapped, account);
    account->t_generate = setting->t_generate;
    account->t_compile = setting->t_compile;
    const bool tape = setting->by_tape > 0 || !derived->rhs.maker.compiles;
    account->ran = !tape ? "compiled" : setting->by_c == 0 ? "tape" : "compiled+tape";
    account->why = setting->why.text;
}

static const char *nothing(void)
{
    return "";
}

const struct sens_provider derive_compiled = {
    .name = "compiled",
    .summary =
        "derived from the recorded right-hand side as C, compiled by the system's compiler, kept in a cache",
    .library = nothing,
    .parallel = true,
    .rank = 2,
    .declares = true,
    .wrap = wrap,
    .wrap_rhs = generated_rhs_wrap,
    .make_engine = step_engine_make,
    .account_engine = step_engine_account,
    .account = account,
    .explain = derived_explain,
    .wrap_cost = derived_cost_wrap,
    .account_cost = derived_cost_account,
};
