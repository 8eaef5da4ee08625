/* A fixed number of states, 200, and no option for it: reaction and diffusion on a line.
 *
 * verify: --quick --problem two_hundred */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 200, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real D = at->p[0], r = at->p[1], s = at->p[2], wave = cos(at->t);
    for (size_t i = 0; i < N; i++) {
        const sens_real u = at->x[i], left = i ? at->x[i - 1] : 0, right = i + 1 < N ? at->x[i + 1] : 0;
        dx[i] = D * (left - 2 * u + right) + r * u * (1 - u) + s * (sens_real)(i % 5) * wave;
    }
    return SENS_OK;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    const sens_real wave = cos(at->t);
    for (size_t i = 0; i < N; i++) {
        const sens_real u = at->x[i], left = i ? at->x[i - 1] : 0, right = i + 1 < N ? at->x[i + 1] : 0;
        F[i][0] = left - 2 * u + right;
        F[i][1] = u * (1 - u);
        F[i][2] = (sens_real)(i % 5) * wave;
    }
}

/* J V = J^T V: J is symmetric, with three diagonals. */
static void product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                    sens_real *OUT)
{
    (void)pb;
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < L; l++) {
            const sens_real left = i ? V[(i - 1) * L + l] : 0, right = i + 1 < N ? V[(i + 1) * L + l] : 0;
            OUT[i * L + l] =
                at->p[0] * (left - 2 * V[i * L + l] + right) + at->p[1] * (1 - 2 * at->x[i]) * V[i * L + l];
        }
}

#include "dense_parameters.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real p[NP] = {4, 1, SENS_C(0.25)};
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N);
    (void)option;
    if (!x0) return SENS_NO_MEMORY;
    for (size_t i = 0; i < N; i++) x0[i] = (sens_real)(i % 7 + 1) / 8;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 2;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(two_hundred) = {
    .name = "two_hundred",
    .summary = "reaction and diffusion, n = 200",
    .create = create,
    .rhs = rhs,
    .vjp = product,
    .jvp = product,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_two_hundred, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "two_hundred", .problems = problems};
