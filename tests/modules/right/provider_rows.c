/* A provider that forms df/dx row by row from its own transposed products, and multiplies by that.
 *
 * verify: --quick --provider provider_rows */
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

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const size_t n = pb->n;
    memset(OUT, 0, n * L * sizeof *OUT);
    for (size_t i = 0; i < n; i++) {
        double unit[n], row[n];
        memset(unit, 0, sizeof unit);
        unit[i] = 1;
        vjp(pb, at, 1, unit, row);
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l < L; l++) OUT[i * L + l] += row[j] * V[j * L + l];
    }
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
    made->type.jvp = jvp;
    *wrapped = *inner;
    wrapped->structure = NULL;
    wrapped->type = &made->type;
    return SENS_OK;
}

static const struct sens_provider provider = {
    .name = "provider_rows", .summary = "row by row", .library = library, .wrap = wrap};
static const struct sens_provider *const providers[] = {&provider, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "provider_rows", .providers = providers};
