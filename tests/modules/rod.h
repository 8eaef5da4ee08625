/* Heat in a rod of length 2, both ends at 0, by differences on N points, from its lowest mode
 *
 *     u_t = p u_xx,   u_i' = p (u_(i-1) - 2 u_i + u_(i+1)) / h^2,   u(x, 0) = sin(pi x / 2),   h = 2 / (N + 1)
 *
 * with the closed forms of both equations, for modules that differ in the length that the one of the PDE has: the
 * including file defines NAME and LENGTH; and HAS_MASS, where a matrix multiplies u': then options, add_mass and
 * mass_of, its eigenvalue of a mode, stand before this file. */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

#ifndef HAS_MASS
static const struct sens_option options[] = {SENS_OPTIONS_END};

static sens_status add_mass(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)ctx, (void)option, (void)pb;
    return SENS_OK;
}

static sens_real mass_of(const struct sens_problem *pb, sens_real square)
{
    (void)pb, (void)square;
    return 1;
}
#endif

enum { N = 15, NP = 1, HALF = 2 * (N + 1) };

static sens_real pi(void)
{
    return acos(SENS_C(-1.0));
}

static sens_real weight(void)
{
    return SENS_C(0.25) * (N + 1) * (N + 1);
}

static sens_real second_difference(const sens_real *x, int i)
{
    return weight() * ((i > 0 ? x[i - 1] : 0) - 2 * x[i] + (i + 1 < N ? x[i + 1] : 0));
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    for (int i = 0; i < N; i++) dx[i] = at->p[0] * second_difference(at->x, i);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    for (int i = 0; i < N; i++) {
        J[i][i] = -2 * at->p[0] * weight();
        if (i > 0) J[i][i - 1] = at->p[0] * weight();
        if (i + 1 < N) J[i][i + 1] = at->p[0] * weight();
    }
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    for (int i = 0; i < N; i++) F[i][0] = second_difference(at->x, i);
}
#include "dense_products.h"

/* By which p is multiplied in the rate at which mode m decays. */
static sens_real decay_of(const struct sens_problem *pb, enum sens_exact_level level, int m)
{
    const sens_real square = pow(sin(pi() * m / HALF), 2);
    if (level == SENS_EXACT_PDE) return pi() * pi() * m * m / (sens_real)(LENGTH * LENGTH);
    return 4 * weight() * square / mass_of(pb, square);
}

/* x = sum_m v_m (v_m . x0) exp(-p decay_m t), v_m = sqrt(2 / (N + 1)) sin(m pi i / (N + 1)) */
static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const sens_real t = q->t - pb->t0;
    if (q->level == SENS_EXACT_DISCRETE) return false;
    for (int i = 0; i < N; i++) {
        x[i] = 0;
        if (S) S[i] = 0;
        for (int j = 0; j < N; j++) {
            sens_real by_x0 = 0, by_p = 0;
            for (int m = 1; m <= N; m++) {
                const sens_real decay = decay_of(pb, q->level, m), angle = pi() * m / (N + 1);
                const sens_real share = 2 * sin(angle * (i + 1)) * sin(angle * (j + 1)) / (N + 1);
                by_x0 += share * exp(-p[0] * decay * t);
                by_p -= share * decay * t * exp(-p[0] * decay * t);
            }
            x[i] += by_x0 * pb->x0[j];
            if (S) S[i] += by_p * pb->x0[j];
            if (S0) S0[i * N + j] = by_x0;
        }
    }
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    for (int i = 0; i < N; i++) x0[i] = (sens_real)(double)sin(pi() * (i + 1) / (N + 1));
    p[0] = SENS_C(0.125);
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p;
    return add_mass(ctx, option, pb);
}

static SENS_PROBLEM(rod) = {
    .name = NAME,
    .summary = "heat in a rod",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .exact = exact,
    .autonomous = true,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_rod, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .problems = problems};
