/* A tank that empties through a hole, u' = -k sqrt(u), but not to the end.
 *
 * verify: --quick --problem root */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 1 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    if (!(at->x[0] > 0)) return SENS_OUT_OF_DOMAIN;
    dx[0] = -at->p[0] * sqrt(at->x[0]);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0] / (2 * sqrt(at->x[0]));
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -sqrt(at->x[0]);
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1};
    static const sens_real p[NP] = {1};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = SENS_C(1.875);
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(root) = {
    .name = "root",
    .summary = "a tank that empties",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_root, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "root", .problems = problems};
