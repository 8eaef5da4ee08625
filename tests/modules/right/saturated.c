/* A rate that is saturated, V s/(K + s) with s = 500 K: its derivative is what is left of terms that cancel, and at
 * inputs that differ by a few roundings these all round alike. The products are derived. V and K may be any number, as
 * in a model of a file.
 *
 * recorded: yes
 * verify: --quick --problem saturated --seed 1 */
#include "sens/plugin.h"

enum { N = 2, NP = 4 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real *p = at->p, s = at->x[0], e = at->x[1];
    dx[0] = -p[0] * s / (p[1] + s) / 1000 + p[2] * e;
    dx[1] = -p[3] * e;
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    x0[0] = SENS_C(0.5), x0[1] = 100;
    for (int k = 0; k < NP; k++) p[k] = option[k].number;
    pb->n = N, pb->np = NP;
    pb->t0 = 0, pb->t1 = option[NP].number;
    pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "V",
     .kind = SENS_OPT_REAL,
     .fallback = 1000,
     .min = -1e300,
     .max = 1e300,
     .help = "limiting rate, a thousandth"},
    {.name = "K",
     .kind = SENS_OPT_REAL,
     .fallback = 0.001,
     .min = -1e300,
     .max = 1e300,
     .help = "half saturation"},
    {.name = "u", .kind = SENS_OPT_REAL, .fallback = 0.001, .min = 0, .max = 10, .help = "what comes in"},
    {.name = "r", .kind = SENS_OPT_REAL, .fallback = 0.5, .min = 0, .max = 10, .help = "decay"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 1, .min = 1e-6, .max = 1e4, .help = "final time"},
    SENS_OPTIONS_END,
};

static SENS_PROBLEM(saturated) = {
    .name = "saturated",
    .summary = "a saturated rate",
    .reference = "none",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_saturated, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "saturated", .problems = problems};
