/* x' = a x^2 + b, which becomes infinite a little after the final time.
 *
 * verify: --quick --problem near_blow_up */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->p[0] * at->x[0] * at->x[0] + at->p[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = 2 * at->p[0] * at->x[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = at->x[0] * at->x[0];
    F[0][1] = 1;
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1};
    static const sens_real p[NP] = {1, 0};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = SENS_C(0.9375);
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(near_blow_up) = {
    .name = "near_blow_up",
    .summary = "x' = a x^2 + b",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_near_blow_up, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "near_blow_up", .problems = problems};
