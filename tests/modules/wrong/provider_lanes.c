/* A provider whose vjp loses the last of an odd number of lanes, from nine on.
 * verify: --quick --provider provider_lanes
 * module: provider provider_lanes
 * cause: lane_tail */
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
    for (size_t i = 0; L > 8 && L % 2 && i < pb->n; i++) OUT[i * L + L - 1] = 0;
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
    wrapped->structure = NULL;
    wrapped->type = &made->type;
    return SENS_OK;
}

static const struct sens_provider provider = {
    .name = "provider_lanes", .summary = "the problem's own products", .library = library, .wrap = wrap};
static const struct sens_provider *const providers[] = {&provider, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "provider_lanes", .providers = providers};
