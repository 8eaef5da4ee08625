/* A rotation, whose radius is claimed to be kept by every Runge-Kutta map: it is by the exact solution alone.
 *
 * verify: --quick --problem identity_claimed
 * module: problem identity_claimed
 * cause: identity_wrong */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 1 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[1];
    dx[1] = at->p[0] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][1] = -at->p[0];
    J[1][0] = at->p[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[1];
    F[1][0] = at->x[0];
}

#include "dense_products.h"

static size_t rows(const struct sens_problem *pb)
{
    return pb->n;
}

/* The radius as a function of x0: x1^T S0 = x0^T. */
static void residual(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                     const sens_real *S0, sens_real *r, sens_real *size)
{
    (void)S;
    for (size_t j = 0; j < N; j++) {
        r[j] = -pb->x0[j], size[j] = fabs(pb->x0[j]);
        for (size_t i = 0; i < N; i++) r[j] += x1[i] * S0[i * N + j], size[j] += fabs(x1[i] * S0[i * N + j]);
    }
}

static const struct sens_identity identities[] = {
    {.name = "radius", .summary = "x1^T S0 = x0^T", .discrete = true, .rows = rows, .residual = residual},
    {.name = NULL}};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.5)};
    static const sens_real p[NP] = {2};
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

static SENS_PROBLEM(identity_claimed) = {
    .name = "identity_claimed",
    .summary = "a rotation",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .identities = identities,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_identity_claimed, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "identity_claimed", .problems = problems};
