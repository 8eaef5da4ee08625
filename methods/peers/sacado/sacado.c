/* Derivative products by Sacado, of Trilinos: the recorded right-hand side with its numbers, vector reverse and
 * forward.
 *
 * Phipps, Gay, Automatic Differentiation of C++ Codes With Sacado, Sandia report SAND2006-7646C. */
#include "sacado_tape.h"
#include "sens/plugin.h"

static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    return taped_wrap(ctx, request, &sacado_taper, wrapped);
}

static const char *library(void)
{
    return "Sacado, Trilinos " SACADO_VERSION_TEXT;
}

static const struct sens_provider sacado = {
    .name = "sacado",
    .summary = "Sacado: the recorded right-hand side evaluated anew at each point, vector reverse (RadVec)",
    .library = library,
    .wrap = wrap,
    .account = taped_account,
};

static const struct sens_provider *const providers[] = {&sacado, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "sacado", .providers = providers};
