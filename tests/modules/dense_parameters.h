/* The products of the contract with F = df/dp, dense. The including file defines N, NP and jacobian_p (F [N][NP], zero
 * before) before it includes this one. */
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
