/* A heated tank under a controller whose power is limited: power = min(P, gain (r - x)). The derivative by
 * the set point r forgets the limit, that by x does not.
 *
 * verify: --quick --problem saturated_control
 * module: problem saturated_control
 * cause: parameter_entry */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

/* What the controller asks for, and whether it gets it. */
static bool within(const struct sens_at *at)
{
    return at->p[0] * (at->p[1] - at->x[0]) < 2;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = (within(at) ? at->p[0] * (at->p[1] - at->x[0]) : 2) - at->p[2] * at->x[0];
    dx[1] = at->x[0] - at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = (within(at) ? -at->p[0] : 0) - at->p[2];
    J[1][0] = 1;
    J[1][1] = -1;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = within(at) ? at->p[1] - at->x[0] : 0;
    F[0][1] = at->p[0];
    F[0][2] = -at->x[0];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {0, 0};
    static const sens_real p[NP] = {4, 1, SENS_C(0.5)};
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

static SENS_PROBLEM(saturated_control) = {
    .name = "saturated_control",
    .summary = "a tank with limited heating",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_saturated_control, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "saturated_control", .problems = problems};
