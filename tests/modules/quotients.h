/* Central differences of Runge-Kutta solves with equal steps and bumps in proportion to what is bumped, for
 * modules that differ in who tells the number of steps. The including file defines NAME and DOUBLES: 0 for the
 * classic tableau and an option; 1 for the task's, and steps doubled until the state settles; and may define
 * TABLED as 0: the classic tableau then, too; LEFT_MOVED as 1: x0(p) stays where the last bump of a parameter has left
 * it; SIZE, a function like size_of; and STEP, a function like step, by another formula, whose vectors Y, before and
 * four in K are. */
#ifndef TABLED
#define TABLED DOUBLES
#endif
#ifndef LEFT_MOVED
#define LEFT_MOVED 0
#endif

#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

struct state {
    const struct sens_task *task;
    const struct sens_tableau *tableau;
    size_t n, np, m;
    long steps;                             /* from t0 to t1 */
    bool reports;                           /* the steps of the solve under way, to the listener */
    sens_real *x0, *p, *x, *Y, *K, *G, *up; /* [n], [np], [n], [n], [stages][n], [m], [m] */
    sens_real *before;                      /* [n] */
};

static const sens_real classic_a[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                       classic_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, classic_c[] = {0, 0.5, 0.5, 1};
static const struct sens_tableau classic = {.stages = 4, .a = classic_a, .b = classic_b, .c = classic_c};

#ifdef STEP
static sens_status STEP(const struct state *st, sens_real t, sens_real h);
#else
#define STEP step
static sens_status step(const struct state *st, sens_real t, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const struct sens_tableau *tb = st->tableau;
    for (int i = 0; i < tb->stages; i++) {
        const struct sens_at at = {t + tb->c[i] * h, st->Y, st->p};
        memcpy(st->Y, st->x, st->n * sizeof *st->Y);
        for (int j = 0; j < i; j++)
            sens_lanes_axpy(st->n, 1, h * sens_tableau_a(tb, i, j), st->K + (size_t)j * st->n, st->Y);
        const sens_status status = pb->type->rhs(pb, &at, st->K + (size_t)i * st->n);
        if (status != SENS_OK) return status;
        if (cost->type->g && tb->b[i] != 0) cost->type->g(cost, &at, tb->b[i] * h, st->G);
    }
    for (int i = 0; i < tb->stages; i++)
        sens_lanes_axpy(st->n, 1, h * tb->b[i], st->K + (size_t)i * st->n, st->x);
    return SENS_OK;
}
#endif

/* x and G from st->x0 and st->p. */
static sens_status solve(const struct state *st, struct sens_work *work)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    size_t j = 0;
    work->steps = 0;
    memcpy(st->x, st->x0, st->n * sizeof *st->x);
    memset(st->G, 0, st->m * sizeof *st->G);
    if (cost->n_obs && cost->t_obs[0] == pb->t0) cost->type->phi(cost, j++, st->x, st->p, st->G);
    for (sens_real t = pb->t0, stop; t < pb->t1; t = stop) {
        const bool observed = j < cost->n_obs;
        stop = observed ? cost->t_obs[j] : pb->t1;
        const sens_real share = (sens_real)st->steps * (stop - t) / (pb->t1 - pb->t0);
        const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
        const sens_real h = (stop - t) / (sens_real)count;
        if ((work->steps += count) > st->task->max_steps) return SENS_STEP_LIMIT;
        for (long k = 0; k < count; k++) {
            const sens_real from = t + (sens_real)k * h, to = k + 1 < count ? from + h : stop;
            const sens_status status = STEP(st, from, h);
            if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
            if (st->reports && st->task->listener.step)
                st->task->listener.step(st->task->listener.self, from, h, to);
        }
        if (observed) cost->type->phi(cost, j++, st->x, st->p, st->G);
    }
    for (size_t i = 0; i < st->n; i++)
        if (!isfinite(st->x[i])) return SENS_DIVERGED;
    return SENS_OK;
}

#ifdef SIZE
static sens_real SIZE(bool of_p, size_t count, const sens_real *numbers, size_t k);
#else
#define SIZE size_of
/* By what the bump of number k of so many is scaled. */
static sens_real size_of(bool of_p, size_t count, const sens_real *numbers, size_t k)
{
    (void)of_p, (void)count;
    return numbers[k] != 0 ? fabs(numbers[k]) : 1;
}
#endif

/* Column k of dG/dq, q = *number. */
static sens_status column(const struct state *st, sens_real *number, size_t k, size_t count, bool of_p,
                          sens_real *to, struct sens_work *work)
{
    const sens_real keep = *number, bump = SENS_C(1e-6) * SIZE(of_p, count, number - k, k), up = keep + bump,
                    down = keep - bump;
    for (int side = 0; side < 2; side++) {
        *number = side ? down : up;
        if (of_p) sens_problem_x0(st->task->problem, st->p, st->x0);
        const sens_status status = solve(st, work);
        *number = keep;
        if (status != SENS_OK) return status;
        if (!side) memcpy(st->up, st->G, st->m * sizeof *st->up);
    }
    for (size_t c = 0; c < st->m; c++) to[c * count + k] = (st->up[c] - st->G[c]) / (2 * bump);
    return SENS_OK;
}

static bool settled(const struct state *st, const sens_real *before)
{
    for (size_t i = 0; i < st->n; i++)
        if (fabs(st->x[i] - before[i]) > st->task->atol + st->task->rtol * fabs(st->x[i])) return false;
    return true;
}

/* Twice as many until the state at t1 has settled. A solve that fails may do so for want of steps. */
static sens_status choose_steps(struct sens_ctx *ctx, struct state *st)
{
    struct sens_work work = {.steps = 0};
    long taken = 0; /* steps of the solve before, whose state at t1 is `before`; 0: there is none */
    for (; st->steps <= st->task->max_steps; st->steps *= 2) {
        memcpy(st->p, st->task->problem->p, st->np * sizeof *st->p);
        sens_problem_x0(st->task->problem, st->p, st->x0);
        const sens_status status = solve(st, &work);
        if (status != SENS_OK && status != SENS_DIVERGED) return status;
        if (status == SENS_OK && taken > 0 && work.steps > taken && settled(st, st->before)) return SENS_OK;
        taken = status == SENS_OK ? work.steps : 0;
        memcpy(st->before, st->x, st->n * sizeof *st->before);
    }
    return sens_fail(ctx, SENS_UNSUPPORTED, "max_steps equal steps do not reach the tolerance");
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const struct sens_problem *pb = st->task->problem;
    (void)ctx;
    *work = (struct sens_work){.lanes = 1, .threads = 1};
    memcpy(st->p, pb->p, st->np * sizeof *st->p);
    sens_problem_x0(pb, st->p, st->x0);
    st->reports = true;
    sens_status status = solve(st, work);
    st->reports = false;
    if (status != SENS_OK) return status;
    memcpy(out->x, st->x, st->n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t k = 0; out->dGdp && k < st->np && status == SENS_OK; k++)
        status = column(st, st->p + k, k, st->np, true, out->dGdp, work);
    if (!LEFT_MOVED) sens_problem_x0(pb, st->p, st->x0);
    for (size_t k = 0; out->dGdx0 && k < st->n && status == SENS_OK; k++)
        status = column(st, st->x0 + k, k, st->n, false, out->dGdx0, work);
    return status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m;
    const struct sens_tableau *tableau = TABLED ? task->tableau : &classic;
    *st = (struct state){.task = task, .tableau = tableau, .n = n, .np = np, .m = m};
    struct {
        sens_real **to;
        size_t count;
    } const parts[] = {{&st->x0, n}, {&st->p, np}, {&st->x, n},      {&st->Y, n},
                       {&st->G, m},  {&st->up, m}, {&st->before, n}, {&st->K, (size_t)tableau->stages * n}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(*parts[i].to = SENS_NEW(ctx, sens_real, parts[i].count))) return SENS_NO_MEMORY;
    *made = st;
    st->steps = (long)task->option[0].number;
    return DOUBLES ? choose_steps(ctx, st) : SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "steps",
     .kind = SENS_OPT_INT,
     .fallback = DOUBLES ? 16 : 400,
     .min = 1,
     .max = 1e6,
     .help = "from t0 to t1"},
    SENS_OPTIONS_END,
};

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "central differences of Runge-Kutta solves",
    .derivative = SENS_DERIVATIVE_DIFFERENCE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS |
            (DOUBLES ? SENS_CAP_TOLERANCE | SENS_CAP_STEPS : 0) | (TABLED ? SENS_CAP_TABLEAU : 0),
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
