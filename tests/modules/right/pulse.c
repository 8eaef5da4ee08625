/* Nothing happens until a smooth pulse at t = 7 of 8.
 *
 * verify: --quick --problem pulse */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real s = at->t - at->p[1], pulse = exp(-50 * s * s);
    dx[0] = at->p[0] * pulse - at->p[2] * at->x[0];
    dx[1] = at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[2];
    J[1][0] = 1;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    const sens_real s = at->t - at->p[1], pulse = exp(-50 * s * s);
    F[0][0] = pulse, F[0][1] = 100 * s * at->p[0] * pulse, F[0][2] = -at->x[0];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {0, 0};
    static const sens_real p[NP] = {1, 7, SENS_C(0.5)};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 8;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(pulse) = {
    .name = "pulse",
    .summary = "a pulse late",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_pulse, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "pulse", .problems = problems};
