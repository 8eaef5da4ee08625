/* A rod of N points between ends of temperature A, from a start at two of them, with p the conductivity:
 *
 *     x_i' = p (x_(i-1) - 2 x_i + x_(i+1)),   x_0 = x_(N+1) = A,   x_i = A + sum_k c_k v_ki e^(-p l_k (t - t0)),
 *     v_ki = sin(pi k i / (N + 1)),   l_k = 2 - 2 cos(pi k / (N + 1)),   c_k = 2 / (N + 1) sum_j v_kj (x_j(t0) - A)
 *
 * At t0 modes add up to what x was, and to 0 or 1 in S0, but for the rounding of terms that are far larger; A is no
 * parameter, and t0 so large that a rounding of the interval does not move it.
 *
 * verify: --quick --problem modes
 * recorded: yes */
#include <math.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 8 };
static const sens_real A = SENS_C(293.15), T0 = 2000, PI = SENS_C(3.14159265358979323846264338327950288);

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real *const x = at->x;
    for (size_t i = 0; i < N; i++)
        dx[i] = at->p[0] * ((i > 0 ? x[i - 1] : A) - 2 * x[i] + (i + 1 < N ? x[i + 1] : A));
    return SENS_OK;
}

static sens_real shape(size_t k, size_t i)
{
    return sin(PI * (sens_real)((k + 1) * (i + 1)) / (N + 1));
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *query, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (query->level != SENS_EXACT_ODE) return false;
    const sens_real t = query->t - pb->t0;
    for (size_t i = 0; i < N; i++) {
        x[i] = A;
        if (S) S[i] = 0;
        for (size_t j = 0; S0 && j < N; j++) S0[i * N + j] = 0;
        for (size_t k = 0; k < N; k++) {
            const sens_real rate = 2 - 2 * cos(PI * (sens_real)(k + 1) / (N + 1)), E = exp(-p[0] * rate * t);
            sens_real c = 0;
            for (size_t j = 0; j < N; j++) c += 2 * shape(k, j) * (pb->x0[j] - A) / (N + 1);
            x[i] += c * shape(k, i) * E;
            if (S) S[i] -= c * shape(k, i) * rate * t * E;
            for (size_t j = 0; S0 && j < N; j++) S0[i * N + j] += 2 * shape(k, j) * shape(k, i) * E / (N + 1);
        }
    }
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, 1);
    if (!x0 || !p) return SENS_NO_MEMORY;
    x0[2] = SENS_C(1.7), x0[5] = SENS_C(0.9), p[0] = SENS_C(0.4);
    pb->n = N, pb->np = 1, pb->t0 = T0, pb->t1 = T0 + 3, pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

SENS_PROBLEM(modes) = {.name = "modes",
                       .summary = "x_i' = p (x_(i-1) - 2 x_i + x_(i+1))",
                       .reference = "none",
                       .create = create,
                       .rhs = rhs,
                       .exact = exact,
                       .autonomous = true};
static const struct sens_problem_type *const problems[] = {&sens_problem_modes, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "modes", .problems = problems};
