/* Filling and draining, x' = c - k x from t0 on, an option that is 0 by default; the closed form of dx/dk has t in
 * place of t - t0.
 *
 * verify: --quick --problem closed_form_at_t0
 * module: problem closed_form_at_t0
 * cause: closed_form_wrong */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->p[1] - at->p[0] * at->x[0];
    return SENS_OK;
}
static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
}
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[0][1] = 1;
}
#include "dense_products.h"
static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (q->level != SENS_EXACT_ODE) return false;
    const sens_real k = p[0], c = p[1], E = exp(-k * (q->t - pb->t0));
    x[0] = c / k + (pb->x0[0] - c / k) * E;
    if (S) {
        S[0] = -c / (k * k) * (1 - E) - q->t * (pb->x0[0] - c / k) * E;
        S[1] = (1 - E) / k;
    }
    if (S0) S0[0] = E;
    return true;
}

static const struct sens_option options[] = {
    {.name = "k", .kind = SENS_OPT_REAL, .fallback = 0.5, .min = 0.01, .max = 100, .help = "rate"},
    {.name = "c", .kind = SENS_OPT_REAL, .fallback = 1, .min = -100, .max = 100, .help = "the source"},
    {.name = "t0", .kind = SENS_OPT_REAL, .fallback = 0, .min = -100, .max = 100, .help = "initial time"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 2, .min = 0.001, .max = 100, .help = "how long"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)ctx, (void)option;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP + 1);
    if (!x0 || !p) return SENS_NO_MEMORY;
    pb->n = N, pb->np = NP, pb->x0 = x0, pb->p = p;
    x0[0] = 3;
    p[0] = option[0].number, p[1] = option[1].number;
    pb->t0 = option[2].number;
    pb->t1 = pb->t0 + option[3].number;
    return SENS_OK;
}

static SENS_PROBLEM(closed_form_at_t0) = {
    .name = "closed_form_at_t0",
    .summary = "filling and draining",
    .create = create,
    .rhs = rhs,
    .options = options,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .autonomous = true,
    .exact = exact,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_closed_form_at_t0, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "closed_form_at_t0", .problems = problems};
