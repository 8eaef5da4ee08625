/* The tangent of the two-step formula of Adams and Bashforth, for modules that differ in its history and in
 * the quadrature of the running cost: the including file defines NAME, KEEPS_HISTORY (a run begins with the
 * last slope of the run before; else each observation is a new beginning) and SIMPSON (Simpson's rule in
 * place of the formula's). */
#include <stdbool.h>

#include "sens/real.h"

struct own {
    sens_real *K, *K1, *K2, *Z, *Z1, *Z2; /* K2, Z2: slopes of the step before, where there is history */
    bool history;
};

#include "directions.h"

/* The step from t: Heun's where there is no step before it, else Adams' and Bashforth's second. */
static sens_status step(struct state *st, sens_real t, sens_real h, long k, bool last)
{
    const sens_real *p = st->task->problem->p;
    const size_t n = st->n, q = st->q;
    sens_status status = slopes(st, t, st->x, st->S, st->own.K, st->own.Z);
    if (status != SENS_OK) return status;
    const bool first = !st->own.history;
    const sens_real own = (first ? SENS_C(0.5) : SENS_C(1.5)) - (last ? 0 : SENS_C(0.5));
    const sens_real simpson = (k == 0 ? 1 : k % 2 ? 4 : 2) / SENS_C(3.0);
    integrate(st, &(struct sens_at){t, st->x, p}, h * (SIMPSON ? simpson : own), st->S);
    if (first) {
        memcpy(st->own.K1, st->x, n * sizeof *st->own.K1);
        memcpy(st->own.Z1, st->S, n * q * sizeof *st->own.Z1);
        sens_lanes_axpy(n, 1, h, st->own.K, st->own.K1);
        sens_lanes_axpy(n, q, h, st->own.Z, st->own.Z1);
        if (!SIMPSON) integrate(st, &(struct sens_at){t + h, st->own.K1, p}, h / 2, st->own.Z1);
        status = slopes(st, t + h, st->own.K1, st->own.Z1, st->own.K2, st->own.Z2);
        if (status != SENS_OK) return status;
    }
    const sens_real now = first ? h / 2 : 3 * h / 2, other = first ? h / 2 : -h / 2;
    sens_lanes_axpy(n, 1, now, st->own.K, st->x);
    sens_lanes_axpy(n, 1, other, st->own.K2, st->x);
    sens_lanes_axpy(n, q, now, st->own.Z, st->S);
    sens_lanes_axpy(n, q, other, st->own.Z2, st->S);
    memcpy(st->own.K2, st->own.K, n * sizeof *st->own.K);
    memcpy(st->own.Z2, st->own.Z, n * q * sizeof *st->own.Z);
    st->own.history = true;
    return SENS_OK;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    (void)ctx;
    const struct sens_problem *pb = st->task->problem;
    sens_real h;
    const long count = equal_steps(st, st->task->option[0].number, t, stop, &h);
    if (work->steps + count > st->task->max_steps) return SENS_STEP_LIMIT;
    if (!KEEPS_HISTORY) st->own.history = false;
    for (long k = 0; k < count; k++) {
        const sens_status status = step(st, t + (sens_real)k * h, h, k, k + 1 == count);
        if (status != SENS_OK) return status;
    }
    if (SIMPSON) integrate(st, &(struct sens_at){stop, st->x, pb->p}, h / 3, st->S);
    work->steps += count;
    return SENS_OK;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st;
    const sens_status status = create(ctx, task, &st);
    if (status != SENS_OK) return status;
    const size_t n = st->n, q = st->q;
    const struct room room[] = {{&st->own.K, n},     {&st->own.K1, n},     {&st->own.K2, n},
                                {&st->own.Z, n * q}, {&st->own.Z1, n * q}, {&st->own.Z2, n * q}};
    *made = st;
    return allocate(ctx, sizeof room / sizeof *room, room);
}

static const struct sens_option options[] = {
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = 400, .min = 1, .max = 1e6, .help = "from t0 to t1"},
    SENS_OPTIONS_END,
};

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "Adams-Bashforth 2 with its tangent",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
