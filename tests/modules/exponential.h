/* The tangent of a second-order method of exponential time differencing (Cox, Matthews, J. Comput. Phys. 176, 2002)
 * that treats the decay -r x exactly,
 *
 *     a = x + h phi1(z) f(t, x),        z = -r h,
 *     x1 = a + h phi2(z) (N(t + h, a) - N(t, x)),      N = f + r x,
 *     phi1(z) = (e^z - 1) / z,          phi2(z) = (phi1(z) - 1) / z,
 *
 * for modules that differ in how phi2 is formed: the including file defines NAME and PHI2, a function of z < 0, and may
 * define RECTANGLES (the running cost by the value at the start of a step alone, else by the trapezoidal rule). r is an
 * option, and 0 leaves a Runge-Kutta method. */
#ifndef RECTANGLES
#define RECTANGLES 0
#endif

#define SUMMARY "exponential time differencing with its tangent"
#define STEPS   100
#define VECTORS 3
#define DECAYS
#include "one_step.h"

/* The sum of z^k / (k + 2)!, which loses nothing. */
static inline sens_real series(sens_real z)
{
    sens_real sum = 0, term = SENS_C(0.5);
    for (int k = 3; k < 40; k++) sum += term, term *= z / (sens_real)k;
    return sum;
}

static sens_real PHI2(sens_real z);

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    (void)ctx;
    const size_t n = st->n, size = st->own.size;
    sens_real *const a = st->own.vector[0], *const K = st->own.vector[1], *const K1 = st->own.vector[2];
    const sens_real *const p = st->task->problem->p, r = st->task->option[1].number, z = -r * h;
    const sens_real phi2 = r == 0 ? SENS_C(0.5) : PHI2(z), phi1 = 1 + z * (z > -1 ? series(z) : phi2);
    sens_status status = slopes(st, t, st->x, st->S, K, K + n);
    if (status != SENS_OK) return status;
    memcpy(a, st->x, size * sizeof *a);
    sens_lanes_axpy(size, 1, h * phi1, K, a);
    status = slopes(st, t + h, a, a + n, K1, K1 + n);
    if (status != SENS_OK) return status;
    const sens_real at_end = RECTANGLES ? 0 : h / 2;
    integrate(st, &(struct sens_at){t, st->x, p}, h - at_end, st->S);
    if (at_end > 0) integrate(st, &(struct sens_at){t + h, a, p}, at_end, a + n);
    for (size_t i = 0; i < size; i++) st->x[i] = a[i] + h * phi2 * (K1[i] - K[i] + r * (a[i] - st->x[i]));
    return SENS_OK;
}
