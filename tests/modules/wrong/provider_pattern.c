/* A provider that finds out at the initial state which entries of df/dx are zero, and has no others later.
 *
 * verify: --quick --provider provider_pattern
 * module: provider provider_pattern
 * cause: product_point jacobian_entry */
#include <string.h>

#include "sens/plugin.h"

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    const size_t n = pb->n;
    const bool *entry = pb->data; /* [n][n]: nonzero */
    memset(OUT, 0, n * L * sizeof *OUT);
    for (size_t i = 0; i < n; i++) { /* row i of df/dx */
        double unit[n], row[n];
        memset(unit, 0, sizeof unit);
        unit[i] = 1;
        pb->inner->type->vjp(pb->inner, at, 1, unit, row);
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l < L && entry[i * n + j]; l++) OUT[j * L + l] += row[j] * W[i * L + l];
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
    static const struct sens_problem_decoration with = {.type = {.vjp = vjp}};
    struct sens_decorated_problem *room = SENS_NEW(ctx, struct sens_decorated_problem, 1);
    const size_t n = inner->n;
    bool *entry = SENS_NEW(ctx, bool, n *n);
    double *unit = SENS_NEW(ctx, double, n), *row = SENS_NEW(ctx, double, n);
    if (!room || !entry || !unit || !row) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        unit[i] = 1;
        inner->type->vjp(inner, &(struct sens_at){inner->t0, inner->x0, inner->p}, 1, unit, row);
        unit[i] = 0;
        for (size_t j = 0; j < n; j++) entry[i * n + j] = row[j] != 0;
    }
    sens_problem_decorate(inner, &with, entry, room, wrapped);
    wrapped->structure = NULL;
    return SENS_OK;
}

static const struct sens_provider provider = {.name = "provider_pattern",
                                              .summary = "row by row, with the pattern of the initial state",
                                              .library = library,
                                              .wrap = wrap};
static const struct sens_provider *const providers[] = {&provider, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "provider_pattern", .providers = providers};
