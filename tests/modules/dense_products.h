/* The products of the contract from dense derivatives, J = df/dx and F = df/dp. The including file defines N, NP,
 * jacobian (J [N][N], zero before) and jacobian_p (F [N][NP], zero before) before it includes this one. */
#include <string.h>

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
