/* A problem whose solution, and whose map by any Runge-Kutta formula on equal steps, are closed forms:
 *
 *     x' = A x,  A = [[-p_0, p_1], [0, -p_2]],  x(t1) = F x(t0),  F = [[f(-p_0), p_1 q], [0, f(-p_2)]],
 *     q = (f(-p_2) - f(-p_0)) / (p_0 - p_2),
 *
 * with f(l) = exp(l T) of the solution and f(l) = R(h l)^N of N steps with the stability polynomial R; and the
 * quadratic outputs G = (x_0^2, x_0 x_1) at t1. A is not symmetric, so that J and J^T are told apart. */
#ifndef EXPECTED_SUPPORT_H
#define EXPECTED_SUPPORT_H

#include <float.h>
#include <string.h>

#include "expected.h"
#include "testing.h"

enum { N = 2, NP = 3, M = 2 };
static const double P[NP] = {0.7, 0.4, 1.9}, X0[N] = {1.25, -0.8}, LENGTH = 1.5;

static inline sens_status linear_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0] + at->p[1] * at->x[1];
    dx[1] = -at->p[2] * at->x[1];
    return SENS_OK;
}

static inline void linear_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                              const double *V, double *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) {
        OUT[l] = -at->p[0] * V[l] + at->p[1] * V[L + l];
        OUT[L + l] = -at->p[2] * V[L + l];
    }
}

static inline void linear_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                              const double *W, double *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) {
        OUT[l] = -at->p[0] * W[l];
        OUT[L + l] = at->p[1] * W[l] - at->p[2] * W[L + l];
    }
}

/* Column k of f_p, [N]. */
static inline void linear_column(const double *x, size_t k, double column[N])
{
    column[0] = k == 0 ? -x[0] : k == 1 ? x[1] : 0;
    column[1] = k == 2 ? -x[1] : 0;
}

static inline void linear_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0,
                                     size_t L, double *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L && k0 + l < NP; l++) {
        double column[N];
        linear_column(at->x, k0 + l, column);
        for (size_t i = 0; i < N; i++) OUT[i * L + l] += column[i];
    }
}

static inline void linear_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t,
                                      const double *X, const double *p, size_t L, const double *W, double *MU)
{
    (void)pb;
    (void)t;
    (void)p;
    for (size_t point = 0; point < K; point++)
        for (size_t k = 0; k < NP; k++) {
            double column[N];
            linear_column(X + point * N, k, column);
            for (size_t i = 0; i < N; i++)
                for (size_t l = 0; l < L; l++) MU[k * L + l] += column[i] * W[(point * N + i) * L + l];
        }
}

static inline void quadratic_phi(const struct sens_cost *cost, size_t j, const double *x, const double *p,
                                 double *G)
{
    (void)cost;
    (void)j;
    (void)p;
    G[0] += x[0] * x[0];
    G[1] += x[0] * x[1];
}

static inline void quadratic_phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p,
                                    size_t c0, size_t L, double *OUT)
{
    (void)cost;
    (void)j;
    (void)p;
    const double dx[M][N] = {{2 * x[0], 0}, {x[1], x[0]}};
    for (size_t l = 0; l < L && c0 + l < M; l++)
        for (size_t i = 0; i < N; i++) OUT[i * L + l] += dx[c0 + l][i];
}

static const struct sens_problem_type linear_type = {.name = "linear",
                                                     .rhs = linear_rhs,
                                                     .vjp = linear_vjp,
                                                     .jvp = linear_jvp,
                                                     .jvp_p_cols = linear_jvp_p_cols,
                                                     .vjp_p_batch = linear_vjp_p_batch};
static const struct sens_cost_type quadratic_type = {
    .name = "quadratic", .phi = quadratic_phi, .phi_dx = quadratic_phi_dx};

/* ---- closed forms -------------------------------------------------------------------------------------- */

struct known {
    double x[N], G[M], dGdp[M * NP], dGdx0[M * N];
};

/* f(l) and f'(l): of the solution (steps 0), or of so many steps of rk4. */
static inline void propagate(double l, long steps, double *f, double *df)
{
    const double h = LENGTH / (double)steps, z = h * l;
    const double R = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))), dR = 1 + z * (1 + z / 2 * (1 + z / 3));
    *f = steps ? pow(R, (double)steps) : exp(l * LENGTH);
    *df = steps ? (double)steps * pow(R, (double)steps - 1) * dR * h : LENGTH * *f;
}

static inline struct known closed_form_at(const double *p, const double *x0, long steps)
{
    struct known known;
    double f0, df0, f2, df2;
    propagate(-p[0], steps, &f0, &df0);
    propagate(-p[2], steps, &f2, &df2);
    const double gap = p[0] - p[2], q = (f2 - f0) / gap;
    const double x[N] = {f0 * x0[0] + p[1] * q * x0[1], f2 * x0[1]};
    const double dx0[N][N] = {{f0, p[1] * q}, {0, f2}};
    const double dp[N][NP] = {
        {-df0 * x0[0] + p[1] * x0[1] * (df0 - q) / gap, q * x0[1], p[1] * x0[1] * (q - df2) / gap},
        {0, 0, -df2 * x0[1]}};
    const double phi_x[M][N] = {{2 * x[0], 0}, {x[1], x[0]}};
    memset(&known, 0, sizeof known);
    memcpy(known.x, x, sizeof x);
    known.G[0] = x[0] * x[0];
    known.G[1] = x[0] * x[1];
    for (size_t c = 0; c < M; c++)
        for (size_t i = 0; i < N; i++) {
            for (size_t k = 0; k < NP; k++) known.dGdp[c * NP + k] += phi_x[c][i] * dp[i][k];
            for (size_t k = 0; k < N; k++) known.dGdx0[c * N + k] += phi_x[c][i] * dx0[i][k];
        }
    return known;
}

static inline struct known closed_form(long steps)
{
    return closed_form_at(P, X0, steps);
}

/* ---- a bed --------------------------------------------------------------------------------------------- */

struct fixture {
    struct verify v;
    struct bed bed;
    struct grid grid;
    double t_obs;
};

/* Methods that declare a kind, and are never run. */
static const struct sens_method_type discrete_method = {.name = "discrete",
                                                        .derivative = SENS_DERIVATIVE_DISCRETE,
                                                        .caps = SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER |
                                                                SENS_CAP_TOLERANCE};
static const struct sens_method_type continuous_method = {.name = "continuous",
                                                          .derivative = SENS_DERIVATIVE_CONTINUOUS,
                                                          .caps = SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER |
                                                                  SENS_CAP_TOLERANCE};
static const struct sens_method_type difference_method = {.name = "difference",
                                                          .derivative = SENS_DERIVATIVE_DIFFERENCE,
                                                          .caps = SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER |
                                                                  SENS_CAP_TOLERANCE};

/* The task by rk4 with this many equal steps, which stand in f->grid; 0 steps: adaptive, and no grid. */
static inline void fixture_create(struct fixture *f, const struct sens_method_type *method, long steps)
{
    *f = (struct fixture){.v = {.reg = sens_registry_baseline(), .rng = gsl_rng_alloc(gsl_rng_mt19937)}};
    assert_non_null(f->v.rng);
    f->t_obs = LENGTH;
    const struct sens_problem problem = {
        .type = &linear_type, .n = N, .np = NP, .t0 = 0, .t1 = LENGTH, .x0 = X0, .p = P};
    const struct sens_cost cost = {
        .type = &quadratic_type, .m = M, .n = N, .np = NP, .n_obs = 1, .t_obs = &f->t_obs};
    bed_create(&f->v, &problem, &cost, method, &f->bed);
    if (steps == 0) return;
    assert_true(bed_fixed(&f->bed, "rk4", steps));
    assert_true(expected_equal_steps(&f->bed, steps, &f->grid));
}

static inline void fixture_free(struct fixture *f)
{
    grid_free(&f->grid);
    bed_free(&f->bed);
    gsl_rng_free(f->v.rng);
    sens_arena_release(&f->v.ctx.arena);
}

/* |got - known| <= bound + eps |known| 4, entry by entry; bound NULL: 0. */
static inline void assert_within(size_t count, const double *got, const double *known, const double *bound,
                                 const char *what)
{
    for (size_t q = 0; q < count; q++)
        if (!(fabs(got[q] - known[q]) <= (bound ? bound[q] : 0) + 4 * DBL_EPSILON * fabs(known[q])))
            fail_msg("%s[%zu] = %.17g, known %.17g, bound %.3g", what, q, got[q], known[q],
                     bound ? bound[q] : 0);
}

static inline void assert_known(const struct sens_out *got, const struct known *known,
                                const struct sens_out *bound)
{
    assert_within(N, got->x, known->x, bound->x, "x");
    assert_within(M, got->G, known->G, bound->G, "G");
    assert_within(M * NP, got->dGdp, known->dGdp, bound->dGdp, "dGdp");
    assert_within(M * N, got->dGdx0, known->dGdx0, bound->dGdx0, "dGdx0");
}

#endif
