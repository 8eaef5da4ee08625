/* The tangent of the two-step formula of Adams and Bashforth, also behind a stop, where the length of steps changes:
 *
 *     x1 = x + h ((1 + r/2) f - r/2 f_1),      r = h / h_1,
 *
 * where f_1 and h_1 are of the step before; the first step is Heun's.
 *
 * verify: --quick --method two_step */
#define NAME    "two_step"
#define SUMMARY "Adams-Bashforth 2 with steps of unlike lengths"
#define DOUBLES 1
#define STEPS   16
#define STAGES  2
#define VECTORS 4 /* slopes before and now, scratch, x and S before */
#include "runge_kutta.h"

/* Of x and S the entries first, ..., first + count - 1. */
static void add_slopes(const struct state *st, size_t first, size_t count, sens_real h, sens_real r)
{
    sens_lanes_axpy(count, 1, h * (1 + r / 2), st->own.vector[1] + first, st->x + first);
    sens_lanes_axpy(count, 1, -h * r / 2, st->own.vector[0] + first, st->x + first);
}

static sens_status later_step(struct state *st, sens_real t, sens_real h)
{
    const sens_real *p = st->task->problem->p;
    const size_t n = st->n;
    sens_real **const K = st->own.vector, *const slope = K[1], *const before = K[3];
    const sens_real r = h / (t - st->own.t_before);
    const sens_status status = slopes(st, t, st->x, st->S, slope, slope + n);
    if (status != SENS_OK) return status;
    integrate(st, &(struct sens_at){t, st->x, p}, h * (1 + r / 2), st->S);
    integrate(st, &(struct sens_at){st->own.t_before, before, p}, -h * r / 2, before + n);
    memcpy(before, st->x, st->own.size * sizeof *before);
    add_slopes(st, 0, n, h, r);
    add_slopes(st, n, st->own.size - n, h, r);
    K[1] = K[0], K[0] = slope;
    return SENS_OK;
}

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    static const struct formula heun = {.a = {{0}, {1}}, .b = {0.5, 0.5}};
    const bool first = t == st->task->problem->t0;
    (void)ctx;
    if (first) memcpy(st->own.vector[3], st->x, st->own.size * sizeof *st->x);
    const sens_status status = first ? runge_kutta(st, &heun, t, h) : later_step(st, t, h);
    st->own.t_before = t;
    return status;
}
