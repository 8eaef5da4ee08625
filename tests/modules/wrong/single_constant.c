/* Saturation u v / (0.3 + u), in whose derivatives the constant is of single precision.
 *
 * verify: --quick --problem single_constant
 * module: problem single_constant
 * cause: single_precision */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1], s = u * v / (SENS_C(0.3) + u);
    dx[0] = at->p[0] * u - s;
    dx[1] = s - at->p[1] * v;
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1], d = 0.3f + u;
    J[0][0] = at->p[0] - 0.3f * v / (d * d), J[0][1] = -u / d;
    J[1][0] = 0.3f * v / (d * d), J[1][1] = u / d - at->p[1];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = at->x[0];
    F[1][1] = -at->x[1];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.5)};
    static const sens_real p[NP] = {SENS_C(0.75), SENS_C(0.5)};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 4;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(single_constant) = {
    .name = "single_constant",
    .summary = "saturation",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_single_constant, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "single_constant", .problems = problems};
