/* Central differences of a Runge-Kutta formula with second derivatives (Chan, Tsai, Numer. Algorithms 53, 2010), of
 * order 4 with one slope and two of them: with x'' = df/dt + df/dx f,
 *
 *     y  = x + h/2 f + h^2/8 x''(t, x),
 *     x1 = x + h f + h^2/6 (x''(t, x) + 2 x''(t + h/2, y)).
 *
 * The running cost by Simpson's rule, with x + h/2 f + h^2/24 (2 x''(t, x) + x''(t + h/2, y)) in the middle.
 *
 * verify: --quick --method two_derivatives */
#define NAME    "two_derivatives"
#define DOUBLES 0
#define STEP    by_two_derivatives
#include "quotients.h"

/* f and u = x''. A problem that does not offer df/dt: by a difference of second order, towards the middle. */
static sens_status slopes(const struct state *st, const struct sens_at *at, sens_real *f, sens_real *u)
{
    static const sens_real weight[] = {-1.5, 2, -0.5};
    const struct sens_problem *pb = st->task->problem;
    const sens_real length = pb->t1 - pb->t0,
                    d = (at->t - pb->t0 < length / 2 ? 1 : -1) * SENS_C(1e-5) * length;
    sens_status status = pb->type->rhs(pb, at, f);
    if (status != SENS_OK) return status;
    pb->type->jvp(pb, at, 1, f, u);
    if (pb->type->autonomous) return SENS_OK;
    if (pb->type->rhs_t) {
        pb->type->rhs_t(pb, at, st->before);
        sens_lanes_axpy(st->n, 1, 1, st->before, u);
        return SENS_OK;
    }
    for (int i = 0; i < 3 && status == SENS_OK; i++) {
        status = pb->type->rhs(pb, &(struct sens_at){at->t + (sens_real)i * d, at->x, at->p}, st->before);
        sens_lanes_axpy(st->n, 1, weight[i] / d, st->before, u);
    }
    return status;
}

static sens_status by_two_derivatives(const struct state *st, sens_real t, sens_real h)
{
    const struct sens_cost *cost = st->task->cost;
    const size_t n = st->n;
    const struct sens_at at = {t, st->x, st->p}, middle = {t + h / 2, st->Y, st->p},
                         end = {t + h, st->x, st->p};
    sens_real *const f = st->K, *const u = f + n, *const u1 = u + n;
    sens_status status = slopes(st, &at, f, u);
    if (status != SENS_OK) return status;
    for (size_t i = 0; i < n; i++) st->Y[i] = st->x[i] + h / 2 * f[i] + h * h / 8 * u[i];
    status = slopes(st, &middle, u1 + n, u1);
    if (status != SENS_OK) return status;
    if (cost->type->g) cost->type->g(cost, &at, h / 6, st->G);
    for (size_t i = 0; i < n; i++) {
        st->Y[i] = st->x[i] + h / 2 * f[i] + h * h / 24 * (2 * u[i] + u1[i]);
        st->x[i] += h * f[i] + h * h / 6 * (u[i] + 2 * u1[i]);
    }
    if (cost->type->g)
        cost->type->g(cost, &middle, 2 * h / 3, st->G), cost->type->g(cost, &end, h / 6, st->G);
    return SENS_OK;
}
