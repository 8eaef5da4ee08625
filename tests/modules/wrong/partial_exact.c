/* x' = -k x, x(0) = 1 + k: the closed form of dx/dk leaves out the part of the initial state, which is in
 * dx/dx0 already.
 *
 * verify: --quick --problem partial_exact
 * module: problem partial_exact
 * cause: closed_form_wrong */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 1 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
}

#include "dense_products.h"

static void x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    (void)pb;
    x[0] = 1 + p[0];
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    (void)pb, (void)p;
    for (size_t l = 0; l < L; l++) MU[l] += W[l];
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    (void)pb, (void)p, (void)k0;
    for (size_t l = 0; l < L; l++) OUT[l] += 1;
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (q->level != SENS_EXACT_ODE) return false;
    const sens_real tau = q->t - pb->t0, decay = exp(-p[0] * tau);
    x[0] = (1 + p[0]) * decay;
    if (S) S[0] = -tau * x[0];
    if (S0) S0[0] = decay;
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {2};
    static const sens_real p[NP] = {1};
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

static SENS_PROBLEM(partial_exact) = {
    .name = "partial_exact",
    .summary = "x' = -k x, x0 = 1 + k",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .x0 = x0,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
    .exact = exact,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_partial_exact, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "partial_exact", .problems = problems};
