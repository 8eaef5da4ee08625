/* A provider whose jvp is a difference quotient of the right-hand side, right to eight digits and no more.
 *
 * verify: --quick --provider provider_quotients
 * module: provider provider_quotients
 * cause: difference_quotient */
#include "sens/plugin.h"

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const struct sens_problem *in = pb->inner;
    const size_t n = pb->n;
    double x[n], f0[n], f1[n];
    for (size_t l = 0; l < L; l++) {
        double size = 0, much = 0;
        for (size_t i = 0; i < n; i++) {
            const double v = V[i * L + l] < 0 ? -V[i * L + l] : V[i * L + l],
                         s = at->x[i] < 0 ? -at->x[i] : at->x[i];
            size = v > size ? v : size, much = s > much ? s : much;
        }
        const double bump = size > 0 ? 6e-6 * (much > 0 ? much : 1) / size : 0;
        for (size_t i = 0; i < n; i++) OUT[i * L + l] = 0;
        if (bump == 0) continue;
        for (size_t i = 0; i < n; i++) x[i] = at->x[i] - bump * V[i * L + l];
        if (in->type->rhs(in, &(struct sens_at){at->t, x, at->p}, f0) != SENS_OK) continue;
        for (size_t i = 0; i < n; i++) x[i] = at->x[i] + bump * V[i * L + l];
        if (in->type->rhs(in, &(struct sens_at){at->t, x, at->p}, f1) != SENS_OK) continue;
        for (size_t i = 0; i < n; i++) OUT[i * L + l] = (f1[i] - f0[i]) / (2 * bump);
    }
}

static const char *library(void)
{
    return "none";
}

static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    static const struct sens_problem_decoration with = {.type = {.jvp = jvp}};
    struct sens_decorated_problem *room = SENS_NEW(ctx, struct sens_decorated_problem, 1);
    if (!room) return SENS_NO_MEMORY;
    sens_problem_decorate(request->inner, &with, NULL, room, wrapped);
    wrapped->structure = NULL;
    return SENS_OK;
}

static const struct sens_provider provider = {
    .name = "provider_quotients", .summary = "central differences", .library = library, .wrap = wrap};
static const struct sens_provider *const providers[] = {&provider, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "provider_quotients", .providers = providers};
