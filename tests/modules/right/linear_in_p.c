/* x' = p: nothing depends on the state, every Jacobian is zero, and rhs has no operations.
 *
 * verify: --quick --problem linear_in_p */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->p[0];
    dx[1] = at->p[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    (void)at;
    (void)J;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    (void)at;
    F[0][0] = 1;
    F[1][1] = 1;
}

/* ---- the products of the contract ---------------------------------------------------------------------- */

/* OUT [n][L] = J V, or J^T V. */
static void product(const struct sens_problem *pb, const struct sens_at *at, bool transposed, size_t L,
                    const sens_real *V, sens_real *OUT)
{
    sens_real J[N][N] = {{0}};
    jacobian(pb, at, J);
    memset(OUT, 0, N * L * sizeof *OUT);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t l = 0; l < L; l++) OUT[i * L + l] += (transposed ? J[j][i] : J[i][j]) * V[j * L + l];
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    product(pb, at, false, L, V, OUT);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    product(pb, at, true, L, W, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    sens_real F[N][NP] = {{0}};
    jacobian_p(pb, at, F);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += F[i][k0 + l];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    for (size_t q = 0; q < K; q++) {
        sens_real F[N][NP] = {{0}};
        jacobian_p(pb, &(struct sens_at){t[q], X + q * N, p}, F);
        for (size_t k = 0; k < NP; k++)
            for (size_t i = 0; i < N; i++)
                for (size_t l = 0; l < L; l++) MU[k * L + l] += F[i][k] * W[(q * N + i) * L + l];
    }
}

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    (void)pb;
    ops->rhs = ops->vjp = ops->jvp = 0;
    ops->vjp_p = N;
    ops->jvp_p = 1;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, -1};
    static const sens_real p[NP] = {2, SENS_C(0.5)};
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

static SENS_PROBLEM(linear_in_p) = {
    .name = "linear_in_p",
    .summary = "x' = p",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .operations = operations,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_linear_in_p, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "linear_in_p", .problems = problems};
