/* Damped linear oscillator, parameters p = (omega, zeta):
 *
 *     x'' + 2 zeta x' + omega^2 x = 0,   as   x' = v,   v' = -omega^2 x - 2 zeta v.
 *
 * With s = omega^2 - zeta^2 > 0, nu = sqrt(s), C = cos(nu t), Z = sin(nu t)/nu, E = e^(-zeta t):
 *
 *     x = E (x0 C + (v0 + zeta x0) Z),   v = E (v0 C - (zeta v0 + omega^2 x0) Z),
 *
 * whose derivatives follow from dC/ds = -t Z/2, dZ/ds = (t C - Z)/(2 s), ds/domega = 2 omega,
 * ds/dzeta = -2 zeta. */
#include <tgmath.h>

#include "small.h"

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real omega = at->p[0], zeta = at->p[1];
    dx[0] = at->x[1];
    dx[1] = -omega * omega * at->x[0] - 2 * zeta * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    J[0] = 0, J[1] = 1;
    J[2] = -at->p[0] * at->p[0], J[3] = -2 * at->p[1];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *F)
{
    (void)pb;
    F[0] = 0, F[1] = 0;
    F[2] = -2 * at->p[0] * at->x[0], F[3] = -2 * at->x[1];
}

static void along(const struct sens_problem *pb, const struct sens_at *at, const struct sens_direction *v,
                  sens_real *dJ, sens_real *dF)
{
    (void)pb;
    const sens_real omega = at->p[0], d_omega = v->p[0];
    dJ[0] = 0, dJ[1] = 0;
    dJ[2] = -2 * omega * d_omega, dJ[3] = -2 * v->p[1];
    dF[0] = 0, dF[1] = 0;
    dF[2] = -2 * (d_omega * at->x[0] + omega * v->x[0]), dF[3] = -2 * v->x[1];
}

/* Z_s = (t C - Z) / (2 s) = t^3 (x cos x - sin x) / (2 x^3), x = nu t; by its series where that cancels. */
static sens_real slope_of_Z(sens_real t, sens_real s, sens_real C, sens_real Z)
{
    const sens_real y = s * t * t; /* x^2 */
    if (y > (sens_real)0.09) return (t * C - Z) / (2 * s);
    const sens_real high = y * y * y * (-(sens_real)1 / 15120 + y / 1330560 - y * y / 172972800);
    return -t * t * t / 6 * (1 - y / 10 + y * y / 280 + high);
}

/* The state and its partial derivatives; E, C, Z as above, C_s and Z_s their derivatives by s. */
static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const sens_real omega = p[0], zeta = p[1], s = omega * omega - zeta * zeta;
    if (q->level != SENS_EXACT_ODE || !(s > 0)) return false;
    const sens_real t = q->t, nu = sqrt(s), E = exp(-zeta * t), C = cos(nu * t), Z = sin(nu * t) / nu;
    const sens_real x0 = pb->x0[0], v0 = pb->x0[1];
    const sens_real a = v0 + zeta * x0, b = zeta * v0 + omega * omega * x0;
    x[0] = E * (x0 * C + a * Z);
    x[1] = E * (v0 * C - b * Z);
    if (S) {
        const sens_real C_s = -t * Z / 2, Z_s = slope_of_Z(t, s, C, Z);
        const sens_real x_s = E * (x0 * C_s + a * Z_s), v_s = E * (v0 * C_s - b * Z_s);
        S[0] = 2 * omega * x_s;
        S[1] = -2 * zeta * x_s + E * x0 * Z - t * x[0];
        S[2] = 2 * omega * (v_s - E * x0 * Z);
        S[3] = -2 * zeta * v_s - E * v0 * Z - t * x[1];
    }
    if (S0) {
        S0[0] = E * (C + zeta * Z), S0[1] = E * Z;
        S0[2] = -E * omega * omega * Z, S0[3] = E * (C - zeta * Z);
    }
    return true;
}

/* The trace of the matrix is -2 zeta (Liouville). */
static void volume(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                   const sens_real *S0, sens_real *residual, sens_real *size)
{
    const sens_real want = exp(-2 * pb->p[1] * (pb->t1 - pb->t0));
    (void)x1, (void)S;
    residual[0] = small_determinant(2, S0, size) - want;
    size[0] += want;
}

static size_t volume_rows(const struct sens_problem *pb)
{
    (void)pb;
    return 1;
}

static const struct sens_identity identities[] = {
    {.name = "homogeneous",
     .summary = "x = dx/dx0 x0",
     .discrete = true,
     .rows = small_rows,
     .residual = small_homogeneous},
    {.name = "volume", .summary = "det dx/dx0 = exp(-2 zeta T)", .rows = volume_rows, .residual = volume},
    {.name = NULL},
};

enum { OPT_OMEGA, OPT_ZETA, OPT_X0, OPT_V0, OPT_T };
static const struct sens_option options[] = {
    {.name = "omega",
     .kind = SENS_OPT_REAL,
     .fallback = 2,
     .min = 0,
     .max = 1e6,
     .help = "frequency, 1/time"},
    {.name = "zeta",
     .kind = SENS_OPT_REAL,
     .fallback = 0.125,
     .min = -1e6,
     .max = 1e6,
     .help = "damping, 1/time"},
    {.name = "position", .kind = SENS_OPT_REAL, .fallback = 1, .min = -1e6, .max = 1e6, .help = "x(0)"},
    {.name = "velocity", .kind = SENS_OPT_REAL, .fallback = 0.5, .min = -1e6, .max = 1e6, .help = "x'(0)"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 5, .min = 1e-9, .max = 1e9, .help = "final time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const struct small_jacobians data = {5, jacobian, jacobian_p, along};
    const sens_real x0[] = {option[OPT_X0].number, option[OPT_V0].number};
    const sens_real p[] = {option[OPT_OMEGA].number, option[OPT_ZETA].number};
    return small_create(ctx, 2, x0, 2, p, option[OPT_T].number, &data, pb);
}

SENS_PROBLEM(oscillator) = {
    .name = "oscillator",
    .summary = "damped linear oscillator x'' + 2 zeta x' + omega^2 x = 0",
    .reference = "closed form for zeta < omega",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    SMALL_PRODUCTS,
    .hvp = small_hvp,
    .exact = exact,
    .identities = identities,
};
