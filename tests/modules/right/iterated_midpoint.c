/* The implicit midpoint rule by fixed-point iteration, and its tangent by the same iteration, both from zero:
 *
 *     K <- f(t + h/2, x + h/2 K, p),              x1 = x + h K,
 *     Z <- df/dx (S + h/2 Z) + df/dq there,       S1 = S + h Z,
 *
 * which ends where both have settled to rounding. It converges while h/2 times the norm of df/dx is below 1; more steps
 * are needed where it does not. The running cost by the midpoint rule.
 *
 * verify: --quick --method iterated_midpoint */
#define NAME    "iterated_midpoint"
#define SUMMARY "implicit midpoint rule with its tangent, by fixed-point iteration"
#define STEPS   200
#define VECTORS 3
#include "one_step.h"

/* Is h f = h K to rounding in each of L columns? */
static bool settled(size_t n, size_t L, sens_real h, const sens_real *x, const sens_real *f,
                    const sens_real *K)
{
    for (size_t l = 0; l < L; l++) {
        sens_real moved = 0, size = 0;
        for (size_t i = l; i < n * L; i += L)
            moved += fabs(h * (f[i] - K[i])), size += fabs(x[i]) + fabs(h * f[i]);
        if (!(moved <= 16 * SENS_EPSILON * size)) return false;
    }
    return true;
}

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    const size_t n = st->n, q = st->q, size = st->own.size;
    sens_real *const y = st->own.vector[0], *const K = st->own.vector[1], *const f = st->own.vector[2];
    memset(K, 0, size * sizeof *K);
    for (int tries = 0; tries < 400; tries++) {
        for (size_t i = 0; i < size; i++) y[i] = st->x[i] + h / 2 * K[i];
        const sens_status status = slopes(st, t + h / 2, y, y + n, f, f + n);
        if (status != SENS_OK) return status;
        if (settled(n, 1, h, st->x, f, K) && settled(n, q, h, st->S, f + n, K + n)) {
            integrate(st, &(struct sens_at){t + h / 2, y, st->task->problem->p}, h, y + n);
            sens_lanes_axpy(size, 1, h, f, st->x);
            return SENS_OK;
        }
        memcpy(K, f, size * sizeof *K);
    }
    return sens_fail(ctx, SENS_DIVERGED, "the iteration did not end at t = %g: more steps are needed",
                     (double)t);
}
