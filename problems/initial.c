/* An initial state that depends on the parameters p = (k, a, b), the rate k among them:
 *
 *     y1' = -k y1,   y2' = y1 - k y2,   y(0) = (a, k b).
 *
 * With E = e^(-k t): y = E (a, k b + a t), dy/dy(0) = E [1 0; t 1], and in total
 * dy/dk = (-t y1, -t y2 + b E),   dy/da = E (1, t),   dy/db = E (0, k). */
#include <tgmath.h>

#include "small.h"

enum { N = 2, NP = 3 };

static void x0_of_p(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    (void)pb;
    x[0] = p[1];
    x[1] = p[0] * p[2];
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) {
        MU[l] += p[2] * W[L + l];
        MU[L + l] += W[l];
        MU[2 * L + l] += p[0] * W[L + l];
    }
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    (void)pb;
    const sens_real dx0[N][NP] = {{0, 1, 0}, {p[2], 0, p[0]}};
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += dx0[i][k0 + l];
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real k = at->p[0];
    dx[0] = -k * at->x[0];
    dx[1] = at->x[0] - k * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    J[0] = -at->p[0], J[1] = 0;
    J[2] = 1, J[3] = -at->p[0];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *F)
{
    (void)pb;
    F[0] = -at->x[0], F[1] = 0, F[2] = 0;
    F[3] = -at->x[1], F[4] = 0, F[5] = 0;
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    (void)pb;
    if (q->level != SENS_EXACT_ODE) return false;
    const sens_real t = q->t, k = p[0], a = p[1], b = p[2], E = exp(-k * t);
    x[0] = a * E;
    x[1] = (k * b + a * t) * E;
    if (S) {
        S[0] = -t * x[0], S[1] = E, S[2] = 0;
        S[3] = b * E - t * x[1], S[4] = t * E, S[5] = k * E;
    }
    if (S0) {
        S0[0] = E, S0[1] = 0;
        S0[2] = t * E, S0[3] = E;
    }
    return true;
}

static const struct sens_identity identities[] = {
    {.name = "homogeneous",
     .summary = "x = dx/dx0 x0",
     .discrete = true,
     .rows = small_rows,
     .residual = small_homogeneous},
    {.name = NULL},
};

enum { OPT_K, OPT_A, OPT_B, OPT_T };
static const struct sens_option options[] = {
    {.name = "k", .kind = SENS_OPT_REAL, .fallback = 0.5, .min = -1e6, .max = 1e6, .help = "rate, 1/time"},
    {.name = "a", .kind = SENS_OPT_REAL, .fallback = 1, .min = -1e6, .max = 1e6, .help = "y1(0)"},
    {.name = "b", .kind = SENS_OPT_REAL, .fallback = 3, .min = -1e6, .max = 1e6, .help = "y2(0) = k b"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 2, .min = 1e-9, .max = 1e9, .help = "final time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const struct small_jacobians data = {3, jacobian, jacobian_p, NULL};
    const sens_real p[NP] = {option[OPT_K].number, option[OPT_A].number, option[OPT_B].number};
    sens_real x0[N];
    x0_of_p(pb, p, x0);
    return small_create(ctx, N, x0, NP, p, option[OPT_T].number, &data, pb);
}

SENS_PROBLEM(initial) = {
    .name = "initial",
    .summary = "decay chain whose initial state depends on its parameters",
    .reference = "closed form y = exp(-k t) (a, k b + a t)",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    SMALL_PRODUCTS,
    .x0 = x0_of_p,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
    .exact = exact,
    .identities = identities,
};
