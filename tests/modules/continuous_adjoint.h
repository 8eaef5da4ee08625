/* A continuous adjoint whose pair and steps are its own, for two modules that differ in what they declare:
 * the including file defines NAME and DERIVATIVE, and may define MU_UNTESTED (mu outside the error test), LIMITS, an
 * array that it declares, FIRST, the end of a step (0 or 1) whose slope the interpolant takes at the first one, and
 * UNTESTED(st, w, i), is component i of walk w outside its test?
 *
 *     x' = f(t, x, p),    -lambda' = J^T lambda + g_x,    -mu' = (df/dp)^T lambda + g_p,
 *     lambda and mu jump by phi_x and phi_p at each observation,
 *     dG/dx0 = lambda(t0),    dG/dp = mu(t0) + (dx0/dp)^T lambda(t0).
 *
 * Forwards and backwards with one pair, each with steps of its own: STAGES, LOWER (the order of the error estimate), A
 * and E of the including file, or the pair of Bogacki and Shampine of orders 3 and 2. The last stage is the slope at
 * the end of the step, its row the weights.
 * Backwards x is the cubic Hermite interpolant of the forward steps; lambda and mu are in the error test, but for
 * MU_UNTESTED. */
#include <string.h>
#include <tgmath.h>

#ifndef BYTES /* of a number, as told */
#define BYTES sizeof(sens_real)
#endif

#ifndef UNTESTED
#define UNTESTED(st, w, i) 0
#endif
#ifndef FIRST
#define FIRST 0
#endif

#ifndef LIMITS
#define LIMITS NULL
#endif

#include "sens/plugin.h"

#ifndef STAGES
#define STAGES 4
#define LOWER  2
static const sens_real A[STAGES][STAGES] = {
    {0}, {SENS_Q(1, 2)}, {0, SENS_Q(3, 4)}, {SENS_Q(2, 9), SENS_Q(3, 9), SENS_Q(4, 9)}};
static const sens_real E[STAGES] = {SENS_Q(-5, 72), SENS_Q(6, 72), SENS_Q(8, 72), SENS_Q(-9, 72)};
#endif

struct state;
struct walk { /* y' = slope(t, y), with the steps of an error test */
    void (*accept)(struct state *st, sens_real t, sens_real h, sens_real t1); /* NULL: nothing to do */
    sens_status (*slope)(struct state *st, sens_real t, const sens_real *y, sens_real *dy);
    size_t dim, tested;               /* of y; of its entries, those that the error test sees */
    sens_real *y, *trial, *k[STAGES]; /* [dim] */
    sens_real h;                      /* of the next trial, > 0 */
    long steps, rejects;
};

struct state {
    const struct sens_task *task;
    size_t n, np, m; /* np = 0: dG/dp is not asked for */
    struct walk forward, backward;
    sens_real *G;             /* [m] */
    bool telling;             /* each forward step is told, and recorded in: */
    long room, last;          /* steps that there is room for; the one that was read last */
    sens_real *t, *x, *f;     /* [room + 1], [room + 1][n], [room + 1][n] */
    sens_real *between, *mid; /* [n] an interpolated state; a stage of the quadrature */
};

/* ---- the pair ------------------------------------------------------------------------------------------ */

static sens_real node(int s)
{
    sens_real c = 0;
    for (int j = 0; j < s; j++) c += A[s][j];
    return c;
}

/* z = y + h sum_j A_sj k_j: the state of stage s, of entries 0 ... count - 1 */
static void stage_state(const struct walk *w, int s, sens_real h, size_t count, sens_real *z)
{
    for (size_t i = 0; i < count; i++) {
        sens_real sum = 0;
        for (int j = 0; j < s; j++) sum += A[s][j] * w->k[j][i];
        z[i] = w->y[i] + h * sum;
    }
}

static sens_real error_of(const struct walk *w, sens_real h, size_t i)
{
    sens_real sum = 0;
    for (int j = 0; j < STAGES; j++) sum += E[j] * w->k[j][i];
    return h * sum;
}

/* The stages of a step and its end w->trial; *err <= 1: small enough. */
static sens_status try_step(struct state *st, struct walk *w, sens_real t, sens_real h, sens_real *err)
{
    sens_real *const z = w->trial;
    const struct sens_task *task = st->task;
    for (int s = 1; s < STAGES; s++) {
        stage_state(w, s, h, w->dim, z);
        const sens_status status = w->slope(st, s < STAGES - 1 ? t + node(s) * h : t + h, z, w->k[s]);
        if (status != SENS_OK) return status;
    }
    *err = 0;
    for (size_t i = 0; i < w->dim; i++) {
        if (!isfinite(z[i])) return SENS_NONFINITE;
        if (i >= w->tested || UNTESTED(st, w, i)) continue;
        const sens_real e = error_of(w, h, i);
        const sens_real scale = task->atol + task->rtol * fmax(fabs(w->y[i]), fabs(z[i]));
        if (!isfinite(e)) return SENS_NONFINITE;
        *err = fmax(*err, fabs(e) / scale);
    }
    return SENS_OK;
}

/* y from t to `to`, in either direction. */
static sens_status advance(struct sens_ctx *ctx, struct state *st, struct walk *w, sens_real t, sens_real to)
{
    sens_status status = t == to ? SENS_OK : w->slope(st, t, w->y, w->k[0]);
    if (sens_recoverable(status)) return sens_fail(ctx, SENS_DIVERGED, "no slope at t = %g", (double)t);
    while (t != to && !sens_fatal(status)) {
        const bool lands = w->h * (1 + SENS_C(1e-9)) >= fabs(to - t);
        const sens_real h = lands ? to - t : copysign(w->h, to - t), end = lands ? to : t + h;
        sens_real err = 0;
        if (w->steps + w->rejects >= st->task->max_steps)
            return sens_fail(ctx, SENS_STEP_LIMIT, "max_steps at t = %g", (double)t);
        if (end == t) return sens_fail(ctx, SENS_STEP_UNDERFLOW, "no step at t = %g", (double)t);
        status = try_step(st, w, t, h, &err);
        if (sens_recoverable(status)) err = INFINITY;
        const sens_real factor = fmin(4, fmax(SENS_C(0.2), SENS_C(0.9) * pow(err, -SENS_Q(1, LOWER + 1))));
        w->h = lands && err <= 1 ? fmax(w->h, fabs(h) * factor) : fabs(h) * factor;
        if (err > 1) {
            w->rejects++;
            continue;
        }
        if (status == SENS_OK && w->accept) w->accept(st, t, h, end);
        sens_real *const y = w->y, *const k = w->k[0];
        w->y = w->trial, w->trial = y;
        w->k[0] = w->k[STAGES - 1], w->k[STAGES - 1] = k;
        w->steps++;
        t = end;
    }
    return status;
}

/* ---- forwards ------------------------------------------------------------------------------------------ */

static sens_status state_slope(struct state *st, sens_real t, const sens_real *x, sens_real *dx)
{
    const struct sens_problem *pb = st->task->problem;
    return pb->type->rhs(pb, &(struct sens_at){t, x, pb->p}, dx);
}

/* G += int g dt over the step, by the weights of the pair. */
static void integrate(struct state *st, sens_real t, sens_real h)
{
    const struct walk *w = &st->forward;
    const struct sens_cost *cost = st->task->cost;
    for (int s = 0; s < STAGES - 1 && cost->type->g; s++) {
        stage_state(w, s, h, st->n, st->mid);
        cost->type->g(cost, &(struct sens_at){t + node(s) * h, st->mid, st->task->problem->p},
                      h * A[STAGES - 1][s], st->G);
    }
}

static void keep_node(struct state *st, long k, sens_real t, const sens_real *x, const sens_real *f)
{
    st->t[k] = t;
    memcpy(st->x + (size_t)k * st->n, x, st->n * sizeof *x);
    memcpy(st->f + (size_t)k * st->n, f, st->n * sizeof *f);
}

static void keep_step(struct state *st, sens_real t, sens_real h, sens_real t1)
{
    const struct walk *w = &st->forward;
    integrate(st, t, h);
    if (!st->telling || w->steps >= st->room) return;
    if (w->steps == 0) keep_node(st, 0, t, w->y, w->k[0]);
    keep_node(st, w->steps + 1, t1, w->trial, w->k[STAGES - 1]);
    if (st->task->listener.step) st->task->listener.step(st->task->listener.self, t, h, t1);
}

static sens_status solve_forward(struct sens_ctx *ctx, struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    struct walk *w = &st->forward;
    sens_real t = pb->t0;
    sens_status status = SENS_OK;
    memset(st->G, 0, st->m * sizeof *st->G);
    sens_problem_x0(pb, pb->p, w->y);
    w->steps = w->rejects = 0;
    w->h = st->task->dt > 0 ? st->task->dt : (pb->t1 - pb->t0) / 1000;
    for (size_t j = 0; j < cost->n_obs && status == SENS_OK; j++) {
        status = advance(ctx, st, w, t, cost->t_obs[j]);
        t = cost->t_obs[j];
        if (status == SENS_OK) cost->type->phi(cost, j, w->y, pb->p, st->G);
    }
    return status == SENS_OK ? advance(ctx, st, w, t, pb->t1) : status;
}

/* ---- backwards ----------------------------------------------------------------------------------------- */

static const sens_real *state_at(struct state *st, sens_real t)
{
    const size_t n = st->n;
    while (st->last > 0 && t < st->t[st->last]) st->last--;
    while (st->last + 1 < st->room && t > st->t[st->last + 1]) st->last++;
    const sens_real *x = st->x + (size_t)st->last * n, *f = st->f + (size_t)st->last * n;
    const sens_real *first = f + FIRST * n, *last = f + (1 - FIRST) * n;
    const sens_real h = st->t[st->last + 1] - st->t[st->last], s = (t - st->t[st->last]) / h, r = 1 - s;
    for (size_t i = 0; i < n; i++)
        st->between[i] = r * r * ((1 + 2 * s) * x[i] + s * h * first[i]) +
                         s * s * ((1 + 2 * r) * x[n + i] - r * h * last[i]);
    return st->between;
}

/* y = lambda [n][m], mu [np][m] */
static sens_status adjoint_slope(struct state *st, sens_real t, const sens_real *y, sens_real *dy)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const struct sens_at at = {t, state_at(st, t), pb->p};
    sens_real *const dmu = dy + st->n * st->m;
    pb->type->vjp(pb, &at, st->m, y, dy);
    memset(dmu, 0, st->np * st->m * sizeof *dmu);
    if (st->np) pb->type->vjp_p_batch(pb, 1, &t, at.x, pb->p, st->m, y, dmu);
    if (cost->type->g_dx) cost->type->g_dx(cost, &at, 1, 0, st->m, dy);
    if (cost->type->g_dp && st->np) cost->type->g_dp(cost, &at, 1, 0, st->m, dmu);
    for (size_t q = 0; q < st->backward.dim; q++) dy[q] = -dy[q];
    return SENS_OK;
}

static sens_status solve_backward(struct sens_ctx *ctx, struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    struct walk *w = &st->backward;
    sens_real t = pb->t1;
    sens_status status = SENS_OK;
    memset(w->y, 0, w->dim * sizeof *w->y);
    w->steps = w->rejects = 0;
    w->h = (pb->t1 - pb->t0) / 1000;
    st->last = st->room - 1;
    for (size_t j = cost->n_obs; j-- > 0 && status == SENS_OK; t = cost->t_obs[j]) {
        status = advance(ctx, st, w, t, cost->t_obs[j]);
        const sens_real *const x = state_at(st, cost->t_obs[j]);
        cost->type->phi_dx(cost, j, x, pb->p, 0, st->m, w->y);
        if (cost->type->phi_dp && st->np)
            cost->type->phi_dp(cost, j, x, pb->p, 0, st->m, w->y + st->n * st->m);
    }
    if (status == SENS_OK) status = advance(ctx, st, w, t, pb->t0);
    if (status == SENS_OK && st->np && sens_problem_x0_depends(pb))
        pb->type->x0_vjp(pb, pb->p, st->m, w->y, w->y + st->n * st->m);
    return status;
}

/* ---- the method ---------------------------------------------------------------------------------------- */

static bool create_walk(struct sens_ctx *ctx, struct walk *w, size_t dim)
{
    sens_real *const v = SENS_NEW(ctx, sens_real, (2 + STAGES) * dim);
    w->dim = w->tested = dim;
    w->y = v;
    if (!v) return false;
    w->trial = v + dim;
    for (size_t s = 0; s < STAGES; s++) w->k[s] = v + (2 + s) * dim;
    return true;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    const size_t n = task->problem->n, m = task->cost->m,
                 np = task->parts & SENS_IN_DGDP ? task->problem->np : 0;
    if (!st) return SENS_NO_MEMORY;
    *st = (struct state){.task = task, .n = n, .np = np, .m = m};
    st->forward.slope = state_slope;
    st->forward.accept = keep_step;
    st->backward.slope = adjoint_slope;
    st->G = SENS_NEW(ctx, sens_real, m);
    st->between = SENS_NEW(ctx, sens_real, n);
    st->mid = SENS_NEW(ctx, sens_real, n);
    if (!create_walk(ctx, &st->forward, n) || !create_walk(ctx, &st->backward, (n + np) * m) || !st->G ||
        !st->between || !st->mid)
        return SENS_NO_MEMORY;
#ifdef MU_UNTESTED
    st->backward.tested = n * m;
#endif
    const sens_status status = solve_forward(ctx, st); /* to learn the number of steps */
    if (status != SENS_OK) return status;
    st->room = st->forward.steps;
    st->t = SENS_NEW(ctx, sens_real, (size_t)st->room + 1);
    st->x = SENS_NEW(ctx, sens_real, ((size_t)st->room + 1) * n);
    st->f = SENS_NEW(ctx, sens_real, ((size_t)st->room + 1) * n);
    if (!st->t || !st->x || !st->f) return SENS_NO_MEMORY;
    st->telling = true;
    *made = st;
    return SENS_OK;
}

/* to [m][rows], the transpose of Y [rows][m]; false: not finite. */
static bool transpose(size_t rows, size_t m, const sens_real *Y, sens_real *to)
{
    bool finite = true;
    for (size_t c = 0; c < m; c++)
        for (size_t k = 0; k < rows; k++) {
            finite = finite && isfinite(Y[k * m + c]);
            if (to) to[c * rows + k] = Y[k * m + c];
        }
    return finite;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const double begin = sens_now(ctx);
    sens_status status = solve_forward(ctx, st);
    if (status == SENS_OK && st->forward.steps != st->room)
        status = sens_fail(ctx, SENS_NOT_REPEATABLE, "other steps than the first time");
    const double middle = sens_now(ctx);
    if (status == SENS_OK) status = solve_backward(ctx, st);
    if (status != SENS_OK) return status;
    const bool finite = transpose(1, st->m, st->G, out->G) &&
                        transpose(st->np, st->m, st->backward.y + st->n * st->m, out->dGdp) &&
                        transpose(st->n, st->m, st->backward.y, out->dGdx0);
    memcpy(out->x, st->forward.y, st->n * sizeof *out->x);
    if (!finite) return sens_fail(ctx, SENS_DIVERGED, "a result is not finite");
    *work = (struct sens_work){.steps = st->forward.steps,
                               .rejects = st->forward.rejects,
                               .steps_reverse = st->backward.steps,
                               .rejects_reverse = st->backward.rejects,
                               .t_forward = middle - begin,
                               .t_reverse = sens_now(ctx) - middle,
                               .bytes_traj = (size_t)(st->room + 1) * (2 * st->n + 1) * BYTES,
                               .lanes = (int)st->m,
                               .threads = 1};
    return SENS_OK;
}

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "continuous adjoint with a pair and steps of its own",
    .derivative = DERIVATIVE,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS,
    .limits = LIMITS,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
