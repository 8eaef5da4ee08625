/* A continuous adjoint over equal steps of the classic Runge-Kutta formula, backwards by the same formula and steps,
 * the state between the nodes from Hermite's cubic. Steps are doubled until the state at t1 and the gradient settle.
 *
 * verify: --quick --method classic_adjoint */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

struct state {
    const struct sens_task *task;
    size_t n, np, m;
    long steps, count;           /* asked for, and taken: some more, as each stretch between stops has one */
    bool telling;                /* the steps are chosen: this is a run */
    sens_real *t, *X, *F;        /* nodes: [count + 1], [count + 1][n]: states, slopes */
    sens_real *Y, *K, *G;        /* [n], [4][n], [m] */
    sens_real *lambda, *mu;      /* [n][m], [np][m] */
    sens_real *W, *V, *weighted; /* [n][m], [4][n][m], [n][m] */
    sens_real *x1, *lambda1, *mu1; /* what came of half as many steps */
};

static const sens_real a[4] = {0, 0.5, 0.5, 1},
                       b[4] = {SENS_Q(1, 6), SENS_Q(1, 3), SENS_Q(1, 3), SENS_Q(1, 6)};

struct room {
    sens_real **to;
    size_t count;
};

static sens_status allocate(struct sens_ctx *ctx, size_t rooms, const struct room *room)
{
    for (size_t i = 0; i < rooms; i++)
        if (!(*room[i].to = SENS_NEW(ctx, sens_real, room[i].count))) return SENS_NO_MEMORY;
    return SENS_OK;
}

static bool finite(size_t count, const sens_real *v)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

/* ---- forwards ------------------------------------------------------------------------------------------ */

static sens_status step(const struct state *st, long k, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const size_t n = st->n;
    sens_real *x = st->X + (size_t)k * n;
    for (int i = 0; i < 4; i++) {
        const struct sens_at at = {st->t[k] + a[i] * h, st->Y, pb->p};
        memcpy(st->Y, x, n * sizeof *st->Y);
        if (i) sens_lanes_axpy(n, 1, a[i] * h, st->K + (size_t)(i - 1) * n, st->Y);
        const sens_status status = pb->type->rhs(pb, &at, st->K + (size_t)i * n);
        if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
        if (cost->type->g) cost->type->g(cost, &at, b[i] * h, st->G);
    }
    memcpy(st->F + (size_t)k * n, st->K, n * sizeof *st->F);
    memcpy(x + n, x, n * sizeof *x);
    for (int i = 0; i < 4; i++) sens_lanes_axpy(n, 1, b[i] * h, st->K + (size_t)i * n, x + n);
    return finite(n, x + n) ? SENS_OK : SENS_DIVERGED;
}

/* From node st->count at t to the stop. */
static sens_status advance(struct state *st, sens_real t, sens_real stop)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_listener *listener = &st->task->listener;
    const sens_real share = (sens_real)st->steps * (stop - t) / (pb->t1 - pb->t0);
    const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
    const sens_real h = (stop - t) / (sens_real)count;
    for (long i = 0; i < count; i++) {
        const long k = st->count++;
        if (k >= st->task->max_steps) return SENS_STEP_LIMIT;
        st->t[k] = t + (sens_real)i * h;
        st->t[k + 1] = i + 1 < count ? t + (sens_real)(i + 1) * h : stop;
        const sens_status status = step(st, k, st->t[k + 1] - st->t[k]);
        if (status != SENS_OK) return status;
        if (st->telling && listener->step)
            listener->step(listener->self, st->t[k], st->t[k + 1] - st->t[k], st->t[k + 1]);
    }
    return SENS_OK;
}

static sens_status forward(struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    size_t j = 0;
    st->count = 0;
    memset(st->G, 0, st->m * sizeof *st->G);
    sens_problem_x0(pb, pb->p, st->X);
    if (cost->n_obs && cost->t_obs[0] == pb->t0) cost->type->phi(cost, j++, st->X, pb->p, st->G);
    for (sens_real t = pb->t0, stop; t < pb->t1; t = stop) {
        const bool observed = j < cost->n_obs;
        stop = observed ? cost->t_obs[j] : pb->t1;
        const sens_status status = advance(st, t, stop);
        if (status != SENS_OK) return status;
        if (observed) cost->type->phi(cost, j++, st->X + (size_t)st->count * st->n, pb->p, st->G);
    }
    const size_t last = (size_t)st->count * st->n;
    const sens_status status =
        pb->type->rhs(pb, &(struct sens_at){pb->t1, st->X + last, pb->p}, st->F + last);
    if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
    return finite(st->m, st->G) ? SENS_OK : SENS_DIVERGED;
}

/* ---- backwards ----------------------------------------------------------------------------------------- */

/* The step that t is in: what reads the state at any time looks for it (wrong/mean_step.edit does not). */
static long find_step(const struct state *st, sens_real t)
{
    long first = 0;
    for (long end = st->count; end - first > 1;) {
        const long half = (first + end) / 2;
        *(st->t[half] <= t ? &first : &end) = half;
    }
    return first;
}

/* st->Y = x(t) */
static void interpolate(const struct state *st, sens_real t)
{
    const size_t n = st->n;
    const long k = find_step(st, t);
    const sens_real *x = st->X + (size_t)k * n, *f = st->F + (size_t)k * n;
    const sens_real h = st->t[k + 1] - st->t[k], s = (t - st->t[k]) / h, r = 1 - s;
    for (size_t i = 0; i < n; i++)
        st->Y[i] =
            r * r * ((1 + 2 * s) * x[i] + s * h * f[i]) + s * s * ((1 + 2 * r) * x[n + i] - r * h * f[n + i]);
}

/* mu += w (df/dp^T W + g_p) */
static void add_mu(const struct state *st, const struct sens_at *at, sens_real w)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    for (size_t e = 0; e < st->n * st->m; e++) st->weighted[e] = w * st->W[e];
    pb->type->vjp_p_batch(pb, 1, &at->t, at->x, pb->p, st->m, st->weighted, st->mu);
    if (cost->type->g_dp) cost->type->g_dp(cost, at, w, 0, st->m, st->mu);
}

/* lambda and mu over step k. */
static void back(const struct state *st, long k)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const size_t n = st->n, m = st->m;
    const sens_real h = st->t[k + 1] - st->t[k];
    for (int i = 0; i < 4; i++) {
        sens_real *const slope = st->V + (size_t)i * n * m;
        const struct sens_at at = {i < 3 ? st->t[k + 1] - a[i] * h : st->t[k], st->Y, pb->p};
        interpolate(st, at.t);
        memcpy(st->W, st->lambda, n * m * sizeof *st->W);
        if (i) sens_lanes_axpy(n, m, a[i] * h, slope - n * m, st->W);
        pb->type->vjp(pb, &at, m, st->W, slope);
        if (cost->type->g) cost->type->g_dx(cost, &at, 1, 0, m, slope);
        add_mu(st, &at, h * b[i]);
    }
    for (int i = 0; i < 4; i++) sens_lanes_axpy(n, m, b[i] * h, st->V + (size_t)i * n * m, st->lambda);
}

static sens_status backward(const struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    size_t j = cost->n_obs;
    memset(st->lambda, 0, st->n * st->m * sizeof *st->lambda);
    memset(st->mu, 0, st->np * st->m * sizeof *st->mu);
    for (long k = st->count;; k--) {
        const sens_real *x = st->X + (size_t)k * st->n;
        if (j > 0 && cost->t_obs[j - 1] == st->t[k]) {
            cost->type->phi_dx(cost, --j, x, pb->p, 0, st->m, st->lambda);
            if (cost->type->phi_dp) cost->type->phi_dp(cost, j, x, pb->p, 0, st->m, st->mu);
        }
        if (k == 0) break;
        back(st, k - 1);
    }
    if (sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, pb->p, st->m, st->lambda, st->mu);
    return finite(st->n * st->m, st->lambda) && finite(st->np * st->m, st->mu) ? SENS_OK : SENS_DIVERGED;
}

/* ---- the number of steps ------------------------------------------------------------------------------- */

/* With st->steps, for which there is room afterwards. */
static sens_status attempt(struct sens_ctx *ctx, struct state *st)
{
    const size_t nodes = (size_t)st->steps + st->task->cost->n_obs + 2;
    const struct room room[] = {{&st->t, nodes}, {&st->X, nodes * st->n}, {&st->F, nodes * st->n}};
    sens_status status = allocate(ctx, sizeof room / sizeof *room, room);
    if (status == SENS_OK) status = forward(st);
    return status == SENS_OK ? backward(st) : status;
}

/* Is v what it was before, to the tolerance of its largest entry? It is what was before afterwards. */
static bool same(const struct sens_task *task, size_t count, const sens_real *v, sens_real *before)
{
    sens_real largest = 0, change = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(v[i]));
        change = fmax(change, fabs(v[i] - before[i]));
        before[i] = v[i];
    }
    return change <= task->atol + task->rtol * largest;
}

static sens_status choose_steps(struct sens_ctx *ctx, struct state *st)
{
    const struct sens_task *task = st->task;
    const size_t n = st->n, m = st->m;
    long before = 0; /* steps taken; 0: to no end */
    for (st->steps = 16; st->steps <= task->max_steps; st->steps *= 2) {
        const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
        const sens_status status = attempt(ctx, st);
        if (status != SENS_OK && status != SENS_DIVERGED) return status;
        if (status == SENS_OK) {
            const bool state = same(task, n, st->X + (size_t)st->count * n, st->x1);
            const bool adjoint = same(task, n * m, st->lambda, st->lambda1);
            const bool integral = same(task, st->np * m, st->mu, st->mu1);
            if (before > 0 && st->count > before && state && adjoint && integral) return SENS_OK;
        }
        before = status == SENS_OK ? st->count : 0;
        sens_arena_rewind(&ctx->arena, mark);
    }
    if (before == 0) return SENS_DIVERGED;
    return sens_fail(ctx, SENS_UNSUPPORTED, "max_steps = %ld do not reach the tolerance", task->max_steps);
}

/* ---- the method ---------------------------------------------------------------------------------------- */

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m;
    *st = (struct state){.task = task, .n = n, .np = np, .m = m};
    const struct room room[] = {{&st->Y, n},           {&st->K, 4 * n},       {&st->G, m},
                                {&st->lambda, n * m},  {&st->mu, np * m},     {&st->W, n * m},
                                {&st->x1, n},          {&st->V, 4 * n * m},   {&st->mu1, np * m},
                                {&st->lambda1, n * m}, {&st->weighted, n * m}};
    sens_status status = allocate(ctx, sizeof room / sizeof *room, room);
    if (status == SENS_OK) status = choose_steps(ctx, st);
    st->telling = true;
    *made = st;
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const size_t n = st->n, m = st->m, np = st->np;
    const double begin = sens_now(ctx);
    sens_status status = forward(st);
    const double middle = sens_now(ctx);
    if (status == SENS_OK) status = backward(st);
    if (status != SENS_OK) return status;
    memcpy(out->x, st->X + (size_t)st->count * n, n * sizeof *out->x);
    memcpy(out->G, st->G, m * sizeof *out->G);
    for (size_t c = 0; c < m; c++) {
        for (size_t i = 0; out->dGdp && i < np; i++) out->dGdp[c * np + i] = st->mu[i * m + c];
        for (size_t i = 0; out->dGdx0 && i < n; i++) out->dGdx0[c * n + i] = st->lambda[i * m + c];
    }
    *work = (struct sens_work){.steps = st->count,
                               .steps_reverse = st->count,
                               .t_forward = middle - begin,
                               .t_reverse = sens_now(ctx) - middle,
                               .bytes_traj = (size_t)(st->count + 1) * (2 * n + 1) * sizeof(sens_real),
                               .lanes = (int)m,
                               .threads = 1};
    return SENS_OK;
}

static SENS_METHOD(classic_adjoint) = {
    .name = "classic_adjoint",
    .summary = "continuous adjoint over equal steps of classic Runge-Kutta",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_classic_adjoint, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "classic_adjoint", .methods = methods};
