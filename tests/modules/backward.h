/* The tangent of a two-step formula of second order, of backward differences with f extrapolated,
 *
 *     (1 + 2 r) x1 = (1 + r)^2 x - r^2 x_1 + h (1 + r) ((1 + r) f - r f_1),      r = h / h_1,
 *
 * where x_1, f_1 and h_1 are of the step before, also behind a stop; the first step is Heun's. From stop to stop steps
 * are equal. For modules that differ in r: the including file defines NAME and RATIO(h, before). The cost is integrated
 * by the trapezoid. */
#include <stdbool.h>

#include "sens/real.h"

struct own {
    sens_real *X[2], *K[3], *V[2], *Z[3]; /* X, K: states and slopes now and before; V, Z: their tangents */
    sens_real before;                     /* length of the step before; 0: there is none */
};

#include "directions.h"

/* x = a x + b x_1 + h (c K + d K'), K' of `other`, and so its tangent; what was x is x_1 afterwards. */
static void combine(struct state *st, sens_real a, sens_real b, sens_real c, sens_real d, int other)
{
    struct own *const own = &st->own;
    const size_t n = st->n, size = n * st->q;
    for (size_t i = 0; i < n; i++) {
        const sens_real x = st->x[i];
        st->x[i] = a * x + b * own->X[0][i] + c * own->K[0][i] + d * own->K[other][i];
        own->X[0][i] = x, own->K[1][i] = own->K[0][i];
    }
    for (size_t i = 0; i < size; i++) {
        const sens_real x = st->S[i];
        st->S[i] = a * x + b * own->V[0][i] + c * own->Z[0][i] + d * own->Z[other][i];
        own->V[0][i] = x, own->Z[1][i] = own->Z[0][i];
    }
}

static sens_status step(struct state *st, sens_real t, sens_real h)
{
    struct own *const own = &st->own;
    const size_t n = st->n, q = st->q;
    sens_status status = slopes(st, t, st->x, st->S, own->K[0], own->Z[0]);
    if (status != SENS_OK) return status;
    integrate(st, &(struct sens_at){t, st->x, st->task->problem->p}, h / 2, st->S);
    if (own->before == 0) {
        memcpy(own->X[1], st->x, n * sizeof *st->x);
        memcpy(own->V[1], st->S, n * q * sizeof *st->S);
        sens_lanes_axpy(n, 1, h, own->K[0], own->X[1]);
        sens_lanes_axpy(n, q, h, own->Z[0], own->V[1]);
        status = slopes(st, t + h, own->X[1], own->V[1], own->K[2], own->Z[2]);
        if (status != SENS_OK) return status;
        combine(st, 1, 0, h / 2, h / 2, 2);
    } else {
        const sens_real r = RATIO(h, own->before), w = 1 + 2 * r;
        combine(st, (1 + r) * (1 + r) / w, -r * r / w, h * (1 + r) * (1 + r) / w, -h * r * (1 + r) / w, 1);
    }
    integrate(st, &(struct sens_at){t + h, st->x, st->task->problem->p}, h / 2, st->S);
    own->before = h;
    return SENS_OK;
}

/* Nothing is known of steps before. */
static void begin(struct state *st)
{
    st->own.before = 0;
    memset(st->own.X[0], 0, st->n * sizeof *st->own.X[0]);
    memset(st->own.V[0], 0, st->n * st->q * sizeof *st->own.V[0]);
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    (void)ctx;
    sens_real h;
    const long count = equal_steps(st, st->task->option[0].number, t, stop, &h);
    if (work->steps + count > st->task->max_steps) return SENS_STEP_LIMIT;
    if (t == st->task->problem->t0) begin(st);
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
    const size_t n = st->n, size = n * st->q;
    struct own *const own = &st->own;
    const struct room room[] = {
        {&own->X[0], n},    {&own->X[1], n},    {&own->K[0], n},    {&own->K[1], n},    {&own->K[2], n},
        {&own->V[0], size}, {&own->V[1], size}, {&own->Z[0], size}, {&own->Z[1], size}, {&own->Z[2], size}};
    *made = st;
    return allocate(ctx, sizeof room / sizeof *room, room);
}

static const struct sens_option options[] = {
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = 400, .min = 1, .max = 1e6, .help = "from t0 to t1"},
    SENS_OPTIONS_END,
};

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "extrapolated backward differences with their tangent",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
