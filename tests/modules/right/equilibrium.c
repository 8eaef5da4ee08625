/* The state stays where it is, at an equilibrium of a logistic pair that is not zero: f = 0 there, and
 * neither J nor df/dp is.
 *
 * verify: --quick --problem equilibrium */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1], a = at->p[0], b = at->p[1], c = at->p[2];
    dx[0] = a * u - b * u * v;
    dx[1] = c * u * v - 2 * v;
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1], a = at->p[0], b = at->p[1], c = at->p[2];
    J[0][0] = a - b * v;
    J[0][1] = -b * u;
    J[1][0] = c * v;
    J[1][1] = c * u - 2;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1];
    F[0][0] = u;
    F[0][1] = -u * v;
    F[1][2] = u * v;
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {2, SENS_C(1.5)};
    static const sens_real p[NP] = {3, 2, 1};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 12;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(equilibrium) = {
    .name = "equilibrium",
    .summary = "Lotka and Volterra at rest",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_equilibrium, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "equilibrium", .problems = problems};
