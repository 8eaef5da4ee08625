/* A provider that leaves the problem's structure declared, so that methods never ask for its products.
 * verify: --quick --provider provider_structure
 * module: provider provider_structure
 * cause: structure_kept */
#include <string.h>

#include "sens/plugin.h"

struct wrapped { /* a problem's type points here; data stays the inner problem's */
    struct sens_problem_type type;
    struct sens_problem inner;
};

static const struct wrapped *of(const struct sens_problem *pb)
{
    return (const struct wrapped *)(const void *)pb->type;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    const struct wrapped *w = of(pb);
    w->inner.type->vjp(&w->inner, at, L, W, OUT);
}

static const char *library(void)
{
    return "none";
}

static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    const struct sens_problem *inner = request->inner;
    struct wrapped *made = sens_arena_alloc(&ctx->arena, 1, sizeof *made);
    if (!made) return SENS_NO_MEMORY;
    made->inner = *inner;
    made->type = *inner->type;
    made->type.vjp = vjp;
    *wrapped = *inner;
    wrapped->type = &made->type;
    return SENS_OK;
}

static const struct sens_provider provider = {
    .name = "provider_structure", .summary = "the problem's own products", .library = library, .wrap = wrap};
static const struct sens_provider *const providers[] = {&provider, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "provider_structure", .providers = providers};
