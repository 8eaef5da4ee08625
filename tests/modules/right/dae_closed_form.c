/* A capacitor that is discharged, a differential and an algebraic equation, the matrix before u' of rank 1:
 *
 *     u' = -s i,   0 = i - g u,   u(0) = 1, i(0) = g,     s = 1/capacitance, g = conductance,
 *     u = u(0) e^(-s g t),   i = g u.
 *
 * At t0 the derivative by x0 = (u(0), i(0)) is not the identity: i follows u(0), and nothing follows i(0).
 *
 * verify: --quick --seed 11 --problem dae_closed_form */
#include <stdbool.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[1];
    dx[1] = at->x[1] - at->p[1] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][1] = -at->p[0];
    J[1][0] = -at->p[1], J[1][1] = 1;
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[1];
    F[1][1] = -at->x[0];
}
#include "dense_products.h"

/* ---- the initial state, (1, g) -------------------------------------------------------------------------- */

static void x0_of(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    (void)pb;
    x[0] = 1, x[1] = p[1];
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    (void)pb, (void)p;
    for (size_t l = 0; l < L; l++) MU[L + l] += W[L + l];
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    (void)pb, (void)p;
    for (size_t l = 0; l < L; l++)
        if (k0 + l == 1) OUT[L + l] += 1;
}

/* ---- the closed form ------------------------------------------------------------------------------------ */

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *query, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (query->level != SENS_EXACT_ODE) return false;
    const sens_real s = p[0], g = p[1], t = query->t - pb->t0, E = exp(-s * g * t);
    x[0] = E, x[1] = g * E;
    if (S) {
        S[0] = -g * t * E, S[1] = -s * t * E;
        S[2] = -g * g * t * E, S[3] = (1 - s * g * t) * E;
    }
    if (S0) {
        S0[0] = E, S0[1] = 0;
        S0[2] = g * E, S0[3] = 0;
    }
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const size_t start[N + 1] = {0, 1, 1}, col[] = {0};
    static const sens_real x0[N] = {1, SENS_C(0.5)}, p[NP] = {SENS_C(1.25), SENS_C(0.5)}, one[] = {1};
    static const struct sens_mass mass = {.pattern = {.rows = N, .cols = N, .start = start, .col = col},
                                          .value = one};
    (void)ctx, (void)option;
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p, pb->mass = &mass;
    return SENS_OK;
}

static SENS_PROBLEM(discharge) = {
    .name = "dae_closed_form",
    .summary = "discharge of a capacitor",
    .autonomous = true,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .x0 = x0_of,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
    .exact = exact,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_discharge, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "dae_closed_form", .problems = problems};
