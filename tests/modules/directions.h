/* The derivatives of the state with respect to all parameters and initial states, S = dx/dq, carried along by a
 * formula with steps of its own, and the cost that is observed and integrated on the way. The including file
 * defines struct own (what its formula keeps) before it includes this one, and advance behind it. */
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

/* ---- the directions ------------------------------------------------------------------------------------ */

/* Z [n][q] += df/dp in the columns of the parameters */
static void add_p(const struct state *st, const struct sens_at *at, sens_real *Z)
{
    const struct sens_problem *pb = st->task->problem;
    memset(st->F, 0, st->n * st->np * sizeof *st->F);
    pb->type->jvp_p_cols(pb, at, 0, st->np, st->F);
    for (size_t i = 0; i < st->n; i++)
        for (size_t k = 0; k < st->np; k++) Z[i * st->q + k] += st->F[i * st->np + k];
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
    const sens_status status = carry(ctx, st, work);
    if (status != SENS_OK) return status;
    memcpy(out->x, st->x, n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t c = 0; c < st->m; c++) {
        if (out->dGdp) memcpy(out->dGdp + c * np, st->dG + c * st->q, np * sizeof *out->dGdp);
        if (out->dGdx0) memcpy(out->dGdx0 + c * n, st->dG + c * st->q + np, n * sizeof *out->dGdx0);
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

/* All but what is the formula's. */
static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, struct state **made)
{
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m, q = np + n;
    *st = (struct state){.task = task, .n = n, .np = np, .m = m, .q = q};
    const struct room room[] = {{&st->x, n},      {&st->S, n * q},   {&st->F, n * np},  {&st->G, m},
                                {&st->dG, m * q}, {&st->g_x, n * m}, {&st->g_p, np * m}};
    *made = st;
    return allocate(ctx, sizeof room / sizeof *room, room);
}
