/* The tangent of the implicit trapezoid,
 *
 *     x1 = x + h/2 (f(t, x) + f(t1, x1)),                                     by Newton's method,
 *     (I - h/2 J1) S1 = S + h/2 (J S + F + F1),      S = dx/dq, J, F = df/dx, df/dq at (t, x), J1, F1 at (t1,
 * x1),
 *
 * for modules that differ in their steps: the including file defines NAME and ADAPTIVE. Where it is 1, two
 * halves of a step against the whole of it give the error, h^3; the halves are kept. Sensitivities and the
 * quadrature (the same trapezoid) are outside the test. Where it is 0, the steps are equal, as many as an
 * option says. The derivative of each step is exact for it, but for what Newton's iteration leaves.
 *
 * LEAVES is the share of the tolerance, relative to the state, that the iteration may leave in a step: it is then
 * one without a matrix, x1 <- x + h/2 (f + f1), which shows what slow convergence does. 0, which need not be
 * defined: Newton's, to the last digit. REPORTS 0: it does not tell what it leaves. */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef REPORTS
#define REPORTS 1
#endif

enum { NEWTON = 12, WITHOUT_MATRIX = 60 }; /* iterations */

static const struct sens_option options[] = {
#if !ADAPTIVE
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = 400, .min = 1, .max = 1e6, .help = "from t0 to t1"},
#endif
    SENS_OPTIONS_END,
};

struct state {
    const struct sens_task *task;
    size_t n, np, m, cols; /* directions: np, then n, as far as asked for */
    bool wrt_p, wrt_x0;
    sens_real *x, *half, *whole, *middle, *f, *f1, *r; /* [n] */
    sens_real *J, *LU;                                 /* [n][n] */
    size_t *pivot;                                     /* [n] */
    sens_real *V, *OUT;                                /* [n][n + cols] room of a product */
    sens_real *S, *R, *S1;                             /* [n][cols] */
    sens_real *G, *dG;                                 /* [m], [m][cols] */
    sens_real *g_x, *g_p;                              /* [n][m], [np][m] */
    sens_real left, residual; /* by the last iteration; by those of accepted steps together */
    long steps, rejects;
    long factorisations, solves, newton;
};

/* ---- small dense systems ------------------------------------------------------------------------------- */

static bool factorise(struct state *st)
{
    st->factorisations++;
    const size_t n = st->n;
    sens_real *A = st->LU;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        st->pivot[k] = best;
        for (size_t j = 0; j < n; j++) {
            const sens_real kept = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = kept;
        }
        if (A[k * n + k] == 0) return false;
        for (size_t i = k + 1; i < n; i++) {
            A[i * n + k] /= A[k * n + k];
            for (size_t j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] * A[k * n + j];
        }
    }
    return true;
}

/* B [n][cols] becomes A^-1 B. */
static void solve_factorised(struct state *st, size_t cols, sens_real *B)
{
    st->solves += (long)cols;
    const size_t n = st->n;
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < cols; c++) {
            const sens_real kept = B[k * cols + c];
            B[k * cols + c] = B[st->pivot[k] * cols + c];
            B[st->pivot[k] * cols + c] = kept;
        }
    for (size_t c = 0; c < cols; c++) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) B[i * cols + c] -= st->LU[i * n + j] * B[j * cols + c];
        for (size_t i = n; i-- > 0;) {
            for (size_t j = i + 1; j < n; j++) B[i * cols + c] -= st->LU[i * n + j] * B[j * cols + c];
            B[i * cols + c] /= st->LU[i * n + i];
        }
    }
}

/* J = df/dx, as the products of all unit vectors. */
static void form_jacobian(const struct state *st, const struct sens_at *at)
{
    const size_t n = st->n;
    memset(st->V, 0, n * n * sizeof *st->V);
    for (size_t i = 0; i < n; i++) st->V[i * n + i] = 1;
    st->task->problem->type->jvp(st->task->problem, at, n, st->V, st->J);
}

/* LU = I - h/2 J, factorised; false: singular. */
static bool form_system(struct state *st, const struct sens_at *at, sens_real h)
{
    const size_t n = st->n;
    form_jacobian(st, at);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) st->LU[i * n + j] = (i == j) - h / 2 * st->J[i * n + j];
    return factorise(st);
}

/* ---- one step ------------------------------------------------------------------------------------------ */

static sens_status rhs(const struct state *st, sens_real t, const sens_real *x, sens_real *f)
{
    const struct sens_problem *pb = st->task->problem;
    return pb->type->rhs(pb, &(struct sens_at){t, x, pb->p}, f);
}

/* Is the iteration over, after corrections of these relative sizes? What it leaves follows from how fast they
 * shrink. */
static bool ends(struct state *st, int k, sens_real before, sens_real size)
{
    const sens_real rate = size / before;
    st->left = 0;
    if (size <= 4 * SENS_EPSILON || (k > 2 && size < 1e-10 && size >= before)) return true;
    if (LEAVES <= 0 || k == 0 || rate >= 1) return false;
    st->left = size * rate / (1 - rate);
    return st->left <= LEAVES * st->task->rtol;
}

/* x1 -= M^-1 of what is left of the step's equation, M = I - h/2 J or 1; the relative size of that. */
static sens_real correct(struct state *st, sens_real h, const sens_real *x, sens_real *x1)
{
    const sens_real least = LEAVES > 0 ? st->task->atol / st->task->rtol : SENS_C(1e-300);
    sens_real size = 0;
    for (size_t i = 0; i < st->n; i++) st->r[i] = x1[i] - x[i] - h / 2 * (st->f[i] + st->f1[i]);
    if (LEAVES <= 0) solve_factorised(st, 1, st->r);
    for (size_t i = 0; i < st->n; i++) {
        x1[i] -= st->r[i];
        size = fmax(size, fabs(st->r[i]) / (least + fabs(x1[i])));
    }
    st->newton++;
    return size;
}

/* x1 from x; SENS_NOT_CONVERGED, SENS_SINGULAR: a smaller step may help. */
static sens_status implicit(struct state *st, sens_real t, sens_real h, const sens_real *x, sens_real *x1)
{
    const struct sens_problem *pb = st->task->problem;
    const int most = LEAVES > 0 ? WITHOUT_MATRIX : NEWTON;
    sens_status status = rhs(st, t, x, st->f);
    sens_real before = INFINITY;
    for (size_t i = 0; i < st->n; i++) x1[i] = x[i] + h * st->f[i];
    for (int k = 0; k < most && status == SENS_OK; k++) {
        status = rhs(st, t + h, x1, st->f1);
        if (status != SENS_OK) break;
        if (LEAVES <= 0 && !form_system(st, &(struct sens_at){t + h, x1, pb->p}, h)) return SENS_SINGULAR;
        const sens_real size = correct(st, h, x, x1);
        if (!(size < 1e10)) return SENS_NOT_CONVERGED;
        if (ends(st, k, before, size)) return SENS_OK;
        before = size;
    }
    return status == SENS_OK ? SENS_NOT_CONVERGED : status;
}

/* ---- the cost ------------------------------------------------------------------------------------------ */

static void add_gradient(const struct state *st, const sens_real *S)
{
    for (size_t c = 0; c < st->m; c++) {
        for (size_t i = 0; i < st->n; i++)
            for (size_t k = 0; k < st->cols; k++)
                st->dG[c * st->cols + k] += st->g_x[i * st->m + c] * S[i * st->cols + k];
        for (size_t k = 0; st->wrt_p && k < st->np; k++) st->dG[c * st->cols + k] += st->g_p[k * st->m + c];
    }
    memset(st->g_x, 0, st->n * st->m * sizeof *st->g_x);
    memset(st->g_p, 0, st->np * st->m * sizeof *st->g_p);
}

static void observe(const struct state *st, size_t j)
{
    const struct sens_cost *cost = st->task->cost;
    const sens_real *p = st->task->problem->p;
    cost->type->phi(cost, j, st->x, p, st->G);
    cost->type->phi_dx(cost, j, st->x, p, 0, st->m, st->g_x);
    if (cost->type->phi_dp) cost->type->phi_dp(cost, j, st->x, p, 0, st->m, st->g_p);
    add_gradient(st, st->S);
}

static void integrate(const struct state *st, sens_real t, const sens_real *x, const sens_real *S,
                      sens_real w)
{
    const struct sens_cost *cost = st->task->cost;
    const struct sens_at at = {t, x, st->task->problem->p};
    if (!cost->type->g) return;
    cost->type->g(cost, &at, w, st->G);
    cost->type->g_dx(cost, &at, w, 0, st->m, st->g_x);
    if (cost->type->g_dp) cost->type->g_dp(cost, &at, w, 0, st->m, st->g_p);
    add_gradient(st, S);
}

/* ---- an accepted step ---------------------------------------------------------------------------------- */

/* R += h/2 (J S + F) at the point */
static void add_slope(const struct state *st, const struct sens_at *at, sens_real h, const sens_real *S)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n, cols = st->cols;
    if (S) {
        pb->type->jvp(pb, at, cols, S, st->OUT);
        for (size_t q = 0; q < n * cols; q++) st->R[q] += h / 2 * st->OUT[q];
    }
    if (!st->wrt_p) return;
    memset(st->OUT, 0, n * st->np * sizeof *st->OUT);
    pb->type->jvp_p_cols(pb, at, 0, st->np, st->OUT);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < st->np; k++) st->R[i * cols + k] += h / 2 * st->OUT[i * st->np + k];
}

static bool take(struct state *st, sens_real t, sens_real h, sens_real t1, const sens_real *x1)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at from = {t, st->x, pb->p}, to = {t + h, x1, pb->p};
    memcpy(st->R, st->S, st->n * st->cols * sizeof *st->R);
    add_slope(st, &from, h, st->S);
    add_slope(st, &to, h, NULL);
    if (!form_system(st, &to, h)) return false;
    solve_factorised(st, st->cols, st->R);
    integrate(st, t, st->x, st->S, h / 2);
    memcpy(st->S, st->R, st->n * st->cols * sizeof *st->S);
    memcpy(st->x, x1, st->n * sizeof *st->x);
    integrate(st, t + h, st->x, st->S, h / 2);
    st->steps++;
    if (st->task->listener.step) st->task->listener.step(st->task->listener.self, t, h, t1);
    return true;
}

/* ---- from stop to stop --------------------------------------------------------------------------------- */

#if ADAPTIVE

static sens_real error_of(const struct state *st)
{
    sens_real most = 0;
    for (size_t i = 0; i < st->n; i++) {
        const sens_real e = fabs(st->half[i] - st->whole[i]) / 3;
        const sens_real scale = st->task->atol + st->task->rtol * fabs(st->x[i]);
        if (!isfinite(e)) return INFINITY;
        most = fmax(most, e / scale);
    }
    return most;
}

/* The two halves of a step, or of a smaller one; *h is the next trial, in and out. */
static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real *t, sens_real stop, sens_real *h)
{
    while (*t < stop) {
        const bool lands = *t + *h * (1 + SENS_C(1e-9)) >= stop;
        const sens_real step = lands ? stop - *t : *h, middle = *t + step / 2, end = lands ? stop : *t + step;
        if (st->steps + st->rejects >= st->task->max_steps)
            return sens_fail(ctx, SENS_STEP_LIMIT, "max_steps at t = %g", (double)*t);
        if (*t + step / 2 == *t) return sens_fail(ctx, SENS_STEP_UNDERFLOW, "no step at t = %g", (double)*t);
        sens_status status = implicit(st, *t, step, st->x, st->whole);
        if (status == SENS_OK) status = implicit(st, *t, step / 2, st->x, st->middle);
        const sens_real left = st->left;
        if (status == SENS_OK) status = implicit(st, middle, step / 2, st->middle, st->half);
        if (sens_fatal(status)) return status;
        const sens_real err = status == SENS_OK ? error_of(st) : INFINITY;
        const sens_real factor = fmin(4, fmax(SENS_C(0.2), SENS_C(0.9) * pow(err, -SENS_Q(1, 3))));
        if (err > 1) {
            st->rejects++;
            *h = step * factor;
            continue;
        }
        if (!take(st, *t, step / 2, middle, st->middle) || !take(st, middle, step / 2, end, st->half))
            return sens_fail(ctx, SENS_DIVERGED, "a singular system at t = %g", (double)*t);
        st->residual += left + st->left;
        *h = lands ? fmax(*h, step * factor) : step * factor;
        *t = end;
    }
    return SENS_OK;
}

#else

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real *t, sens_real stop,
                           sens_real *unused)
{
    (void)unused;
    const struct sens_problem *pb = st->task->problem;
    const sens_real share = st->task->option[0].number * (stop - *t) / (pb->t1 - pb->t0), from = *t;
    const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
    const sens_real h = (stop - from) / (sens_real)count;
    for (long k = 0; k < count; k++) {
        const sens_real at = from + (sens_real)k * h;
        if (st->steps >= st->task->max_steps)
            return sens_fail(ctx, SENS_STEP_LIMIT, "max_steps at t = %g", (double)at);
        const sens_status status = implicit(st, at, h, st->x, st->half);
        if (sens_fatal(status)) return status;
        if (status != SENS_OK || !take(st, at, h, at + h, st->half))
            return sens_fail(ctx, SENS_DIVERGED, "the step of %g from t = %g has no solution", (double)h,
                             (double)at);
    }
    *t = stop;
    return SENS_OK;
}

#endif

static void start(struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t first = st->wrt_p ? st->np : 0;
    st->steps = st->rejects = st->factorisations = st->solves = st->newton = 0;
    st->residual = 0;
    memset(st->G, 0, st->m * sizeof *st->G);
    memset(st->dG, 0, st->m * st->cols * sizeof *st->dG);
    memset(st->S, 0, st->n * st->cols * sizeof *st->S);
    memset(st->g_x, 0, st->n * st->m * sizeof *st->g_x);
    memset(st->g_p, 0, st->np * st->m * sizeof *st->g_p);
    sens_problem_x0(pb, pb->p, st->x);
    for (size_t i = 0; st->wrt_x0 && i < st->n; i++) st->S[i * st->cols + first + i] = 1;
    if (!st->wrt_p || !sens_problem_x0_depends(pb)) return;
    memset(st->OUT, 0, st->n * st->np * sizeof *st->OUT);
    pb->type->x0_jvp_cols(pb, pb->p, 0, st->np, st->OUT);
    for (size_t i = 0; i < st->n; i++)
        for (size_t k = 0; k < st->np; k++) st->S[i * st->cols + k] = st->OUT[i * st->np + k];
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
    for (size_t q = 0; q < st->m * st->cols; q++)
        if (!isfinite(st->dG[q])) return sens_fail(ctx, SENS_DIVERGED, "the gradient is not finite");
    for (size_t c = 0; c < st->m; c++)
        if (!isfinite(st->G[c])) return sens_fail(ctx, SENS_DIVERGED, "the cost is not finite");
    return SENS_OK;
}

/* ---- the method ---------------------------------------------------------------------------------------- */

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m;
    const bool wrt_p = task->parts & SENS_IN_DGDP, wrt_x0 = task->parts & SENS_IN_DGDX0;
    const size_t cols = (wrt_p ? np : 0) + (wrt_x0 ? n : 0), vectors = 7;
    sens_real *const v = SENS_NEW(ctx, sens_real, vectors * n);
    *st = (struct state){
        .task = task, .n = n, .np = np, .m = m, .cols = cols, .wrt_p = wrt_p, .wrt_x0 = wrt_x0};
    st->J = SENS_NEW(ctx, sens_real, n * n);
    st->LU = SENS_NEW(ctx, sens_real, n * n);
    st->pivot = SENS_NEW(ctx, size_t, n);
    st->V = SENS_NEW(ctx, sens_real, n * (n + cols + np));
    st->OUT = SENS_NEW(ctx, sens_real, n * (n + cols + np));
    st->S = SENS_NEW(ctx, sens_real, n * cols);
    st->R = SENS_NEW(ctx, sens_real, n * cols);
    st->G = SENS_NEW(ctx, sens_real, m);
    st->dG = SENS_NEW(ctx, sens_real, m * cols);
    st->g_x = SENS_NEW(ctx, sens_real, n * m);
    st->g_p = SENS_NEW(ctx, sens_real, np * m);
    if (!v || !st->J || !st->LU || !st->pivot || !st->V || !st->OUT || !st->S || !st->R || !st->G ||
        !st->dG || !st->g_x || !st->g_p)
        return SENS_NO_MEMORY;
    st->x = v, st->half = v + n, st->whole = v + 2 * n, st->middle = v + 3 * n;
    st->f = v + 4 * n, st->f1 = v + 5 * n, st->r = v + 6 * n;
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
    memcpy(out->x, st->x, st->n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t c = 0; c < st->m; c++) {
        const sens_real *row = st->dG + c * st->cols;
        if (st->wrt_p) memcpy(out->dGdp + c * st->np, row, st->np * sizeof *row);
        if (st->wrt_x0) memcpy(out->dGdx0 + c * st->n, row + first, st->n * sizeof *row);
    }
    *work = (struct sens_work){.steps = st->steps,
                               .rejects = st->rejects,
                               .t_forward = sens_now(ctx) - begin,
                               .lanes = 1,
                               .threads = 1,
                               .factorisations = st->factorisations,
                               .solves = st->solves,
                               .newton = st->newton,
                               .residual = REPORTS ? st->residual : 0};
    return SENS_OK;
}

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = ADAPTIVE ? "tangent of an adaptive implicit trapezoid"
                        : "tangent of an implicit method with equal steps",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS |
            (ADAPTIVE ? SENS_CAP_TOLERANCE | SENS_CAP_STEPS : 0),
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
