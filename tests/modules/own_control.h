/* The tangent of Bogacki and Shampine's pair with a step control of its own, first same as last, for modules that
 * differ in what a run leaves to the next: the including file defines NAME, KEEPS_SLOPE (the last slope; nothing is
 * kept before the first run) and KEEPS_STEP (the last step), and may define LEAST, the step that is taken without a
 * test, as a part of the interval; NO_TIME, what is left where a solve ends; NONE_IS_NAN, an error of 0 over a
 * tolerance of 0, which is no reason to reject then; PARTS_COUNT(part), for how many components a tolerance of
 * several is taken; FIRST, the first step as a part of the interval; FAILED_ADDS as 1: a trial in which rhs has no
 * value adds to G before that is seen; ARRIVES, the part of what is left to a stop from which a step is the last one
 * before it; LAST(h, left), the length of that; and TESTS_TANGENT as 1: S is in the error test, by the task's own
 * tolerances, and the derivative is one of the exact solution. */
#include <stdbool.h>

#include "sens/real.h"

struct own {
    sens_real *Y, *sigma, *node, *tangent, *K, *Z; /* K [4][n], Z [4][n][q] */
    bool ready;                                    /* K and Z hold the first slopes */
    sens_real h;
};

#include "directions.h"

#ifndef LEAST
#define LEAST 0
#endif
#ifndef FIRST
#define FIRST SENS_C(1e-3)
#endif
#ifndef ARRIVES
#define ARRIVES SENS_C(0.999)
#endif
#ifndef LAST
#define LAST(h, left) (left)
#endif
#ifndef FAILED_ADDS
#define FAILED_ADDS 0
#endif
#ifndef TESTS_TANGENT
#define TESTS_TANGENT 0
#endif
#ifndef NO_TIME
#define NO_TIME 0
#endif
#ifndef NONE_IS_NAN
#define NONE_IS_NAN 0
#endif
#ifndef PARTS_COUNT
#define PARTS_COUNT(part) ((part).count)
#endif
enum { STAGES = 4 };
static const double a[STAGES][STAGES] = {{0}, {0.5}, {0, 0.75}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};
static const double c[STAGES] = {0, 0.5, 0.75, 1};
static const double e[STAGES] = {2.0 / 9 - 7.0 / 24, 1.0 / 3 - 0.25, 4.0 / 9 - 1.0 / 3, -0.125};

/* Bogacki's and Shampine's 3(2) from t: Y and sigma are the new state and tangent. */
static sens_status trial(struct state *st, sens_real t, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n, q = st->q;
    for (int i = st->own.ready ? 1 : 0; i < STAGES; i++) {
        const struct sens_at at = {t + c[i] * h, st->own.Y, pb->p};
        memcpy(st->own.Y, st->x, n * sizeof *st->own.Y);
        memcpy(st->own.sigma, st->S, n * q * sizeof *st->own.sigma);
        for (int j = 0; j < i; j++) {
            sens_lanes_axpy(n, 1, h * a[i][j], st->own.K + (size_t)j * n, st->own.Y);
            sens_lanes_axpy(n, q, h * a[i][j], st->own.Z + (size_t)j * n * q, st->own.sigma);
        }
        const sens_status status = pb->type->rhs(pb, &at, st->own.K + (size_t)i * n);
        if (status != SENS_OK) return status;
        pb->type->jvp(pb, &at, q, st->own.sigma, st->own.Z + (size_t)i * n * q);
        add_p(st, &at, st->own.Z + (size_t)i * n * q);
    }
    return SENS_OK;
}

/* The cost over the step just tried: its nodes are the first three stages. */
static void add_integral(const struct state *st, sens_real t, sens_real h)
{
    const size_t n = st->n, q = st->q;
    for (int i = 0; i + 1 < STAGES; i++) {
        memcpy(st->own.node, st->x, n * sizeof *st->own.node);
        memcpy(st->own.tangent, st->S, n * q * sizeof *st->own.tangent);
        for (int j = 0; j < i; j++) {
            sens_lanes_axpy(n, 1, h * a[i][j], st->own.K + (size_t)j * n, st->own.node);
            sens_lanes_axpy(n, q, h * a[i][j], st->own.Z + (size_t)j * n * q, st->own.tangent);
        }
        integrate(st, &(struct sens_at){t + c[i] * h, st->own.node, st->task->problem->p}, h * a[3][i],
                  st->own.tangent);
    }
}

/* What component k may be off where it is `size` large. */
static sens_real allowed_of(const struct sens_task *task, size_t k, sens_real size)
{
    size_t end = 0;
    for (size_t i = 0; i < task->n_tolerances; i++) {
        end += PARTS_COUNT(task->tolerance[i]);
        if (k < end) return task->tolerance[i].atol + task->tolerance[i].rtol * size;
    }
    return task->atol + task->rtol * size;
}

/* With that of S, which has no tolerances of its components: those of the task. */
static inline sens_real with_tangent(const struct state *st, sens_real h, sens_real worst)
{
    const size_t size = st->n * st->q;
    for (size_t k = 0; k < size; k++) {
        sens_real sum = 0;
        for (int i = 0; i < STAGES; i++) sum += e[i] * st->own.Z[(size_t)i * size + k];
        const sens_real most = fmax(fabs(st->S[k]), fabs(st->own.sigma[k]));
        const sens_real ratio = sum == 0 ? 0 : fabs(h * sum) / (st->task->atol + st->task->rtol * most);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

/* The estimated error in units of what is allowed. */
static sens_real error(const struct state *st, sens_real h)
{
    sens_real worst = 0;
    for (size_t k = 0; k < st->n; k++) {
        sens_real sum = 0;
        for (int i = 0; i < STAGES; i++) sum += e[i] * st->own.K[(size_t)i * st->n + k];
        const sens_real allowed = allowed_of(st->task, k, fmax(fabs(st->x[k]), fabs(st->own.Y[k])));
        const sens_real ratio = sum == 0 && !NONE_IS_NAN ? 0 : fabs(h * sum) / allowed;
        if (!(ratio <= worst)) worst = ratio;
    }
    return TESTS_TANGENT ? with_tangent(st, h, worst) : worst;
}

/* At t0, what is not kept from the run before. */
static void begin(struct state *st, sens_real t)
{
    const struct sens_problem *pb = st->task->problem;
    if (t == pb->t0 && !KEEPS_SLOPE) st->own.ready = false;
    if (t == pb->t0 && !KEEPS_STEP) st->own.h = (pb->t1 - pb->t0) * FIRST;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    const struct sens_listener *listener = &st->task->listener;
    begin(st, t);
    while (stop - t > NO_TIME) {
        if (work->steps + work->rejects == st->task->max_steps) return SENS_STEP_LIMIT;
        const bool last = st->own.h >= (stop - t) * ARRIVES;
        const sens_real h = last ? LAST(st->own.h, stop - t) : st->own.h, to = last ? stop : t + h;
        if (to <= t) return SENS_STEP_UNDERFLOW;
        const sens_status status = trial(st, t, h);
        if (sens_fatal(status)) return status;
        if (FAILED_ADDS && status != SENS_OK) add_integral(st, t, h);
        const sens_real size = status == SENS_OK ? error(st, h) : INFINITY;
        if (!(size <= 1) && !(NONE_IS_NAN && isnan(size)) &&
            !(h <= LEAST * (st->task->problem->t1 - st->task->problem->t0))) { /* the first slopes stay */
            st->own.ready = st->own.ready || status == SENS_OK;
            st->own.h = h * (isfinite(size) ? fmax(SENS_C(0.2), SENS_C(0.9) / cbrt(size)) : SENS_C(0.2));
            work->rejects++;
            continue;
        }
        if (listener->step) listener->step(listener->self, t, h, to);
        add_integral(st, t, h);
        memcpy(st->x, st->own.Y, st->n * sizeof *st->x);
        memcpy(st->S, st->own.sigma, st->n * st->q * sizeof *st->S);
        memcpy(st->own.K, st->own.K + 3 * st->n, st->n * sizeof *st->own.K);
        memcpy(st->own.Z, st->own.Z + 3 * st->n * st->q, st->n * st->q * sizeof *st->own.Z);
        st->own.ready = true;
        const sens_real next =
            h * fmin(SENS_C(5.0), fmax(SENS_C(0.2), SENS_C(0.9) / cbrt(fmax(size, SENS_C(1e-9)))));
        st->own.h = last && st->own.h > h ? fmax(next, next) : next;
        work->steps++;
        t = to;
    }
    (void)ctx;
    return SENS_OK;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st;
    const sens_status status = create(ctx, task, &st);
    if (status != SENS_OK) return status;
    if (TESTS_TANGENT)
        choose(st, sens_task_asks(task, SENS_PART_DGDP), sens_task_asks(task, SENS_PART_DGDX0));
    const size_t n = st->n, q = st->q;
    const struct room room[] = {{&st->own.Y, n},           {&st->own.sigma, n * q}, {&st->own.node, n},
                                {&st->own.tangent, n * q}, {&st->own.K, 4 * n},     {&st->own.Z, 4 * n * q}};
    st->own.h = (task->problem->t1 - task->problem->t0) * FIRST;
    *made = st;
    return allocate(ctx, sizeof room / sizeof *room, room);
}

#ifndef RUN
#define RUN run
#else /* of the including file, behind this one */
static sens_status RUN(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work);
#endif

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "Bogacki-Shampine 3(2), own step control, with its tangent",
    .derivative = TESTS_TANGENT ? SENS_DERIVATIVE_CONTINUOUS : SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_TOLERANCE | SENS_CAP_STEPS |
            SENS_CAP_COMPONENTS,
    .prepare = prepare,
    .run = RUN,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
