/* x' = p: nothing depends on the state, every Jacobian is zero, and rhs has no operations.
 *
 * verify: --quick --problem linear_in_p */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->p[0];
    dx[1] = at->p[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    (void)at;
    (void)J;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    (void)at;
    F[0][0] = 1;
    F[1][1] = 1;
}

#include "dense_products.h"

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    (void)pb;
    ops->rhs = ops->vjp = ops->jvp = 0;
    ops->vjp_p = N;
    ops->jvp_p = 1;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, -1};
    static const sens_real p[NP] = {2, SENS_C(0.5)};
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

static SENS_PROBLEM(linear_in_p) = {
    .name = "linear_in_p",
    .summary = "x' = p",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .operations = operations,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_linear_in_p, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "linear_in_p", .problems = problems};
