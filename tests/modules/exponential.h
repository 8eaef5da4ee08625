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

#include <stdbool.h>

#include "sens/real.h"

struct own {
    sens_real *a, *K, *K1, *A, *Z, *Z1; /* [n] three times, [n][q] three times */
};

#include "directions.h"

/* The sum of z^k / (k + 2)!, which loses nothing. */
static inline sens_real series(sens_real z)
{
    sens_real sum = 0, term = SENS_C(0.5);
    for (int k = 3; k < 40; k++) sum += term, term *= z / (sens_real)k;
    return sum;
}

static sens_real PHI2(sens_real z);

/* K = f, Z = J V + df/dp at (t, x) */
static sens_status slopes(const struct state *st, sens_real t, const sens_real *x, const sens_real *V,
                          sens_real *K, sens_real *Z)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at at = {t, x, pb->p};
    const sens_status status = pb->type->rhs(pb, &at, K);
    if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
    pb->type->jvp(pb, &at, st->q, V, Z);
    add_p(st, &at, Z);
    return SENS_OK;
}

/* x = a + h phi2 (N(a) - N(x)), a = x + h phi1 K; the same for S. */
static void correct(size_t count, sens_real r, sens_real hphi2, const sens_real *K, const sens_real *K1,
                    const sens_real *a, sens_real *x)
{
    for (size_t i = 0; i < count; i++) x[i] = a[i] + hphi2 * (K1[i] - K[i] + r * (a[i] - x[i]));
}

static sens_status step(struct state *st, sens_real t, sens_real h)
{
    const size_t n = st->n, q = st->q;
    const sens_real r = st->task->option[1].number, z = -r * h;
    const sens_real phi2 = r == 0 ? SENS_C(0.5) : PHI2(z), phi1 = 1 + z * (z > -1 ? series(z) : phi2);
    sens_status status = slopes(st, t, st->x, st->S, st->own.K, st->own.Z);
    if (status != SENS_OK) return status;
    memcpy(st->own.a, st->x, n * sizeof *st->own.a);
    memcpy(st->own.A, st->S, n * q * sizeof *st->own.A);
    sens_lanes_axpy(n, 1, h * phi1, st->own.K, st->own.a);
    sens_lanes_axpy(n, q, h * phi1, st->own.Z, st->own.A);
    status = slopes(st, t + h, st->own.a, st->own.A, st->own.K1, st->own.Z1);
    if (status != SENS_OK) return status;
    const sens_real at_end = RECTANGLES ? 0 : h / 2;
    integrate(st, &(struct sens_at){t, st->x, st->task->problem->p}, h - at_end, st->S);
    if (at_end > 0)
        integrate(st, &(struct sens_at){t + h, st->own.a, st->task->problem->p}, at_end, st->own.A);
    correct(n, r, h * phi2, st->own.K, st->own.K1, st->own.a, st->x);
    correct(n * q, r, h * phi2, st->own.Z, st->own.Z1, st->own.A, st->S);
    return SENS_OK;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    (void)ctx;
    sens_real h;
    const long count = equal_steps(st, st->task->option[0].number, t, stop, &h);
    if (work->steps + count > st->task->max_steps) return SENS_STEP_LIMIT;
    for (long k = 0; k < count; k++) {
        const sens_status status = step(st, t + (sens_real)k * h, h);
        if (status != SENS_OK) return status;
    }
    work->steps += count;
    return SENS_OK;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st;
    const sens_status status = create(ctx, task, &st);
    if (status != SENS_OK) return status;
    const size_t n = st->n, q = st->q;
    const struct room room[] = {{&st->own.a, n},     {&st->own.K, n},     {&st->own.K1, n},
                                {&st->own.A, n * q}, {&st->own.Z, n * q}, {&st->own.Z1, n * q}};
    *made = st;
    return allocate(ctx, sizeof room / sizeof *room, room);
}

static const struct sens_option options[] = {
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = 100, .min = 1, .max = 1e6, .help = "from t0 to t1"},
    {.name = "rate",
     .kind = SENS_OPT_REAL,
     .fallback = 1,
     .min = 0,
     .max = 100,
     .help = "r, decay that is treated exactly, 1/time"},
    SENS_OPTIONS_END,
};

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "exponential time differencing with its tangent",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
