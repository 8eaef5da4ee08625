/* Times from a million to a million and three, as of days since a date: a time has ten digits left behind the
 * point.
 *
 * verify: --quick --problem far_times */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real season = sin(SENS_C(0.5) * (at->t - 1000000));
    dx[0] = -at->p[0] * at->x[0] + at->p[1] * season;
    dx[1] = at->x[0] - at->x[1] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
    J[1][0] = 1;
    J[1][1] = -2 * at->x[1];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[0][1] = sin(SENS_C(0.5) * (at->t - 1000000));
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.5)};
    static const sens_real p[NP] = {1, 2};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 1000000;
    pb->t1 = 1000003;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(far_times) = {
    .name = "far_times",
    .summary = "days since a date",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_far_times, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "far_times", .problems = problems};
