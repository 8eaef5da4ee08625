/* Growth, x' = k x from x = 1/3, whose closed form begins at 0.3333.
 *
 * verify: --quick --problem form_rounded
 * module: problem form_rounded
 * cause: closed_form_wrong */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 1 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->p[0] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = at->p[0];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = at->x[0];
}
#include "dense_products.h"

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *query, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const sens_real t = query->t - pb->t0, grown = exp(p[0] * t);
    if (query->level != SENS_EXACT_ODE) return false;
    x[0] = SENS_C(0.3333) * grown;
    if (S) S[0] = t * x[0];
    if (S0) S0[0] = grown;
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {SENS_Q(1, 3)}, p[NP] = {25};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 2;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(form_rounded) = {
    .name = "form_rounded",
    .summary = "exponential growth",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .exact = exact,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_form_rounded, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "form_rounded", .problems = problems};
