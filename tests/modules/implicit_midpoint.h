/* The implicit midpoint rule and its tangent, for modules that differ in the matrix I - h/2 df/dx that is
 * factorised: the including file defines NAME and FACTORS_OF_START (that at the beginning of the step alone,
 * as of a simplified Newton iteration); DOUBLES, where the steps are doubled until the state settles; and, where
 * the tangent is solved by others than Newton's iteration, TANGENT_FACTORS, a function like factorise. */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

#ifndef DOUBLES
#define DOUBLES 0
#endif

struct state {
    const struct sens_task *task;
    long steps;                    /* from t0 to t1 */
    size_t n, np, m, q;            /* q = np + n directions: parameters, then initial states */
    sens_real *x, *S;              /* [n], [n][q] */
    sens_real *F;                  /* [n][np] */
    sens_real *G, *dG, *g_x, *g_p; /* [m], [m][q], [n][m], [np][m] */
    sens_real *Y, *K, *sigma, *LU, *unit, *pivot, *before;
};

/* dG += g_x V + g_p, which are zero afterwards */
static void add_cost(const struct state *st, const sens_real *V)
{
    sens_lanes_add_product(sens_dense_transposed(st->n, st->m, st->g_x),
                           (struct sens_lanes){.v = V, .step = st->q}, st->q, st->dG);
    for (size_t c = 0; c < st->m; c++)
        for (size_t k = 0; k < st->np; k++) st->dG[c * st->q + k] += st->g_p[k * st->m + c];
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
    add_cost(st, st->S);
}

static void integrate(const struct state *st, const struct sens_at *at, sens_real w, const sens_real *V)
{
    const struct sens_cost *cost = st->task->cost;
    if (!cost->type->g) return;
    cost->type->g(cost, at, w, st->G);
    cost->type->g_dx(cost, at, w, 0, st->m, st->g_x);
    if (cost->type->g_dp) cost->type->g_dp(cost, at, w, 0, st->m, st->g_p);
    add_cost(st, V);
}

/* Z [n][q] += df/dp in the columns of the parameters */
static void add_p(const struct state *st, const struct sens_at *at, sens_real *Z)
{
    const struct sens_problem *pb = st->task->problem;
    memset(st->F, 0, st->n * st->np * sizeof *st->F);
    pb->type->jvp_p_cols(pb, at, 0, st->np, st->F);
    for (size_t i = 0; i < st->n; i++)
        for (size_t k = 0; k < st->np; k++) Z[i * st->q + k] += st->F[i * st->np + k];
}

/* LU = I - h/2 df/dx at the point, with its pivots */
static void factorise(struct state *st, const struct sens_at *at, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n;
    memset(st->unit, 0, n * n * sizeof *st->unit);
    for (size_t i = 0; i < n; i++) st->unit[i * n + i] = 1;
    pb->type->jvp(pb, at, n, st->unit, st->LU);
    for (size_t e = 0; e < n * n; e++) st->LU[e] = st->unit[e] - h / 2 * st->LU[e];
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(st->LU[i * n + k]) > fabs(st->LU[pivot * n + k])) pivot = i;
        st->pivot[k] = (sens_real)pivot;
        for (size_t j = 0; j < n; j++) {
            const sens_real keep = st->LU[k * n + j];
            st->LU[k * n + j] = st->LU[pivot * n + j];
            st->LU[pivot * n + j] = keep;
        }
        for (size_t i = k + 1; i < n; i++) {
            const sens_real factor = st->LU[i * n + k] /= st->LU[k * n + k];
            for (size_t j = k + 1; j < n; j++) st->LU[i * n + j] -= factor * st->LU[k * n + j];
        }
    }
}

#ifdef TANGENT_FACTORS
static void TANGENT_FACTORS(struct state *st, const struct sens_at *at, sens_real h);
#else
#define TANGENT_FACTORS factorise
#endif

/* V [n][L] = (I - h/2 J)^-1 V */
static void solve(const struct state *st, size_t L, sens_real *V)
{
    const size_t n = st->n;
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0, pivot = (size_t)st->pivot[k]; l < L; l++) {
            const sens_real keep = V[k * L + l];
            V[k * L + l] = V[pivot * L + l];
            V[pivot * L + l] = keep;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) sens_lanes_axpy(1, L, -st->LU[i * n + j], V + j * L, V + i * L);
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) sens_lanes_axpy(1, L, -st->LU[i * n + j], V + j * L, V + i * L);
        for (size_t l = 0; l < L; l++) V[i * L + l] /= st->LU[i * n + i];
    }
}

/* Y = x + h/2 f(t + h/2, Y) by Newton's iteration, then x = 2 Y - x, and its tangent. */
static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at at = {t + h / 2, st->Y, pb->p};
    const size_t n = st->n, q = st->q;
    memcpy(st->Y, st->x, n * sizeof *st->Y);
    if (FACTORS_OF_START) factorise(st, &(struct sens_at){t, st->x, pb->p}, h);
    for (int tries = 0, small = 0; small < 2; tries++) {
        if (tries == 60) return sens_fail(ctx, SENS_DIVERGED, "no solution of the step at t = %g", (double)t);
        const sens_status status = pb->type->rhs(pb, &at, st->K);
        if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
        if (!FACTORS_OF_START) factorise(st, &at, h);
        sens_real size = 0, moved = 0;
        for (size_t i = 0; i < n; i++) st->K[i] = st->x[i] + h / 2 * st->K[i] - st->Y[i];
        solve(st, 1, st->K);
        for (size_t i = 0; i < n; i++) {
            st->Y[i] += st->K[i];
            moved = fmax(moved, fabs(st->K[i])), size = fmax(size, fabs(st->Y[i]));
            if (!isfinite(st->Y[i])) return sens_fail(ctx, SENS_DIVERGED, "not finite at t = %g", (double)t);
        }
        small = moved <= 16 * SENS_EPSILON * size ? small + 1 : 0; /* and once more */
    }
    if (!FACTORS_OF_START) TANGENT_FACTORS(st, &at, h);
    memset(st->sigma, 0, n * q * sizeof *st->sigma);
    add_p(st, &at, st->sigma);
    for (size_t e = 0; e < n * q; e++) st->sigma[e] = st->S[e] + h / 2 * st->sigma[e];
    solve(st, q, st->sigma);
    integrate(st, &at, h, st->sigma);
    for (size_t i = 0; i < n; i++) st->x[i] = 2 * st->Y[i] - st->x[i];
    for (size_t e = 0; e < n * q; e++) st->S[e] = 2 * st->sigma[e] - st->S[e];
    return SENS_OK;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    const struct sens_problem *pb = st->task->problem;
    const sens_real share = (sens_real)st->steps * (stop - t) / (pb->t1 - pb->t0);
    const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
    const sens_real h = (stop - t) / (sens_real)count;
    if (work->steps + count > st->task->max_steps) return SENS_STEP_LIMIT;
    for (long k = 0; k < count; k++) {
        const sens_status status = step(ctx, st, t + (sens_real)k * h, h);
        if (status != SENS_OK) return status;
    }
    work->steps += count;
    return SENS_OK;
}

static void start(struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    memset(st->G, 0, st->m * sizeof *st->G);
    memset(st->dG, 0, st->m * st->q * sizeof *st->dG);
    memset(st->S, 0, st->n * st->q * sizeof *st->S);
    memset(st->F, 0, st->n * st->np * sizeof *st->F);
    sens_problem_x0(pb, pb->p, st->x);
    if (sens_problem_x0_depends(pb)) pb->type->x0_jvp_cols(pb, pb->p, 0, st->np, st->F);
    for (size_t i = 0; i < st->n; i++) {
        for (size_t k = 0; k < st->np; k++) st->S[i * st->q + k] = st->F[i * st->np + k];
        st->S[i * st->q + st->np + i] = 1;
    }
}

static bool all_finite(size_t count, const sens_real *v)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

/* x, G and dG at t1. */
static sens_status integrate_all(struct sens_ctx *ctx, struct state *st, struct sens_work *work)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    size_t j = 0;
    *work = (struct sens_work){.lanes = 1, .threads = 1};
    start(st);
    if (cost->n_obs && cost->t_obs[0] == pb->t0) observe(st, j++);
    for (sens_real t = pb->t0, stop; t < pb->t1; t = stop) {
        const bool observed = j < cost->n_obs;
        stop = observed ? cost->t_obs[j] : pb->t1;
        const sens_status status = advance(ctx, st, t, stop, work);
        if (status != SENS_OK) return status;
        if (observed) observe(st, j++);
    }
    if (all_finite(st->n, st->x) && all_finite(st->m, st->G) && all_finite(st->m * st->q, st->dG))
        return SENS_OK;
    return sens_fail(ctx, SENS_DIVERGED, "the state or the gradient is not finite");
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const size_t n = st->n, np = st->np;
    const sens_status status = integrate_all(ctx, st, work);
    if (status != SENS_OK) return status;
    memcpy(out->x, st->x, n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t c = 0; c < st->m; c++) {
        if (out->dGdp) memcpy(out->dGdp + c * np, st->dG + c * st->q, np * sizeof *out->dGdp);
        if (out->dGdx0) memcpy(out->dGdx0 + c * n, st->dG + c * st->q + np, n * sizeof *out->dGdx0);
    }
    return SENS_OK;
}

static bool settled(const struct state *st)
{
    for (size_t i = 0; i < st->n; i++)
        if (fabs(st->x[i] - st->before[i]) > st->task->atol + st->task->rtol * fabs(st->x[i])) return false;
    return true;
}

/* Twice as many until the state at t1 has settled. A solve that diverges may do so for want of steps. */
static sens_status choose_steps(struct sens_ctx *ctx, struct state *st)
{
    struct sens_work work;
    bool known = false; /* `before` is the state at t1 of the solve before */
    for (; st->steps <= st->task->max_steps; st->steps *= 2) {
        const sens_status status = integrate_all(ctx, st, &work);
        if (status != SENS_OK && status != SENS_DIVERGED) return status;
        if (status == SENS_OK && known && settled(st)) return SENS_OK;
        known = status == SENS_OK;
        memcpy(st->before, st->x, st->n * sizeof *st->before);
    }
    return sens_fail(ctx, SENS_UNSUPPORTED, "max_steps equal steps do not reach the tolerance");
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m, q = np + n;
    *st = (struct state){.task = task, .n = n, .np = np, .m = m, .q = q};
    struct {
        sens_real **to;
        size_t count;
    } const parts[] = {{&st->x, n},      {&st->S, n * q},     {&st->F, n * np},   {&st->G, m},
                       {&st->dG, m * q}, {&st->g_x, n * m},   {&st->g_p, np * m}, {&st->Y, n},
                       {&st->K, n},      {&st->sigma, n * q}, {&st->LU, n * n},   {&st->unit, n * n},
                       {&st->pivot, n},  {&st->before, n}};
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
    .summary = "implicit midpoint rule with its tangent",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | (DOUBLES ? SENS_CAP_TOLERANCE : 0),
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
