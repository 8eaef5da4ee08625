/* A provider that hands on the products of the problem, without its structure.
 * verify: --quick --provider provider */
#include "sens/plugin.h"

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    pb->inner->type->vjp(pb->inner, at, L, W, OUT);
}

static const char *library(void)
{
    return "none";
}

static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    const struct sens_problem *inner = request->inner;
    static const struct sens_problem_decoration with = {.type = {.vjp = vjp}};
    struct sens_decorated_problem *room = SENS_NEW(ctx, struct sens_decorated_problem, 1);
    if (!room) return SENS_NO_MEMORY;
    sens_problem_decorate(inner, &with, NULL, room, wrapped);
    wrapped->structure = NULL;
    return SENS_OK;
}

static const struct sens_provider provider = {
    .name = "provider", .summary = "the problem's own products", .library = library, .wrap = wrap};
static const struct sens_provider *const providers[] = {&provider, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "provider", .providers = providers};
