/* M x' = f(x, p) whose equations are in units from 1e12 to 1e-12, and whose states are 1e9 and 1e-9:
 *
 *     A x' = A (-p0 x + 1e18 p1 z),   B y' = B (1e-18 p0 x - p1 y),   0 = C (z^2 - p2 y^2),
 *
 * from x = 1e9, y = 1e-9, z = sqrt(p2) y.
 *
 * verify: --quick --problem dae_units */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 3, NP = 3 };
static const sens_real A = SENS_C(1e12), B = SENS_C(1e-12), C = SENS_C(1e-10), UNIT = SENS_C(1e18);

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_real *const x = at->x, *const p = at->p;
    (void)pb;
    dx[0] = A * (-p[0] * x[0] + UNIT * p[1] * x[2]);
    dx[1] = B * (p[0] * x[0] / UNIT - p[1] * x[1]);
    dx[2] = C * (x[2] * x[2] - p[2] * x[1] * x[1]);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    const sens_real *const x = at->x, *const p = at->p;
    (void)pb;
    J[0][0] = -A * p[0], J[0][2] = A * UNIT * p[1];
    J[1][0] = B * p[0] / UNIT, J[1][1] = -B * p[1];
    J[2][1] = -2 * C * p[2] * x[1], J[2][2] = 2 * C * x[2];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    const sens_real *const x = at->x;
    (void)pb;
    F[0][0] = -A * x[0], F[0][1] = A * UNIT * x[2];
    F[1][0] = B * x[0] / UNIT, F[1][1] = -B * x[1];
    F[2][2] = -C * x[1] * x[1];
}
#include "dense_products.h"

static const sens_real START = SENS_C(1e-9); /* of y */

static void x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    (void)pb;
    x[0] = 1 / START, x[1] = START, x[2] = sqrt(p[2]) * START;
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) MU[2 * L + l] += START / (2 * sqrt(p[2])) * W[2 * L + l];
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++)
        if (k0 + l == 2) OUT[2 * L + l] += START / (2 * sqrt(p[2]));
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const size_t first[N + 1] = {0, 1, 2, 2}, col[] = {0, 1};
    static const sens_real p[NP] = {SENS_C(0.7), SENS_C(0.5), SENS_C(0.25)};
    static const sens_real x[N] = {SENS_C(1e9), SENS_C(1e-9), SENS_C(0.5e-9)};
    static const sens_real M[] = {SENS_C(1e12), SENS_C(1e-12)};
    static const struct sens_mass mass = {.pattern = {.rows = N, .cols = N, .start = first, .col = col},
                                          .value = M};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 2;
    pb->x0 = x;
    pb->p = p;
    pb->mass = &mass;
    return SENS_OK;
}

static SENS_PROBLEM(dae_units) = {
    .name = "dae_units",
    .summary = "two rates and an algebraic equation, in units far apart",
    .autonomous = true,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .x0 = x0,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_dae_units, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "dae_units", .problems = problems};
