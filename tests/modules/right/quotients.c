/* Central differences of classic Runge-Kutta solves, with bumps in proportion to what is bumped.
 *
 * verify: --quick --method quotients */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

struct state {
    const struct sens_task *task;
    size_t n, np, m;
    sens_real *x0, *p, *x, *Y, *K, *G, *up; /* [n], [np], [n], [n], [4][n], [m], [m] */
};

static sens_status step(const struct state *st, sens_real t, sens_real h)
{
    static const double a[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    for (int i = 0; i < 4; i++) {
        const struct sens_at at = {t + a[i] * h, st->Y, st->p};
        memcpy(st->Y, st->x, st->n * sizeof *st->Y);
        if (i) sens_lanes_axpy(st->n, 1, a[i] * h, st->K + (size_t)(i - 1) * st->n, st->Y);
        const sens_status status = pb->type->rhs(pb, &at, st->K + (size_t)i * st->n);
        if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
        if (cost->type->g) cost->type->g(cost, &at, b[i] * h, st->G);
    }
    for (int i = 0; i < 4; i++) sens_lanes_axpy(st->n, 1, b[i] * h, st->K + (size_t)i * st->n, st->x);
    return SENS_OK;
}

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
        const sens_real share = (sens_real)st->task->option[0].number * (stop - t) / (pb->t1 - pb->t0);
        const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
        const sens_real h = (stop - t) / (sens_real)count;
        if ((work->steps += count) > st->task->max_steps) return SENS_STEP_LIMIT;
        for (long k = 0; k < count; k++) {
            const sens_status status = step(st, t + (sens_real)k * h, h);
            if (status != SENS_OK) return status;
        }
        if (observed) cost->type->phi(cost, j++, st->x, st->p, st->G);
    }
    for (size_t i = 0; i < st->n; i++)
        if (!isfinite(st->x[i])) return SENS_DIVERGED;
    return SENS_OK;
}

/* Column k of dG/dq, q = *number. */
static sens_status column(const struct state *st, sens_real *number, size_t k, size_t count, bool of_p,
                          sens_real *to, struct sens_work *work)
{
    const sens_real keep = *number, bump = SENS_C(1e-6) * (keep != 0 ? fabs(keep) : 1), up = keep + bump,
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

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const struct sens_problem *pb = st->task->problem;
    (void)ctx;
    *work = (struct sens_work){.lanes = 1, .threads = 1};
    memcpy(st->p, pb->p, st->np * sizeof *st->p);
    sens_problem_x0(pb, st->p, st->x0);
    sens_status status = solve(st, work);
    if (status != SENS_OK) return status;
    memcpy(out->x, st->x, st->n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t k = 0; out->dGdp && k < st->np && status == SENS_OK; k++)
        status = column(st, st->p + k, k, st->np, true, out->dGdp, work);
    sens_problem_x0(pb, st->p, st->x0);
    for (size_t k = 0; out->dGdx0 && k < st->n && status == SENS_OK; k++)
        status = column(st, st->x0 + k, k, st->n, false, out->dGdx0, work);
    return status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m;
    *st = (struct state){.task = task, .n = n, .np = np, .m = m};
    struct {
        sens_real **to;
        size_t count;
    } const parts[] = {{&st->x0, n},    {&st->p, np}, {&st->x, n}, {&st->Y, n},
                       {&st->K, 4 * n}, {&st->G, m},  {&st->up, m}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(*parts[i].to = SENS_NEW(ctx, sens_real, parts[i].count))) return SENS_NO_MEMORY;
    *made = st;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = 400, .min = 1, .max = 1e6, .help = "from t0 to t1"},
    SENS_OPTIONS_END,
};

static SENS_METHOD(quotients) = {
    .name = "quotients",
    .summary = "central differences of classic Runge-Kutta",
    .derivative = SENS_DERIVATIVE_DIFFERENCE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_quotients, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "quotients", .methods = methods};
