/* The products of the contract with J = df/dx, dense. The including file defines N and jacobian (J [N][N], zero before)
 * before it includes this one. */
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
