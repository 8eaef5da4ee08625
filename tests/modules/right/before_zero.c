/* Times below zero: t from -3 to -1, with forcing that depends on t and on exp(t).
 *
 * verify: --quick --problem before_zero */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real a = at->p[0], b = at->p[1], w = at->p[2];
    dx[0] = -a * at->x[0] + b * exp(at->t) * at->x[1];
    dx[1] = sin(w * at->t) * at->x[0] - at->x[1] / (4 - at->t);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real a = at->p[0], b = at->p[1], w = at->p[2];
    J[0][0] = -a;
    J[0][1] = b * exp(at->t);
    J[1][0] = sin(w * at->t);
    J[1][1] = -1 / (4 - at->t);
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[0][1] = exp(at->t) * at->x[1];
    F[1][2] = at->t * cos(at->p[2] * at->t) * at->x[0];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, 2};
    static const sens_real p[NP] = {SENS_C(0.5), 3, 2};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = -3;
    pb->t1 = -1;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(before_zero) = {
    .name = "before_zero",
    .summary = "t from -3 to -1",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_before_zero, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "before_zero", .problems = problems};
