/* The derivatives of the state with respect to all parameters and initial states, S = dx/dq, carried along by a
 * formula with steps of its own, and the cost that is observed and integrated on the way. The including file
 * defines struct own (what its formula keeps) before it includes this one, and advance behind it. */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

struct state {
    const struct sens_task *task;
    size_t n, np, m;
    size_t q, of_p;            /* directions: those of the parameters, of_p of them, then of initial states */
    sens_real *x, *S, *G, *dG; /* [n], [n][q], [m], [m][q], one behind the other */
    sens_real *F;              /* [n][np] */
    sens_real *g_x, *g_p;      /* [n][m], [np][m] */
    struct own own;
};

/* By the formula from t to stop, its steps counted in work->steps, work->rejects. */
static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work);

/* ---- the cost ------------------------------------------------------------------------------------------ */

/* dG += g_x V + g_p, which are zero afterwards */
static void add_cost(const struct state *st, const sens_real *V)
{
    sens_lanes_add_product(sens_dense_transposed(st->n, st->m, st->g_x),
                           (struct sens_lanes){.v = V, .step = st->q}, st->q, st->dG);
    for (size_t c = 0; c < st->m; c++)
        for (size_t k = 0; k < st->of_p; k++) st->dG[c * st->q + k] += st->g_p[k * st->m + c];
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

/* ---- the directions ------------------------------------------------------------------------------------ */

/* Z [n][q] += df/dp in the columns of the parameters */
static void add_p(const struct state *st, const struct sens_at *at, sens_real *Z)
{
    const struct sens_problem *pb = st->task->problem;
    memset(st->F, 0, st->n * st->np * sizeof *st->F);
    pb->type->jvp_p_cols(pb, at, 0, st->of_p, st->F);
    for (size_t i = 0; i < st->n; i++)
        for (size_t k = 0; k < st->of_p; k++) Z[i * st->q + k] += st->F[i * st->np + k];
}

/* K = f, Z = J V + df/dp at (t, x) */
static inline sens_status slopes(const struct state *st, sens_real t, const sens_real *x, const sens_real *V,
                                 sens_real *K, sens_real *Z)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at at = {t, x, pb->p};
    const sens_status status = pb->type->rhs(pb, &at, K);
    if (status != SENS_OK) return status;
    pb->type->jvp(pb, &at, st->q, V, Z);
    add_p(st, &at, Z);
    return SENS_OK;
}

static void start(struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    memset(st->x, 0, (st->n + st->m) * (1 + st->q) * sizeof *st->x);
    memset(st->F, 0, st->n * st->np * sizeof *st->F);
    sens_problem_x0(pb, pb->p, st->x);
    if (sens_problem_x0_depends(pb)) pb->type->x0_jvp_cols(pb, pb->p, 0, st->np, st->F);
    for (size_t i = 0; i < st->n; i++) {
        for (size_t k = 0; k < st->of_p; k++) st->S[i * st->q + k] = st->F[i * st->np + k];
        if (st->of_p < st->q) st->S[i * st->q + st->of_p + i] = 1;
    }
}

/* Equal steps from t to stop, about `steps` of them from t0 to t1: their number; h is the length of each. */
static inline long equal_steps(const struct state *st, double steps, sens_real t, sens_real stop,
                               sens_real *h)
{
    const struct sens_problem *pb = st->task->problem;
    const sens_real share = (sens_real)steps * (stop - t) / (pb->t1 - pb->t0);
    const long count = share > 1 ? (long)(share + SENS_C(0.5)) : 1;
    *h = (stop - t) / (sens_real)count;
    return count;
}

/* ---- a solve ------------------------------------------------------------------------------------------- */

static bool all_finite(size_t count, const sens_real *v)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

/* x, G and dG at t1. */
static sens_status carry(struct sens_ctx *ctx, struct state *st, struct sens_work *work)
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
        if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
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
    const sens_status status = carry(ctx, st, work);
    if (status != SENS_OK) return status;
    memcpy(out->x, st->x, n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t c = 0; c < st->m; c++) {
        if (out->dGdp) memcpy(out->dGdp + c * np, st->dG + c * st->q, np * sizeof *out->dGdp);
        if (out->dGdx0) memcpy(out->dGdx0 + c * n, st->dG + c * st->q + st->of_p, n * sizeof *out->dGdx0);
    }
    return SENS_OK;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

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

/* Whose directions are carried; there is room for all. */
static void choose(struct state *st, bool of_p, bool of_x0)
{
    st->of_p = of_p ? st->np : 0;
    st->q = st->of_p + (of_x0 ? st->n : 0);
    st->S = st->x + st->n, st->G = st->S + st->n * st->q, st->dG = st->G + st->m;
}

/* All but what is the formula's; all directions. */
static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, struct state **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m;
    *st = (struct state){.task = task, .n = n, .np = np, .m = m};
    const struct room room[] = {
        {&st->x, (n + m) * (1 + np + n)}, {&st->F, n * np}, {&st->g_x, n * m}, {&st->g_p, np * m}};
    const sens_status status = allocate(ctx, sizeof room / sizeof *room, room);
    if (status == SENS_OK) choose(st, true, true);
    *made = st;
    return status;
}
