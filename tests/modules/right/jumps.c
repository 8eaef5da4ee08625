/* Forcing with jumps at known times, inside the interval.
 *
 * verify: --quick --problem jumps */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

/* A drug that is taken in three doses: what flows in is p2 between the times of a dose, and 0 else. */
static const sens_real from[] = {SENS_C(0.5), 2, SENS_C(3.25)}, to[] = {1, SENS_C(2.5), SENS_C(3.5)};

static sens_real open_at(sens_real t)
{
    sens_real inflow = 0;
    for (int k = 0; k < 3; k++)
        if (t >= from[k] && t < to[k]) inflow = 1;
    return inflow;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0] + at->p[2] * open_at(at->t);
    dx[1] = at->p[0] * at->x[0] - at->p[1] * at->x[1] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
    J[1][0] = at->p[0];
    J[1][1] = -2 * at->p[1] * at->x[1];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[0][2] = open_at(at->t);
    F[1][0] = at->x[0];
    F[1][1] = -at->x[1] * at->x[1];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.5)};
    static const sens_real p[NP] = {1, SENS_C(0.5), 2};
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

static SENS_PROBLEM(jumps) = {
    .name = "jumps",
    .summary = "doses",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_jumps, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "jumps", .problems = problems};
