/* Restricted three-body problem on Arenstorf's closed orbit, one parameter p = mu (the mass of the lighter
 * body). With mu' = 1 - mu, the bodies at (-mu, 0) and (mu', 0), a = x1 + mu, b = x1 - mu', r^2 = a^2 +
 * x2^2 and s^2 = b^2 + x2^2:
 *
 *     x1' = x3,   x3' = x1 + 2 x4 - mu' a/r^3 - mu b/s^3,
 *     x2' = x4,   x4' = x2 - 2 x3 - mu' x2/r^3 - mu x2/s^3.
 *
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.0, eq. (0.1). The flow
 * preserves volume: det dx(t)/dx(0) = 1. */
#include <tgmath.h>

#include "small.h"

enum { N = 4 };

struct geometry {
    sens_real a, b, r3, s3; /* r3 = r^-3, s3 = s^-3 */
    sens_real r5, s5;       /* 3 r^-5, 3 s^-5 */
};

static struct geometry geometry(const struct sens_at *at)
{
    const sens_real a = at->x[0] + at->p[0], b = at->x[0] - (1 - at->p[0]), y = at->x[1];
    const sens_real r2 = a * a + y * y, s2 = b * b + y * y;
    const sens_real r3 = 1 / (r2 * sqrt(r2)), s3 = 1 / (s2 * sqrt(s2));
    return (struct geometry){a, b, r3, s3, 3 * r3 / r2, 3 * s3 / s2};
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real *x = at->x;
    const sens_real mu = at->p[0];
    const struct geometry g = geometry(at);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = x[0] + 2 * x[3] - (1 - mu) * g.a * g.r3 - mu * g.b * g.s3;
    dx[3] = x[1] - 2 * x[2] - (1 - mu) * x[1] * g.r3 - mu * x[1] * g.s3;
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    const sens_real mu = at->p[0], y = at->x[1];
    const struct geometry g = geometry(at);
    const sens_real pull = 1 - (1 - mu) * g.r3 - mu * g.s3;
    const sens_real mixed = (1 - mu) * g.a * y * g.r5 + mu * g.b * y * g.s5;
    J[0] = 0, J[1] = 0, J[2] = 1, J[3] = 0;
    J[4] = 0, J[5] = 0, J[6] = 0, J[7] = 1;
    J[8] = pull + (1 - mu) * g.a * g.a * g.r5 + mu * g.b * g.b * g.s5, J[9] = mixed, J[10] = 0, J[11] = 2;
    J[12] = mixed, J[13] = pull + (1 - mu) * y * y * g.r5 + mu * y * y * g.s5, J[14] = -2, J[15] = 0;
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *F)
{
    (void)pb;
    const sens_real mu = at->p[0], y = at->x[1];
    const struct geometry g = geometry(at);
    const sens_real tilt = (1 - mu) * g.a * g.r5 + mu * g.b * g.s5;
    F[0] = 0;
    F[1] = 0;
    F[2] = g.a * g.r3 - g.b * g.s3 - (1 - mu) * g.r3 - mu * g.s3 + (1 - mu) * g.a * g.a * g.r5 +
           mu * g.b * g.b * g.s5;
    F[3] = y * (g.r3 - g.s3 + tilt);
}

static void volume(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                   const sens_real *S0, sens_real *residual, sens_real *size)
{
    (void)pb, (void)x1, (void)S;
    residual[0] = small_determinant(N, S0, size) - 1;
    size[0] += 1;
}

static size_t volume_rows(const struct sens_problem *pb)
{
    (void)pb;
    return 1;
}

static const struct sens_identity identities[] = {
    {.name = "volume", .summary = "det dx/dx0 = 1", .rows = volume_rows, .residual = volume},
    {.name = NULL},
};

enum { OPT_MU, OPT_T };
static const struct sens_option options[] = {
    {.name = "mu",
     .kind = SENS_OPT_REAL,
     .fallback = 0.012277471,
     .min = 0,
     .max = 1,
     .help = "mass of the lighter body"},
    {.name = "T",
     .kind = SENS_OPT_REAL,
     .fallback = 17.0652165601579625588917206249,
     .min = 1e-9,
     .max = 1e6,
     .help = "final time; the default is the period"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    /* 9 and 9 for the accelerations, 15 for the geometry they need */
    static const struct small_jacobians data = {33, jacobian, jacobian_p, NULL};
    const sens_real x0[N] = {SENS_C(0.994), 0, 0, SENS_C(-2.00158510637908252240537862224)};
    const sens_real p[] = {option[OPT_MU].number};
    return small_create(ctx, N, x0, 1, p, option[OPT_T].number, &data, pb);
}

SENS_PROBLEM(arenstorf) = {
    .name = "arenstorf",
    .summary = "restricted three-body problem, a closed orbit",
    .reference = "R. F. Arenstorf, Amer. J. Math. 85 (1963) 27-35; Hairer, Norsett, Wanner, Solving ODEs I, "
                 "II.0 (0.1)",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    SMALL_PRODUCTS,
    .identities = identities,
};
