/* The variational equations as one system with the state, by Heun and Bogacki-Shampine steps 3(2) of its own,
 * the error test a root mean square over x and S together. The idea of cfsa under another name: S is in the
 * test, and a mean is what the test is by its own choice.
 *
 *     x' = f(t, x, p),     S' = J S + F,     k1 = f(t), k2 = f(t + h/2), k3 = f(t + 3h/4), k4 = f(t + h)
 *
 * verify: --quick --method variational */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { STAGES = 4 };
static const sens_real c[STAGES] = {0, SENS_Q(1, 2), SENS_Q(3, 4), 1};
static const sens_real a[STAGES][STAGES] = {
    {0}, {SENS_Q(1, 2)}, {0, SENS_Q(3, 4)}, {SENS_Q(2, 9), SENS_Q(1, 3), SENS_Q(4, 9)}};
static const sens_real b[STAGES] = {SENS_Q(2, 9), SENS_Q(1, 3), SENS_Q(4, 9), 0};
static const sens_real e[STAGES] = {SENS_Q(-5, 72), SENS_Q(1, 12), SENS_Q(1, 9), SENS_Q(-1, 8)};

struct state {
    const struct sens_task *task;
    size_t n, np, m, cols, size; /* directions; numbers of [x | S | G | dG] */
    bool wrt_p, wrt_x0;
    sens_real *y, *Y, *y1; /* [size]: x [n], S [n][cols], G [m], dG [m][cols] */
    sens_real *K;          /* [STAGES][size] */
    sens_real *OUT;        /* [n][np] */
    sens_real *g_x, *g_p;  /* [n][m], [np][m] */
    long steps, rejects;
};

static sens_real *part_S(const struct state *st, sens_real *y)
{
    return y + st->n;
}
static sens_real *part_G(const struct state *st, sens_real *y)
{
    return y + st->n + st->n * st->cols;
}
static sens_real *part_dG(const struct state *st, sens_real *y)
{
    return part_G(st, y) + st->m;
}

/* dG += g_x S + g_p, and the derivatives of the cost are forgotten. */
static void add_gradient(const struct state *st, const sens_real *S, sens_real *dG)
{
    for (size_t o = 0; o < st->m; o++) {
        for (size_t i = 0; i < st->n; i++)
            for (size_t k = 0; k < st->cols; k++)
                dG[o * st->cols + k] += st->g_x[i * st->m + o] * S[i * st->cols + k];
        for (size_t k = 0; st->wrt_p && k < st->np; k++) dG[o * st->cols + k] += st->g_p[k * st->m + o];
    }
    memset(st->g_x, 0, st->n * st->m * sizeof *st->g_x);
    memset(st->g_p, 0, st->np * st->m * sizeof *st->g_p);
}

static void observe(const struct state *st, size_t j)
{
    const struct sens_cost *cost = st->task->cost;
    const sens_real *p = st->task->problem->p;
    cost->type->phi(cost, j, st->y, p, part_G(st, st->y));
    cost->type->phi_dx(cost, j, st->y, p, 0, st->m, st->g_x);
    if (cost->type->phi_dp) cost->type->phi_dp(cost, j, st->y, p, 0, st->m, st->g_p);
    add_gradient(st, part_S(st, st->y), part_dG(st, st->y));
}

/* dy of the whole system; running costs are components, too, and tested with the rest. */
static sens_status slope(const struct state *st, sens_real t, sens_real *y, sens_real *dy)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const struct sens_at at = {t, y, pb->p};
    memset(dy, 0, st->size * sizeof *dy);
    const sens_status status = pb->type->rhs(pb, &at, dy);
    if (status != SENS_OK) return status;
    pb->type->jvp(pb, &at, st->cols, part_S(st, y), part_S(st, dy));
    if (st->wrt_p) {
        memset(st->OUT, 0, st->n * st->np * sizeof *st->OUT);
        pb->type->jvp_p_cols(pb, &at, 0, st->np, st->OUT);
        for (size_t i = 0; i < st->n; i++)
            for (size_t k = 0; k < st->np; k++) part_S(st, dy)[i * st->cols + k] += st->OUT[i * st->np + k];
    }
    if (!cost->type->g) return SENS_OK;
    cost->type->g(cost, &at, 1, part_G(st, dy));
    cost->type->g_dx(cost, &at, 1, 0, st->m, st->g_x);
    if (cost->type->g_dp) cost->type->g_dp(cost, &at, 1, 0, st->m, st->g_p);
    add_gradient(st, part_S(st, y), part_dG(st, dy));
    return SENS_OK;
}

/* y1 and the error norm of a trial step; infinite where it fails. */
static sens_status try_step(const struct state *st, sens_real t, sens_real h, sens_real *err)
{
    sens_real sum = 0;
    *err = INFINITY;
    for (int i = 0; i < STAGES; i++) {
        for (size_t q = 0; q < st->size; q++) {
            st->Y[q] = st->y[q];
            for (int j = 0; j < i; j++) st->Y[q] += h * a[i][j] * st->K[(size_t)j * st->size + q];
        }
        const sens_status status = slope(st, t + c[i] * h, st->Y, st->K + (size_t)i * st->size);
        if (status != SENS_OK) return sens_fatal(status) ? status : SENS_OK;
    }
    for (size_t q = 0; q < st->size; q++) {
        sens_real off = 0;
        st->y1[q] = st->y[q];
        for (int i = 0; i < STAGES; i++) {
            st->y1[q] += h * b[i] * st->K[(size_t)i * st->size + q];
            off += h * e[i] * st->K[(size_t)i * st->size + q];
        }
        off /= st->task->atol + st->task->rtol * fabs(st->y[q]);
        sum += off * off;
    }
    *err = isfinite(sum) ? sqrt(sum / (sens_real)st->size) : INFINITY;
    return SENS_OK;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real *t, sens_real stop, sens_real *h)
{
    while (*t < stop) {
        const bool lands = *t + *h * (1 + SENS_C(1e-9)) >= stop;
        const sens_real step = lands ? stop - *t : *h;
        sens_real err;
        if (st->steps + st->rejects >= st->task->max_steps)
            return sens_fail(ctx, SENS_STEP_LIMIT, "max_steps at t = %g", (double)*t);
        if (*t + step == *t) return sens_fail(ctx, SENS_STEP_UNDERFLOW, "no step at t = %g", (double)*t);
        const sens_status status = try_step(st, *t, step, &err);
        if (status != SENS_OK) return status;
        const sens_real next = step * fmin(4, fmax(SENS_C(0.2), SENS_C(0.8) * pow(err, -SENS_Q(1, 3))));
        if (err > 1) {
            st->rejects++;
            *h = next;
            continue;
        }
        const sens_real end = lands ? stop : *t + step;
        memcpy(st->y, st->y1, st->size * sizeof *st->y);
        st->steps++;
        if (st->task->listener.step) st->task->listener.step(st->task->listener.self, *t, step, end);
        *h = lands ? fmax(*h, next) : next;
        *t = end;
    }
    return SENS_OK;
}

static void start(struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    sens_real *S = part_S(st, st->y);
    st->steps = st->rejects = 0;
    memset(st->y, 0, st->size * sizeof *st->y);
    memset(st->g_x, 0, st->n * st->m * sizeof *st->g_x);
    memset(st->g_p, 0, st->np * st->m * sizeof *st->g_p);
    sens_problem_x0(pb, pb->p, st->y);
    for (size_t i = 0; st->wrt_x0 && i < st->n; i++) S[i * st->cols + (st->wrt_p ? st->np : 0) + i] = 1;
    if (!st->wrt_p || !sens_problem_x0_depends(pb)) return;
    memset(st->OUT, 0, st->n * st->np * sizeof *st->OUT);
    pb->type->x0_jvp_cols(pb, pb->p, 0, st->np, st->OUT);
    for (size_t i = 0; i < st->n; i++)
        for (size_t k = 0; k < st->np; k++) S[i * st->cols + k] = st->OUT[i * st->np + k];
}

static sens_status solve(struct sens_ctx *ctx, struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    sens_real t = pb->t0, h = st->task->dt > 0 ? st->task->dt : (pb->t1 - pb->t0) / 1000;
    size_t j = 0;
    start(st);
    if (cost->n_obs && cost->t_obs[0] == pb->t0) observe(st, j++);
    while (t < pb->t1) {
        const bool observed = j < cost->n_obs;
        const sens_status status = advance(ctx, st, &t, observed ? cost->t_obs[j] : pb->t1, &h);
        if (status != SENS_OK) return status;
        if (observed) observe(st, j++);
    }
    for (size_t q = 0; q < st->size; q++)
        if (!isfinite(st->y[q])) return sens_fail(ctx, SENS_DIVERGED, "the gradient is not finite");
    return SENS_OK;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m;
    const bool wrt_p = task->parts & SENS_IN_DGDP, wrt_x0 = task->parts & SENS_IN_DGDX0;
    const size_t cols = (wrt_p ? np : 0) + (wrt_x0 ? n : 0), size = (n + m) * (1 + cols);
    *st = (struct state){
        .task = task, .n = n, .np = np, .m = m, .cols = cols, .size = size, .wrt_p = wrt_p, .wrt_x0 = wrt_x0};
    st->y = SENS_NEW(ctx, sens_real, size);
    st->Y = SENS_NEW(ctx, sens_real, size);
    st->y1 = SENS_NEW(ctx, sens_real, size);
    st->K = SENS_NEW(ctx, sens_real, STAGES * size);
    st->OUT = SENS_NEW(ctx, sens_real, n * np);
    st->g_x = SENS_NEW(ctx, sens_real, n * m);
    st->g_p = SENS_NEW(ctx, sens_real, np * m);
    if (!st->y || !st->Y || !st->y1 || !st->K || !st->OUT || !st->g_x || !st->g_p) return SENS_NO_MEMORY;
    *made = st;
    return SENS_OK;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const double begin = sens_now(ctx);
    const size_t first = st->wrt_p ? st->np : 0;
    const sens_status status = solve(ctx, st);
    if (status != SENS_OK) return status;
    memcpy(out->x, st->y, st->n * sizeof *out->x);
    memcpy(out->G, part_G(st, st->y), st->m * sizeof *out->G);
    for (size_t o = 0; o < st->m; o++) {
        const sens_real *row = part_dG(st, st->y) + o * st->cols;
        if (st->wrt_p) memcpy(out->dGdp + o * st->np, row, st->np * sizeof *row);
        if (st->wrt_x0) memcpy(out->dGdx0 + o * st->n, row + first, st->n * sizeof *row);
    }
    *work = (struct sens_work){.steps = st->steps,
                               .rejects = st->rejects,
                               .t_forward = sens_now(ctx) - begin,
                               .lanes = 1,
                               .threads = 1};
    return SENS_OK;
}

static const struct sens_limit limits[] = {
    {"test.dilution", "*", "the error test is a root mean square over all that is solved", .always = true},
    {.check = NULL},
};

static SENS_METHOD(variational) = {
    .name = "variational",
    .summary = "variational equations by steps of its own, a mean over all in the test",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .prepare = prepare,
    .run = run,
    .limits = limits,
};
static const struct sens_method_type *const methods[] = {&sens_method_variational, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "variational", .methods = methods};
