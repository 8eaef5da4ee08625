/* Derivative products by TMBad, of TMB: the recorded right-hand side taped, optimised, compressed, and swept backwards.
 *
 * Kristensen, Nielsen, Berg, Skaug, Bell, TMB: Automatic Differentiation and Laplace Approximation, J. Stat. Softw. 70
 * (2016) 5. */
#include "sens/plugin.h"
#include "tmbad_tape.h"

static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    return taped_wrap(ctx, request, &tmbad_taper, wrapped);
}

static const char *library(void)
{
    return "TMBad, TMB " TMBAD_VERSION_TEXT;
}

static const struct sens_provider tmbad = {
    .name = "tmbad",
    .summary = "TMBad: the recorded right-hand side taped, optimised, compressed, one vector a reverse sweep",
    .library = library,
    .wrap = wrap,
    .account = taped_account,
};

static const struct sens_provider *const providers[] = {&tmbad, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "tmbad", .providers = providers};
