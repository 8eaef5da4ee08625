/* The state is zero throughout, its derivative is not: a damped oscillator at rest.
 *
 * verify: --quick --problem zero */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->x[1];
    dx[1] = -at->p[0] * at->x[0] - at->p[1] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][1] = 1;
    J[1][0] = -at->p[0];
    J[1][1] = -at->p[1];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[1][0] = -at->x[0];
    F[1][1] = -at->x[1];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {0, 0};
    static const sens_real p[NP] = {4, SENS_C(0.5)};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 20;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(zero) = {
    .name = "zero",
    .summary = "damped oscillator at rest",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_zero, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "zero", .problems = problems};
