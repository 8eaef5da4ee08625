/* A coupling ten thousand times as large as the decay, one way.
 *
 * verify: --quick --problem nonnormal */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 3, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0] + at->p[1] * at->x[1];
    dx[1] = -2 * at->p[0] * at->x[1] + at->p[1] * at->x[2];
    dx[2] = -3 * at->p[0] * at->x[2];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0], J[0][1] = at->p[1];
    J[1][1] = -2 * at->p[0], J[1][2] = at->p[1];
    J[2][2] = -3 * at->p[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0], F[0][1] = at->x[1];
    F[1][0] = -2 * at->x[1], F[1][1] = at->x[2];
    F[2][0] = -3 * at->x[2];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {0, 0, 1};
    static const sens_real p[NP] = {1, 10000};
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

static SENS_PROBLEM(nonnormal) = {
    .name = "nonnormal",
    .summary = "far from normal",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_nonnormal, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "nonnormal", .problems = problems};
