/* A state of size 1e12 with parameters of size 1e-12 and 1e12.
 *
 * verify: --quick --problem huge */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1], a = at->p[0], b = at->p[1], c = at->p[2];
    dx[0] = c - a * u * v;
    dx[1] = b * u - v;
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1], a = at->p[0], b = at->p[1];
    J[0][0] = -a * v;
    J[0][1] = -a * u;
    J[1][0] = b;
    J[1][1] = -1;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    const sens_real u = at->x[0], v = at->x[1];
    F[0][0] = -u * v;
    F[0][2] = 1;
    F[1][1] = u;
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {SENS_C(1e12), SENS_C(2e12)};
    static const sens_real p[NP] = {SENS_C(1e-12), 2, SENS_C(3e12)};
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

static SENS_PROBLEM(huge) = {
    .name = "huge",
    .summary = "two species of size 1e12",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_huge, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "huge", .problems = problems};
