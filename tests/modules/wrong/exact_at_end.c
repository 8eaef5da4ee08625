/* A rotation by an angle p t, whose closed form has the derivative by p of the final time at every time.
 *
 * verify: --quick --problem exact_at_end
 * module: problem exact_at_end
 * cause: closed_form_wrong */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 1 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[1];
    dx[1] = at->p[0] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][1] = -at->p[0];
    J[1][0] = at->p[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[1];
    F[1][0] = at->x[0];
}

#include "dense_products.h"

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (q->level != SENS_EXACT_ODE) return false;
    const sens_real angle = p[0] * (q->t - pb->t0), c = cos(angle), s = sin(angle);
    x[0] = c * pb->x0[0] - s * pb->x0[1];
    x[1] = s * pb->x0[0] + c * pb->x0[1];
    if (S) S[0] = -(pb->t1 - pb->t0) * x[1], S[1] = (pb->t1 - pb->t0) * x[0];
    if (S0) S0[0] = S0[3] = c, S0[1] = -s, S0[2] = s;
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.5)};
    static const sens_real p[NP] = {2};
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

static SENS_PROBLEM(exact_at_end) = {
    .name = "exact_at_end",
    .summary = "a rotation",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .exact = exact,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_exact_at_end, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "exact_at_end", .problems = problems};
