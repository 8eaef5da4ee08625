/* An initial state (p0, p0 p1), of which create writes down other numbers: those of parameters of before.
 *
 * verify: --quick --problem stale_nominal
 * module: problem stale_nominal
 * cause: initial_products */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0] + at->p[2] * at->x[1];
    dx[1] = -at->x[0] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
    J[0][1] = at->p[2];
    J[1][0] = -at->x[1];
    J[1][1] = -at->x[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[0][2] = at->x[1];
}

#include "dense_products.h"

/* x0 = (p0, p0 p1) */
static void x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    (void)pb;
    x[0] = p[0];
    x[1] = p[0] * p[1];
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) {
        MU[l] += W[l] + p[1] * W[L + l];
        MU[L + l] += p[0] * W[L + l];
    }
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) {
        if (k0 + l == 0) OUT[l] += 1, OUT[L + l] += p[1];
        if (k0 + l == 1) OUT[L + l] += p[0];
    }
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(1.5)};
    static const sens_real p[NP] = {1, 2, SENS_C(0.5)};
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

static SENS_PROBLEM(stale_nominal) = {
    .name = "stale_nominal",
    .summary = "x0 = (p0, p0 p1)",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .x0 = x0,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_stale_nominal, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "stale_nominal", .problems = problems};
