/* Lorenz' equations to t = 15: an error grows by 1e6 on the way.
 *
 * verify: --quick --problem chaotic */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 3, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real *x = at->x, *p = at->p;
    dx[0] = p[0] * (x[1] - x[0]);
    dx[1] = x[0] * (p[1] - x[2]) - x[1];
    dx[2] = x[0] * x[1] - p[2] * x[2];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real *x = at->x, *p = at->p;
    J[0][0] = -p[0], J[0][1] = p[0];
    J[1][0] = p[1] - x[2], J[1][1] = -1, J[1][2] = -x[0];
    J[2][0] = x[1], J[2][1] = x[0], J[2][2] = -p[2];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    const sens_real *x = at->x;
    F[0][0] = x[1] - x[0];
    F[1][1] = x[0];
    F[2][2] = -x[2];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, 1, 1};
    static const sens_real p[NP] = {10, 28, SENS_C(2.5)};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 15;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(chaotic) = {
    .name = "chaotic",
    .summary = "Lorenz",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_chaotic, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "chaotic", .problems = problems};
