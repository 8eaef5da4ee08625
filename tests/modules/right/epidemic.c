/* Susceptible, infected, recovered, and the complexes of a virus with what binds it, the products derived: variables
 * have the names that <complex.h> has macros of.
 *
 * recorded: yes
 * verify: --quick --problem epidemic */
#include "sens/plugin.h"

enum { N = 4, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real S = at->x[0], I = at->x[1], R = at->x[2], complex = at->x[3], *p = at->p;
    const sens_real infections = p[0] * S * I / (S + I + R);
    dx[0] = -infections;
    dx[1] = infections - p[1] * I;
    dx[2] = p[1] * I;
    dx[3] = p[2] * I - complex;
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real start[N] = {990, 10, 0, 1};
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    for (int i = 0; i < N; i++) x0[i] = start[i];
    for (int k = 0; k < NP; k++) p[k] = option[k].number;
    pb->n = N, pb->np = NP;
    pb->t0 = 0, pb->t1 = option[NP].number;
    pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "beta",
     .kind = SENS_OPT_REAL,
     .fallback = 0.5,
     .min = 0,
     .max = 100,
     .help = "infections a day by one who is infected"},
    {.name = "gamma",
     .kind = SENS_OPT_REAL,
     .fallback = 0.125,
     .min = 0,
     .max = 100,
     .help = "recovery, 1/day"},
    {.name = "k", .kind = SENS_OPT_REAL, .fallback = 0.25, .min = 0, .max = 100, .help = "binding, 1/day"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 60, .min = 1e-6, .max = 1e3, .help = "final time, days"},
    SENS_OPTIONS_END,
};

static SENS_PROBLEM(epidemic) = {.name = "epidemic",
                                 .summary = "an epidemic, and complexes",
                                 .options = options,
                                 .create = create,
                                 .rhs = rhs};
static const struct sens_problem_type *const problems[] = {&sens_problem_epidemic, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "epidemic", .problems = problems};
