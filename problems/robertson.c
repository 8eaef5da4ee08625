/* Robertson's autocatalytic reaction, parameters p = (k1, k2, k3):
 *
 *     y1' = -k1 y1 + k2 y2 y3,   y2' = k1 y1 - k2 y2 y3 - k3 y2^2,   y3' = k3 y2^2,   y(0) = (1, 0, 0).
 *
 * Stiff. The sum of the states is conserved, so the columns of dy/dp sum to zero. */
#include <tgmath.h>

#include "small.h"

enum { N = 3, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real first = at->p[0] * at->x[0], second = at->p[1] * at->x[1] * at->x[2],
                    third = at->p[2] * at->x[1] * at->x[1];
    dx[0] = second - first;
    dx[1] = first - second - third;
    dx[2] = third;
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    const sens_real k2y3 = at->p[1] * at->x[2], k2y2 = at->p[1] * at->x[1],
                    k3y2_twice = 2 * at->p[2] * at->x[1];
    J[0] = -at->p[0], J[1] = k2y3, J[2] = k2y2;
    J[3] = at->p[0], J[4] = -k2y3 - k3y2_twice, J[5] = -k2y2;
    J[6] = 0, J[7] = k3y2_twice, J[8] = 0;
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *F)
{
    (void)pb;
    const sens_real y1 = at->x[0], y2y3 = at->x[1] * at->x[2], y2y2 = at->x[1] * at->x[1];
    F[0] = -y1, F[1] = y2y3, F[2] = 0;
    F[3] = y1, F[4] = -y2y3, F[5] = -y2y2;
    F[6] = 0, F[7] = 0, F[8] = y2y2;
}

static void along(const struct sens_problem *pb, const struct sens_at *at, const struct sens_direction *v,
                  sens_real *dJ, sens_real *dF)
{
    (void)pb;
    const sens_real *x = at->x, *p = at->p, *dx = v->x, *dp = v->p;
    const sens_real k2y3 = dp[1] * x[2] + p[1] * dx[2], k2y2 = dp[1] * x[1] + p[1] * dx[1],
                    k3y2_twice = 2 * (dp[2] * x[1] + p[2] * dx[1]);
    const sens_real y2y3 = dx[1] * x[2] + x[1] * dx[2], y2y2 = 2 * x[1] * dx[1];
    dJ[0] = -dp[0], dJ[1] = k2y3, dJ[2] = k2y2;
    dJ[3] = dp[0], dJ[4] = -k2y3 - k3y2_twice, dJ[5] = -k2y2;
    dJ[6] = 0, dJ[7] = k3y2_twice, dJ[8] = 0;
    dF[0] = -dx[0], dF[1] = y2y3, dF[2] = 0;
    dF[3] = dx[0], dF[4] = -y2y3, dF[5] = -y2y2;
    dF[6] = 0, dF[7] = 0, dF[8] = y2y2;
}

/* The sum of the states is a linear invariant, which every Runge-Kutta map keeps:
 * sum_i S0_ij = 1, sum_i S_ik = 0. */
static void mass(const struct sens_problem *pb, const sens_real *x1, const sens_real *S, const sens_real *S0,
                 sens_real *residual, sens_real *size)
{
    (void)pb, (void)x1;
    for (size_t c = 0; c < N + NP; c++) {
        residual[c] = c < N ? -1 : 0, size[c] = c < N ? 1 : 0;
        for (size_t i = 0; i < N; i++) {
            const sens_real term = c < N ? S0[i * N + c] : S[i * NP + c - N];
            residual[c] += term, size[c] += fabs(term);
        }
    }
}

static size_t mass_rows(const struct sens_problem *pb)
{
    (void)pb;
    return N + NP;
}

static const struct sens_identity identities[] = {
    {.name = "mass",
     .summary = "columns of dx/dx0 sum to 1, columns of dx/dp to 0",
     .discrete = true,
     .rows = mass_rows,
     .residual = mass},
    {.name = "time scaling",
     .summary = "sum_k p_k dx/dp_k = T f(x(T))",
     .rows = small_rows,
     .residual = small_time_scaling},
    {.name = NULL},
};

enum { OPT_K1, OPT_K2, OPT_K3, OPT_T };
static const struct sens_option options[] = {
    {.name = "k1", .kind = SENS_OPT_REAL, .fallback = 0.04, .min = 0, .max = 1e12, .help = "rate of A -> B"},
    {.name = "k2",
     .kind = SENS_OPT_REAL,
     .fallback = 1e4,
     .min = 0,
     .max = 1e12,
     .help = "rate of B + C -> A + C"},
    {.name = "k3",
     .kind = SENS_OPT_REAL,
     .fallback = 3e7,
     .min = 0,
     .max = 1e12,
     .help = "rate of B + B -> C + B"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 0.4, .min = 1e-9, .max = 1e11, .help = "final time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const struct small_jacobians data = {8, jacobian, jacobian_p, along};
    const sens_real x0[N] = {1, 0, 0};
    const sens_real p[NP] = {option[OPT_K1].number, option[OPT_K2].number, option[OPT_K3].number};
    return small_create(ctx, N, x0, NP, p, option[OPT_T].number, &data, pb);
}

SENS_PROBLEM(robertson) = {
    .name = "robertson",
    .summary = "Robertson's autocatalytic reaction, stiff",
    .reference = "H. H. Robertson, in J. Walsh (ed.), Numerical Analysis: An Introduction, Academic Press "
                 "1966, 178-182",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    SMALL_PRODUCTS,
    .hvp = small_hvp,
    .identities = identities,
};
