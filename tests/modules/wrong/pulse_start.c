/* A pulse whose beginning is a parameter: df/dt_on is 0 wherever it is looked at, dx/dt_on is not.
 *
 * verify: --quick --problem pulse_start
 * module: problem pulse_start
 * cause: jump_moves */
#include "sens/lanes.h"
#include "sens/plugin.h"
#include <string.h>
#include <tgmath.h>
enum { N = 2, NP = 5 };
static sens_real rate(const struct sens_problem *pb, const struct sens_at *at)
{
    const sens_real length = *(const sens_real *)pb->data;
    return at->t >= at->p[4] && at->t < at->p[4] + length ? at->p[3] : 0;
}
static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_real CL = at->p[0], Q = at->p[1], V = at->p[2], *x = at->x;
    dx[0] = rate(pb, at) - (CL + Q) / V * x[0] + Q * x[1];
    dx[1] = Q / V * x[0] - Q * x[1];
    return SENS_OK;
}
static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real CL = at->p[0], Q = at->p[1], V = at->p[2];
    J[0][0] = -(CL + Q) / V, J[0][1] = Q, J[1][0] = Q / V, J[1][1] = -Q;
}
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP + 1])
{
    const sens_real CL = at->p[0], Q = at->p[1], V = at->p[2], *x = at->x,
                    length = *(const sens_real *)pb->data;
    F[0][0] = -x[0] / V;
    F[0][1] = -x[0] / V + x[1], F[1][1] = x[0] / V - x[1];
    F[0][2] = (CL + Q) / (V * V) * x[0], F[1][2] = -Q / (V * V) * x[0];
    F[0][3] = at->t >= at->p[4] && at->t < at->p[4] + length ? 1 : 0;
}
/* Products for small dense Jacobians; defined by the including file: N, NP, jacobian(pb, at, J), jacobian_p(pb, at, F).
 * Before it: #include <tgmath.h>, sens headers. */
#ifndef OWN_JVP
static void multiply(struct sens_matrix A, size_t L, const sens_real *V, sens_real *OUT)
{
    memset(OUT, 0, A.rows * L * sizeof *OUT);
    sens_lanes_add_product(A, (struct sens_lanes){.v = V, .step = L}, L, OUT);
}
static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    sens_real J[N][N];
    memset(J, 0, sizeof J);
    jacobian(pb, at, J);
    multiply(sens_dense(N, N, J[0]), L, V, OUT);
}
static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    sens_real J[N][N];
    memset(J, 0, sizeof J);
    jacobian(pb, at, J);
    multiply(sens_dense_transposed(N, N, J[0]), L, W, OUT);
}
#endif
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    sens_real F[N][NP + 1];
    memset(F, 0, sizeof F);
    jacobian_p(pb, at, F);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += F[i][k0 + l];
}
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    for (size_t k = 0; k < K; k++) {
        sens_real F[N][NP + 1];
        memset(F, 0, sizeof F);
        jacobian_p(pb, &(struct sens_at){t[k], X + k * N, p}, F);
        for (size_t q = 0; q < NP; q++)
            for (size_t i = 0; i < N; i++)
                for (size_t l = 0; l < L; l++) MU[q * L + l] += F[i][q] * W[(k * N + i) * L + l];
    }
}
static sens_status fill(struct sens_ctx *ctx, const sens_real *x0, const sens_real *p, sens_real t1,
                        struct sens_problem *pb)
{
    sens_real *x = SENS_NEW(ctx, sens_real, N), *q = SENS_NEW(ctx, sens_real, NP + 1);
    if (!x || !q) return SENS_NO_MEMORY;
    for (size_t i = 0; i < N; i++) x[i] = x0[i];
    for (size_t i = 0; i < NP; i++) q[i] = p[i];
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = t1, pb->x0 = x, pb->p = q;
    return SENS_OK;
}
#define REAL(n, f, lo, hi, h)                                                                                \
    {                                                                                                        \
        .name = n, .kind = SENS_OPT_REAL, .fallback = f, .min = lo, .max = hi, .help = h                     \
    }
#define OFFER(id)                                                                                            \
    static const struct sens_problem_type *const problems[] = {&sens_problem_##id, NULL};                    \
    SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = #id, .problems = problems}
#define PRODUCTS .vjp = vjp, .jvp = jvp, .jvp_p_cols = jvp_p_cols, .vjp_p_batch = vjp_p_batch
enum { OPT_CL, OPT_Q, OPT_V, OPT_R, OPT_ON, OPT_LENGTH, OPT_T };
static const struct sens_option options[] = {
    REAL("CL", 0.5, 0, 1e3, "clearance"),   REAL("Q", 0.75, 0, 1e3, "exchange"),
    REAL("V", 2, 1e-3, 1e3, "volume"),      REAL("R", 3, 0, 1e3, "rate of infusion"),
    REAL("on", 1, 0, 1e3, "its beginning"), REAL("length", 1.5, 1e-3, 1e3, "how long"),
    REAL("T", 6, 1e-9, 1e6, "final time"),  SENS_OPTIONS_END};
static sens_status create(struct sens_ctx *ctx, const struct sens_value *o, struct sens_problem *pb)
{
    const sens_real x0[] = {0.5, 0.25}, p[] = {o[OPT_CL].number, o[OPT_Q].number, o[OPT_V].number,
                                               o[OPT_R].number, o[OPT_ON].number};
    sens_real *length = SENS_NEW(ctx, sens_real, 1);
    if (!length) return SENS_NO_MEMORY;
    *length = o[OPT_LENGTH].number;
    pb->data = length;
    return fill(ctx, x0, p, o[OPT_T].number, pb);
}
SENS_PROBLEM(pulse_start) = {.name = "pulse_start",
                             .summary = "infusion into two compartments",
                             .reference = "own",
                             .options = options,
                             .create = create,
                             .rhs = rhs,
                             PRODUCTS};
OFFER(pulse_start);
