/* Products with the hand-written Jacobians of small problems:
 *
 *     J V,   J^T W,   columns of F,   MU += sum_k F(t_k, X_k)^T W_k
 *
 * Sums run over states in one order whatever L is, so that a lane does not depend on its neighbours. */
#include "small.h"

#include <string.h>

/* OUT = A B for a factor A(i,j) = a[i row + j col] and blocks B, OUT [n][L]. */
static void multiply(size_t n, const sens_real *a, size_t row, size_t col, size_t L,
                     const sens_real *restrict B, sens_real *restrict OUT)
{
    for (size_t i = 0; i < n; i++) {
        sens_real *restrict out = OUT + i * L;
        for (size_t l = 0; l < L; l++) out[l] = a[i * row] * B[l];
        for (size_t j = 1; j < n; j++)
            for (size_t l = 0; l < L; l++) out[l] += a[i * row + j * col] * B[j * L + l];
    }
}

static const struct small_jacobians *jacobians(const struct sens_problem *pb)
{
    return pb->data;
}

void small_vjp(const struct sens_problem *pb, struct sens_at at, size_t L, const sens_real *W, sens_real *OUT)
{
    sens_real J[SMALL_STATES * SMALL_STATES];
    jacobians(pb)->dx(pb, at, J);
    multiply(pb->n, J, 1, pb->n, L, W, OUT);
}

void small_jvp(const struct sens_problem *pb, struct sens_at at, size_t L, const sens_real *V, sens_real *OUT)
{
    sens_real J[SMALL_STATES * SMALL_STATES];
    jacobians(pb)->dx(pb, at, J);
    multiply(pb->n, J, pb->n, 1, L, V, OUT);
}

void small_jvp_p_cols(const struct sens_problem *pb, struct sens_at at, size_t k0, size_t L, sens_real *OUT)
{
    sens_real F[SMALL_STATES * SMALL_PARAMETERS];
    jacobians(pb)->dp(pb, at, F);
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += F[i * pb->np + k0 + l];
}

void small_vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                       const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const size_t n = pb->n, np = pb->np;
    sens_real F[SMALL_STATES * SMALL_PARAMETERS];
    for (size_t k = 0; k < K; k++) {
        jacobians(pb)->dp(pb, (struct sens_at){t[k], X + k * n, p}, F);
        for (size_t q = 0; q < np; q++)
            for (size_t i = 0; i < n; i++)
                for (size_t l = 0; l < L; l++) MU[q * L + l] += F[i * np + q] * W[(k * n + i) * L + l];
    }
}

/* NULL without memory. */
static const sens_real *copy(struct sens_ctx *ctx, size_t count, const sens_real *v)
{
    sens_real *made = SENS_NEW(ctx, sens_real, count);
    return made ? memcpy(made, v, count * sizeof *v) : NULL;
}

sens_status small_create(struct sens_ctx *ctx, size_t n, const sens_real *x0, size_t np, const sens_real *p,
                         double T, const struct small_jacobians *data, struct sens_problem *pb)
{
    pb->n = n;
    pb->np = np;
    pb->t0 = 0;
    pb->t1 = T;
    pb->x0 = copy(ctx, n, x0);
    pb->p = copy(ctx, np, p);
    pb->data = data;
    return pb->x0 && pb->p ? SENS_OK : SENS_NO_MEMORY;
}
