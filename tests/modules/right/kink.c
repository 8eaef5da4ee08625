/* A tank with an overflow: the outflow p1 max(0, x - 1) has a kink, which the solution crosses, with the
 * right one-sided slopes.
 *
 * verify: --quick --problem kink */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real over = at->x[0] > 1 ? at->x[0] - 1 : 0;
    dx[0] = at->p[0] - at->p[1] * over;
    dx[1] = at->p[1] * over - at->p[2] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real slope = at->x[0] > 1 ? at->p[1] : 0;
    J[0][0] = -slope;
    J[1][0] = slope, J[1][1] = -at->p[2];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    const sens_real over = at->x[0] > 1 ? at->x[0] - 1 : 0;
    F[0][0] = 1, F[0][1] = -over;
    F[1][1] = over, F[1][2] = -at->x[1];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {0, 0};
    static const sens_real p[NP] = {1, 3, SENS_C(0.5)};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 3;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(kink) = {
    .name = "kink",
    .summary = "a tank with an overflow",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_kink, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "kink", .problems = problems};
