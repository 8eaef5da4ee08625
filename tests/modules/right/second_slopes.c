/* The Taylor formula of order 2, x1 = x + h f + h^2/2 u, u = df/dt + df/dx f, and its tangent,
 *
 *     S1 = S + h F + h^2/2 (df/dx F + D(df/dx) S + D(df/dp)),     F = df/dx S + df/dp,
 *
 * D the derivative along (1, f, 0), which hvp has for unit vectors, transposed. A problem that does not offer df/dt and
 * second derivatives is refused. The running cost by the trapezoidal rule.
 *
 * verify: --quick --method second_slopes */
#define NAME    "second_slopes"
#define SUMMARY "Taylor formula of order 2 with its tangent, by rhs_t and hvp"
#define STEPS   200
#define VECTORS 6
#include "one_step.h"

/* Z [n][q] += D(df/dx) S + D(df/dp) */
static void add_second(struct state *st, const struct sens_at *at, const sens_real *f, sens_real *Z)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n, q = st->q;
    sens_real *const W = st->own.vector[2], *const one = W + n * n; /* [n][n], [n] */
    sens_real *const along = st->own.vector[3], *const J = st->own.vector[4], *const P = st->own.vector[5];
    memset(W, 0, n * n * sizeof *W);
    memset(P, 0, st->np * n * sizeof *P);
    for (size_t i = 0; i < n; i++) {
        W[i * n + i] = one[i] = 1;
        for (size_t r = 0; r < n; r++) along[i * n + r] = f[i];
    }
    pb->type->hvp(pb, at, n, &(struct sens_direction){.t = one, .x = along}, W, J, P);
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < q; k++) {
            for (size_t i = 0; i < n; i++) Z[r * q + k] += J[i * n + r] * st->S[i * q + k];
            if (k < st->of_p) Z[r * q + k] += P[k * n + r];
        }
}

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at at = {t, st->x, pb->p}, end = {t + h, st->x, pb->p};
    const size_t n = st->n;
    sens_real *const f = st->own.vector[0], *const u = st->own.vector[1];
    if (!pb->type->hvp || !(pb->type->rhs_t || pb->type->autonomous))
        return sens_fail(ctx, SENS_UNSUPPORTED, "problem %s has no hvp, or no rhs_t", pb->type->name);
    const sens_status status = slopes(st, t, st->x, st->S, f, f + n);
    if (status != SENS_OK) return status;
    integrate(st, &at, h / 2, st->S);
    pb->type->jvp(pb, &at, 1, f, u);
    pb->type->jvp(pb, &at, st->q, f + n, u + n);
    if (!pb->type->autonomous) {
        pb->type->rhs_t(pb, &at, st->own.before);
        sens_lanes_axpy(n, 1, 1, st->own.before, u);
    }
    add_second(st, &at, f, u + n);
    sens_lanes_axpy(st->own.size, 1, h, f, st->x);
    sens_lanes_axpy(st->own.size, 1, h * h / 2, u, st->x);
    integrate(st, &end, h / 2, st->S);
    return SENS_OK;
}
