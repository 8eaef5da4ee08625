/* The tangent of the two-step formula of Adams and Bashforth, for modules that differ in its history and in
 * the quadrature of the running cost: the including file defines NAME, KEEPS_HISTORY (a run begins with the
 * last slope of the run before; else each observation is a new beginning) and SIMPSON (Simpson's rule in
 * place of the formula's). */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

struct state {
    const struct sens_task *task;
    size_t n, np, m, q;                   /* q = np + n directions: parameters, then initial states */
    sens_real *x, *S;                     /* [n], [n][q] */
    sens_real *F;                         /* [n][np] */
    sens_real *G, *dG, *g_x, *g_p;        /* [m], [m][q], [n][m], [np][m] */
    sens_real *K, *K1, *K2, *Z, *Z1, *Z2; /* K2, Z2: slopes of the step before, where there is history */
    bool history;
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

/* K = f, Z = J V + df/dp at (t, x) */
static sens_status slopes(const struct state *st, sens_real t, const sens_real *x, const sens_real *V,
                          sens_real *K, sens_real *Z)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at at = {t, x, pb->p};
    const sens_status status = pb->type->rhs(pb, &at, K);
    if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
    pb->type->jvp(pb, &at, st->q, V, Z);
    add_p(st, &at, Z);
    return SENS_OK;
}

/* The step from t: Heun's where there is no step before it, else Adams' and Bashforth's second. */
static sens_status step(struct state *st, sens_real t, sens_real h, long k, bool last)
{
    const sens_real *p = st->task->problem->p;
    const size_t n = st->n, q = st->q;
    sens_status status = slopes(st, t, st->x, st->S, st->K, st->Z);
    if (status != SENS_OK) return status;
    const bool first = !st->history;
    const sens_real own = (first ? SENS_C(0.5) : SENS_C(1.5)) - (last ? 0 : SENS_C(0.5));
    const sens_real simpson = (k == 0 ? 1 : k % 2 ? 4 : 2) / SENS_C(3.0);
    integrate(st, &(struct sens_at){t, st->x, p}, h * (SIMPSON ? simpson : own), st->S);
    if (first) {
        memcpy(st->K1, st->x, n * sizeof *st->K1);
        memcpy(st->Z1, st->S, n * q * sizeof *st->Z1);
        sens_lanes_axpy(n, 1, h, st->K, st->K1);
        sens_lanes_axpy(n, q, h, st->Z, st->Z1);
        if (!SIMPSON) integrate(st, &(struct sens_at){t + h, st->K1, p}, h / 2, st->Z1);
        status = slopes(st, t + h, st->K1, st->Z1, st->K2, st->Z2);
        if (status != SENS_OK) return status;
    }
    const sens_real now = first ? h / 2 : 3 * h / 2, other = first ? h / 2 : -h / 2;
    sens_lanes_axpy(n, 1, now, st->K, st->x);
    sens_lanes_axpy(n, 1, other, st->K2, st->x);
    sens_lanes_axpy(n, q, now, st->Z, st->S);
    sens_lanes_axpy(n, q, other, st->Z2, st->S);
    memcpy(st->K2, st->K, n * sizeof *st->K);
    memcpy(st->Z2, st->Z, n * q * sizeof *st->Z);
    st->history = true;
    return SENS_OK;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    (void)ctx;
    const struct sens_problem *pb = st->task->problem;
    const sens_real share = (sens_real)st->task->option[0].number * (stop - t) / (pb->t1 - pb->t0);
    const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
    const sens_real h = (stop - t) / (sens_real)count;
    if (work->steps + count > st->task->max_steps) return SENS_STEP_LIMIT;
    if (!KEEPS_HISTORY) st->history = false;
    for (long k = 0; k < count; k++) {
        const sens_status status = step(st, t + (sens_real)k * h, h, k, k + 1 == count);
        if (status != SENS_OK) return status;
    }
    if (SIMPSON) integrate(st, &(struct sens_at){stop, st->x, pb->p}, h / 3, st->S);
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

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *st = state;
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const size_t n = st->n, np = st->np;
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
    if (!all_finite(n, st->x) || !all_finite(st->m, st->G) || !all_finite(st->m * st->q, st->dG))
        return sens_fail(ctx, SENS_DIVERGED, "the state or the gradient is not finite");
    memcpy(out->x, st->x, n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t c = 0; c < st->m; c++) {
        if (out->dGdp) memcpy(out->dGdp + c * np, st->dG + c * st->q, np * sizeof *out->dGdp);
        if (out->dGdx0) memcpy(out->dGdx0 + c * n, st->dG + c * st->q + np, n * sizeof *out->dGdx0);
    }
    return SENS_OK;
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
    } const parts[] = {{&st->x, n},      {&st->S, n * q},   {&st->F, n * np},   {&st->G, m},
                       {&st->dG, m * q}, {&st->g_x, n * m}, {&st->g_p, np * m}, {&st->K, n},
                       {&st->K1, n},     {&st->K2, n},      {&st->Z, n * q},    {&st->Z1, n * q},
                       {&st->Z2, n * q}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(*parts[i].to = SENS_NEW(ctx, sens_real, parts[i].count))) return SENS_NO_MEMORY;
    *made = st;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = 400, .min = 1, .max = 1e6, .help = "from t0 to t1"},
    SENS_OPTIONS_END,
};

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "Adams-Bashforth 2 with its tangent",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
