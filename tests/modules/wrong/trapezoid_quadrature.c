/* A continuous adjoint over the nodes of a classic Runge-Kutta solve, with Hermite's cubic between them. The
 * integral for dG/dp is taken by the trapezoidal rule, of second order only: its error is far above the
 * tolerance.
 *
 * verify: --quick --method trapezoid_quadrature --check gradient.exact
 * cause: outside_test */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { MOST = 1 << 15 }; /* nodes */

struct state {
    const struct sens_task *task;
    size_t n, np, m;
    long steps, count;              /* asked for, nodes stored less one */
    sens_real *t, *X, *F;           /* nodes: [MOST], [MOST][n]: states, slopes */
    sens_real *Y, *K, *G, *before;  /* [n], [4][n], [m], [n] */
    sens_real *lambda, *W, *V, *mu; /* [n][m], [n][m], [4][n][m], [np][m] */
};

static sens_status step(const struct state *st, long k, sens_real h)
{
    static const double a[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
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
    return SENS_OK;
}

static sens_status forward(struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    size_t j = 0;
    long k = 0;
    memset(st->G, 0, st->m * sizeof *st->G);
    sens_problem_x0(pb, pb->p, st->X);
    if (cost->n_obs && cost->t_obs[0] == pb->t0) cost->type->phi(cost, j++, st->X, pb->p, st->G);
    for (sens_real t = pb->t0, stop; t < pb->t1; t = stop) {
        const bool observed = j < cost->n_obs;
        stop = observed ? cost->t_obs[j] : pb->t1;
        const sens_real share = (sens_real)st->steps * (stop - t) / (pb->t1 - pb->t0);
        const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
        for (long i = 0; i < count; i++, k++) {
            if (k + 2 > MOST || k >= st->task->max_steps) return SENS_STEP_LIMIT;
            st->t[k] = t + (sens_real)i * (stop - t) / (sens_real)count;
            st->t[k + 1] = i + 1 < count ? t + (sens_real)(i + 1) * (stop - t) / (sens_real)count : stop;
            const sens_status status = step(st, k, st->t[k + 1] - st->t[k]);
            if (status != SENS_OK) return status;
        }
        if (observed) cost->type->phi(cost, j++, st->X + (size_t)k * st->n, pb->p, st->G);
    }
    st->count = k;
    for (size_t i = 0; i < st->n; i++)
        if (!isfinite(st->X[(size_t)k * st->n + i])) return SENS_DIVERGED;
    return pb->type->rhs(pb, &(struct sens_at){pb->t1, st->X + (size_t)k * st->n, pb->p},
                         st->F + (size_t)k * st->n) == SENS_OK
               ? SENS_OK
               : SENS_DIVERGED;
}

/* OUT = J^T W + g_x at the point */
static void slope(const struct state *st, const struct sens_at *at, const sens_real *W, sens_real *OUT)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    pb->type->vjp(pb, at, st->m, W, OUT);
    if (cost->type->g) cost->type->g_dx(cost, at, 1, 0, st->m, OUT);
}

/* mu += w (df/dp^T lambda + g_p) at node k */
static void add_mu(const struct state *st, long k, sens_real w)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const sens_real *x = st->X + (size_t)k * st->n;
    for (size_t e = 0; e < st->n * st->m; e++) st->W[e] = w * st->lambda[e];
    pb->type->vjp_p_batch(pb, 1, &st->t[k], x, pb->p, st->m, st->W, st->mu);
    if (cost->type->g_dp) cost->type->g_dp(cost, &(struct sens_at){st->t[k], x, pb->p}, w, 0, st->m, st->mu);
}

/* lambda over step k, backwards. */
static void back(const struct state *st, long k)
{
    const size_t n = st->n, m = st->m;
    const sens_real h = st->t[k + 1] - st->t[k], *x = st->X + (size_t)k * n, *f = st->F + (size_t)k * n;
    static const double a[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (size_t i = 0; i < n; i++) st->Y[i] = (x[i] + x[n + i]) / 2 + h / 8 * (f[i] - f[n + i]);
    add_mu(st, k + 1, h / 2);
    for (int i = 0; i < 4; i++) {
        const struct sens_at at = {st->t[k + 1] - a[i] * h,
                                   i == 0   ? x + n
                                   : i == 3 ? x
                                            : st->Y,
                                   st->task->problem->p};
        memcpy(st->W, st->lambda, n * m * sizeof *st->W);
        if (i) sens_lanes_axpy(n, m, a[i] * h, st->V + (size_t)(i - 1) * n * m, st->W);
        slope(st, &at, st->W, st->V + (size_t)i * n * m);
    }
    for (int i = 0; i < 4; i++) sens_lanes_axpy(n, m, b[i] * h, st->V + (size_t)i * n * m, st->lambda);
    add_mu(st, k, h / 2);
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const size_t n = st->n, m = st->m, np = st->np;
    const sens_status status = forward(st);
    if (status != SENS_OK) return status;
    *work = (struct sens_work){.steps = st->count, .steps_reverse = st->count, .lanes = 1, .threads = 1};
    memcpy(out->x, st->X + (size_t)st->count * n, n * sizeof *out->x);
    memcpy(out->G, st->G, m * sizeof *out->G);
    memset(st->lambda, 0, n * m * sizeof *st->lambda);
    memset(st->mu, 0, np * m * sizeof *st->mu);
    size_t j = cost->n_obs;
    for (long k = st->count;; k--) {
        const sens_real *x = st->X + (size_t)k * n;
        if (j > 0 && cost->t_obs[j - 1] == st->t[k]) {
            cost->type->phi_dx(cost, --j, x, pb->p, 0, m, st->lambda);
            if (cost->type->phi_dp) cost->type->phi_dp(cost, j, x, pb->p, 0, m, st->mu);
        }
        if (k == 0) break;
        back(st, k - 1);
    }
    if (sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, pb->p, m, st->lambda, st->mu);
    for (size_t c = 0; c < m; c++) {
        for (size_t i = 0; out->dGdp && i < np; i++) out->dGdp[c * np + i] = st->mu[i * m + c];
        for (size_t i = 0; out->dGdx0 && i < n; i++) out->dGdx0[c * n + i] = st->lambda[i * m + c];
    }
    for (size_t e = 0; e < n * m; e++)
        if (!isfinite(st->lambda[e])) return sens_fail(ctx, SENS_DIVERGED, "the adjoint is not finite");
    for (size_t e = 0; e < np * m; e++)
        if (!isfinite(st->mu[e])) return sens_fail(ctx, SENS_DIVERGED, "the adjoint is not finite");
    return SENS_OK;
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
    } const parts[] = {{&st->t, MOST},  {&st->X, MOST * n},  {&st->F, MOST * n}, {&st->Y, n},
                       {&st->K, 4 * n}, {&st->G, m},         {&st->before, n},   {&st->lambda, n * m},
                       {&st->W, n * m}, {&st->V, 4 * n * m}, {&st->mu, np * m}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(*parts[i].to = SENS_NEW(ctx, sens_real, parts[i].count))) return SENS_NO_MEMORY;
    *made = st;
    bool known = false;
    for (st->steps = 16;; st->steps *= 2) { /* until the state at t1 has settled */
        const sens_status status = forward(st);
        if (status != SENS_OK && status != SENS_DIVERGED) return status;
        const sens_real *x = st->X + (size_t)st->count * n;
        bool settled = known && status == SENS_OK;
        for (size_t i = 0; settled && i < n; i++)
            settled = fabs(x[i] - st->before[i]) <= task->atol + task->rtol * fabs(x[i]);
        if (settled) return SENS_OK;
        known = status == SENS_OK;
        if (known) memcpy(st->before, x, n * sizeof *x);
    }
}

static SENS_METHOD(trapezoid_quadrature) = {
    .name = "trapezoid_quadrature",
    .summary = "continuous adjoint over equal steps of classic Runge-Kutta",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_trapezoid_quadrature, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "trapezoid_quadrature", .methods = methods};
