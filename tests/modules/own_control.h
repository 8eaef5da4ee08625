/* The tangent of Bogacki and Shampine's pair with a step control of its own, first same as last, for modules
 * that differ in what a run leaves to the next: the including file defines NAME, KEEPS_SLOPE (the last slope;
 * nothing is kept before the first run) and KEEPS_STEP (the last step). */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

struct state {
    const struct sens_task *task;
    size_t n, np, m, q;            /* q = np + n directions: parameters, then initial states */
    sens_real *x, *S;              /* [n], [n][q] */
    sens_real *F;                  /* [n][np] */
    sens_real *G, *dG, *g_x, *g_p; /* [m], [m][q], [n][m], [np][m] */
    sens_real *Y, *sigma, *node, *tangent, *K, *Z; /* K [4][n], Z [4][n][q] */
    bool ready;                                    /* K and Z hold the first slopes */
    sens_real h;
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

enum { STAGES = 4 };
static const double a[STAGES][STAGES] = {{0}, {0.5}, {0, 0.75}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};
static const double c[STAGES] = {0, 0.5, 0.75, 1};
static const double e[STAGES] = {2.0 / 9 - 7.0 / 24, 1.0 / 3 - 0.25, 4.0 / 9 - 1.0 / 3, -0.125};

/* Bogacki's and Shampine's 3(2) from t: Y and sigma are the new state and tangent. */
static sens_status trial(struct state *st, sens_real t, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n, q = st->q;
    for (int i = st->ready ? 1 : 0; i < STAGES; i++) {
        const struct sens_at at = {t + c[i] * h, st->Y, pb->p};
        memcpy(st->Y, st->x, n * sizeof *st->Y);
        memcpy(st->sigma, st->S, n * q * sizeof *st->sigma);
        for (int j = 0; j < i; j++) {
            sens_lanes_axpy(n, 1, h * a[i][j], st->K + (size_t)j * n, st->Y);
            sens_lanes_axpy(n, q, h * a[i][j], st->Z + (size_t)j * n * q, st->sigma);
        }
        const sens_status status = pb->type->rhs(pb, &at, st->K + (size_t)i * n);
        if (status != SENS_OK) return status;
        pb->type->jvp(pb, &at, q, st->sigma, st->Z + (size_t)i * n * q);
        add_p(st, &at, st->Z + (size_t)i * n * q);
    }
    return SENS_OK;
}

/* The cost over the step just tried: its nodes are the first three stages. */
static void add_integral(const struct state *st, sens_real t, sens_real h)
{
    const size_t n = st->n, q = st->q;
    for (int i = 0; i + 1 < STAGES; i++) {
        memcpy(st->node, st->x, n * sizeof *st->node);
        memcpy(st->tangent, st->S, n * q * sizeof *st->tangent);
        for (int j = 0; j < i; j++) {
            sens_lanes_axpy(n, 1, h * a[i][j], st->K + (size_t)j * n, st->node);
            sens_lanes_axpy(n, q, h * a[i][j], st->Z + (size_t)j * n * q, st->tangent);
        }
        integrate(st, &(struct sens_at){t + c[i] * h, st->node, st->task->problem->p}, h * a[3][i],
                  st->tangent);
    }
}

/* The estimated error in units of what is allowed. */
static sens_real error(const struct state *st, sens_real h)
{
    sens_real worst = 0;
    for (size_t k = 0; k < st->n; k++) {
        sens_real sum = 0;
        for (int i = 0; i < STAGES; i++) sum += e[i] * st->K[(size_t)i * st->n + k];
        const sens_real allowed = st->task->atol + st->task->rtol * fmax(fabs(st->x[k]), fabs(st->Y[k]));
        const sens_real ratio = sum == 0 ? 0 : fabs(h * sum) / allowed;
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    const struct sens_listener *listener = &st->task->listener;
    while (t < stop) {
        if (work->steps + work->rejects == st->task->max_steps) return SENS_STEP_LIMIT;
        const bool last = st->h >= (stop - t) * SENS_C(0.999);
        const sens_real h = last ? stop - t : st->h, to = last ? stop : t + h;
        if (to <= t) return SENS_STEP_UNDERFLOW;
        const sens_status status = trial(st, t, h);
        if (sens_fatal(status)) return status;
        const sens_real size = status == SENS_OK ? error(st, h) : INFINITY;
        if (!(size <= 1)) { /* the first slopes stay */
            st->ready = st->ready || status == SENS_OK;
            st->h = h * (isfinite(size) ? fmax(SENS_C(0.2), SENS_C(0.9) / cbrt(size)) : SENS_C(0.2));
            work->rejects++;
            continue;
        }
        if (listener->step) listener->step(listener->self, t, h, to);
        add_integral(st, t, h);
        memcpy(st->x, st->Y, st->n * sizeof *st->x);
        memcpy(st->S, st->sigma, st->n * st->q * sizeof *st->S);
        memcpy(st->K, st->K + 3 * st->n, st->n * sizeof *st->K);
        memcpy(st->Z, st->Z + 3 * st->n * st->q, st->n * st->q * sizeof *st->Z);
        st->ready = true;
        const sens_real next =
            h * fmin(SENS_C(5.0), fmax(SENS_C(0.2), SENS_C(0.9) / cbrt(fmax(size, SENS_C(1e-9)))));
        st->h = last && st->h > h ? fmax(next, next) : next;
        work->steps++;
        t = to;
    }
    (void)ctx;
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
    if (!KEEPS_SLOPE) st->ready = false;
    if (!KEEPS_STEP) st->h = (pb->t1 - pb->t0) * SENS_C(1e-3);
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
    } const parts[] = {{&st->x, n},         {&st->S, n * q},   {&st->F, n * np},      {&st->G, m},
                       {&st->dG, m * q},    {&st->g_x, n * m}, {&st->g_p, np * m},    {&st->Y, n},
                       {&st->sigma, n * q}, {&st->node, n},    {&st->tangent, n * q}, {&st->K, 4 * n},
                       {&st->Z, 4 * n * q}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(*parts[i].to = SENS_NEW(ctx, sens_real, parts[i].count))) return SENS_NO_MEMORY;
    st->h = (task->problem->t1 - task->problem->t0) * SENS_C(1e-3);
    *made = st;
    return SENS_OK;
}

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "Bogacki-Shampine 3(2), own step control, with its tangent",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_TOLERANCE | SENS_CAP_STEPS,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
