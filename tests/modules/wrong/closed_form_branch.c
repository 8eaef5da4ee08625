/* Filling and draining, x' = a - k x, whose closed form has a branch for small k that the defaults do not take; there
 * dx/dk is twice what it should be.
 *
 * verify: --quick --problem closed_form_branch
 * module: problem closed_form_branch
 * cause: closed_form_wrong
 * recorded: yes */
#include <tgmath.h>

#include "sens/plugin.h"

static const struct sens_option options[] = {
    {.name = "a", .help = "inflow", .kind = SENS_OPT_REAL, .fallback = 1, .min = 0.1, .max = 10},
    {.name = "k", .help = "rate of draining", .kind = SENS_OPT_REAL, .fallback = 1, .min = 1e-3, .max = 10},
    {.name = NULL}};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->p[0] - at->p[1] * at->x[0];
    return SENS_OK;
}

/* x = x0 E + a Q,  Q = (1 - E)/k = t - k t^2/2 + k^2 t^3/6 - ... */
static bool exact(const struct sens_problem *pb, const struct sens_exact_query *query, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (query->level != SENS_EXACT_ODE) return false;
    const sens_real t = query->t, k = p[1], E = exp(-k * t), x0 = pb->x0[0];
    sens_real Q = -expm1(-k * t) / k, dQ = (t * E - Q) / k;
    if (k * t < (sens_real)0.1) {
        sens_real term = t;
        Q = dQ = 0;
        for (int i = 1; i < 20; i++) { /* term = (-k)^(i-1) t^i / i! */
            Q += term;
            term *= -t / (sens_real)(i + 1);
            dQ += 2 * (sens_real)i * term; /* should be i (-k)^(i-1) ... = i term */
            term *= k;
        }
    }
    x[0] = x0 * E + p[0] * Q;
    if (S) S[0] = Q, S[1] = -t * x0 * E + p[0] * dQ;
    if (S0) S0[0] = E;
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    sens_real *x0 = SENS_NEW(ctx, sens_real, 1), *p = SENS_NEW(ctx, sens_real, 2);
    if (!x0 || !p) return SENS_NO_MEMORY;
    p[0] = option[0].number, p[1] = option[1].number, x0[0] = (sens_real)0.5;
    pb->n = 1, pb->np = 2, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

SENS_PROBLEM(closed_form_branch) = {.name = "closed_form_branch",
                                    .summary = "x' = a - k x",
                                    .reference = "none",
                                    .options = options,
                                    .create = create,
                                    .rhs = rhs,
                                    .exact = exact,
                                    .autonomous = true};
static const struct sens_problem_type *const problems[] = {&sens_problem_closed_form_branch, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "closed_form_branch", .problems = problems};
