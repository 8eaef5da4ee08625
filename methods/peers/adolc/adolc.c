/* Derivative products by automatic differentiation: the recorded right-hand side taped by ADOL-C, vector forward and
 * reverse.
 *
 * Griewank, Juedes, Utke, ADOL-C, ACM Trans. Math. Softw. 22 (1996) 131-167. The interface of the problem asks for
 * (df/dx)^T W and for (df/dp)^T W by separate calls, hence two tapes. */
#include "adolc_tape.h"
#include "sens/plugin.h"

static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    return taped_wrap(ctx, request, &adolc_taper, wrapped);
}

static const char *library(void)
{
    return "ADOL-C " ADOLC_VERSION_TEXT;
}

static const struct sens_provider adolc = {
    .name = "adolc",
    .summary = "ADOL-C: the recorded right-hand side taped, vector forward and reverse sweeps",
    .library = library,
    .wrap = wrap,
    .account = taped_account,
};

static const struct sens_provider *const providers[] = {&adolc, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "adolc", .providers = providers};
