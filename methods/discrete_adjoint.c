/* Discrete adjoint of an explicit Runge-Kutta solve: the exact derivative of the discrete map on its accepted
 * grid.
 *
 * For every step, backwards, and every lane of lambda = (dG/dx)^T after the step:
 *
 *     kappa_i = h (b_i lambda + sum_{j>i} a_ji theta_j),       i = s ... 1
 *     theta_i = (df/dx)(t_i, Y_i)^T kappa_i + h b_i (dg/dx)(t_i, Y_i)
 *     lambda += sum_i theta_i,       mu += sum_i (df/dp)(t_i, Y_i)^T kappa_i + h b_i (dg/dp)(t_i, Y_i)
 *
 * (Hager, Numer. Math. 87 (2000), without the division by b_i; Martins & Lakshtanov, arXiv 2410.01911,
 * section 3.) Outputs travel in lanes: a block of L outputs shares every stage state. The points (t_i, Y_i,
 * kappa_i) of a group of blocks are collected, and K of them at a time go through the parameter product,
 * whose inner dimension is then K: updating the np x L gradient at every stage would be bound by memory. A
 * stage that no output depends on (the last one of an FSAL pair) is left out. */
#include <string.h>

#include "blocks.h"
#include "erk/erk.h"
#include "erk/pool.h"
#include "sens/method.h"

enum { AUTO_BATCH = 32, GROUP_BYTES = 1 << 20, MAX_TERMS = 32 };

struct row { /* the nonzero a_ji, j > i, of a live stage i */
    bool live;
    int terms;
    int stage[MAX_TERMS];
    sens_real a[MAX_TERMS];
};

struct worker {
    struct sens_traj *traj; /* this worker's reader; the first reads the trajectory itself */
    sens_real *x_after;     /* [n] state after the step at hand */
    sens_real *lambda;      /* [group][n][L] */
    sens_real *theta;       /* [s][n][L], of one block at a time */
    sens_real *mu;          /* [group][np][L] */
    size_t points;          /* collected so far, < K + s */
    sens_real *t;           /* [K] */
    sens_real *Y;           /* [K][n] */
    sens_real *kappa;       /* [group][K][n][L] */
    sens_status status;
};

struct adjoint {
    const struct sens_task *task;
    size_t n, np, m, L, K; /* K: capacity of a batch, at least the number of stages */
    size_t blocks, group;  /* blocks in all; blocks that travel together */
    int threads, stages;
    struct row *row; /* [stages] */
    struct sens_stops stops;
    struct sens_traj *traj;
    struct sens_pool *pool;
    struct worker *worker;      /* [threads] */
    sens_real *x0, *x1;         /* [n] */
    sens_real *G;               /* [m] */
    const struct sens_out *out; /* of the run at hand */
};

/* ---- one step of one block ----------------------------------------------------------------------------- */

static void reverse_stage(const struct adjoint *ad, const struct worker *w, size_t b, size_t c0,
                          const struct sens_step *step, int i, struct sens_at at, sens_real *kappa)
{
    const struct sens_task *task = ad->task;
    const size_t block = ad->n * ad->L;
    const struct row *row = &ad->row[i];
    const sens_real hb = step->h * task->tableau->b[i];
    sens_real c[MAX_TERMS];
    const sens_real *v[MAX_TERMS];
    for (int j = 0; j < row->terms; j++) {
        c[j] = step->h * row->a[j];
        v[j] = w->theta + (size_t)row->stage[j] * block;
    }
    sens_blocks_combine(block, hb, w->lambda + b * block, row->terms, c, v, kappa);
    sens_real *theta = w->theta + (size_t)i * block;
    task->problem->type->vjp(task->problem, at, ad->L, kappa, theta);
    if (hb == 0) return; /* no part of the quadrature */
    if (task->cost->type->g_dx) task->cost->type->g_dx(task->cost, at, hb, c0, ad->L, theta);
    if (task->cost->type->g_dp && w->mu)
        task->cost->type->g_dp(task->cost, at, hb, c0, ad->L, w->mu + b * ad->np * ad->L);
}

static void reverse_block(const struct adjoint *ad, const struct worker *w, size_t b, size_t c0,
                          const struct sens_step *step)
{
    const size_t block = ad->n * ad->L;
    const struct sens_tableau *tb = ad->task->tableau;
    sens_real *kappa = w->kappa + (b * ad->K + w->points) * block;
    for (int i = ad->stages - 1; i >= 0; i--) {
        if (!ad->row[i].live) continue;
        const struct sens_at at = {sens_stage_time(tb, step->t, step->h, i), step->Y + (size_t)i * ad->n,
                                   ad->task->problem->p};
        reverse_stage(ad, w, b, c0, step, i, at, kappa);
        kappa += block;
    }
    sens_real *restrict lambda = w->lambda + b * block;
    for (int i = ad->stages - 1; i >= 0; i--) {
        const sens_real *restrict theta = w->theta + (size_t)i * block;
        if (ad->row[i].live)
            for (size_t q = 0; q < block; q++) lambda[q] += theta[q];
    }
}

/* The points of a step, in the order in which reverse_block stores their kappa. */
static void collect_points(const struct adjoint *ad, struct worker *w, const struct sens_step *step)
{
    for (int i = ad->stages - 1; i >= 0; i--) {
        if (!ad->row[i].live) continue;
        w->t[w->points] = sens_stage_time(ad->task->tableau, step->t, step->h, i);
        memcpy(w->Y + w->points * ad->n, step->Y + (size_t)i * ad->n, ad->n * sizeof *w->Y);
        w->points++;
    }
}

static void flush_points(const struct adjoint *ad, struct worker *w, size_t blocks)
{
    const struct sens_problem *pb = ad->task->problem;
    if (w->mu && w->points)
        for (size_t b = 0; b < blocks; b++)
            pb->type->vjp_p_batch(pb, w->points, w->t, w->Y, pb->p, ad->L,
                                  w->kappa + b * ad->K * ad->n * ad->L, w->mu + b * ad->np * ad->L);
    w->points = 0;
}

/* ---- one group of blocks, from t1 to t0 ---------------------------------------------------------------- */

static void observe(const struct adjoint *ad, const struct worker *w, size_t first, size_t blocks, size_t j,
                    const sens_real *x)
{
    const struct sens_cost *cost = ad->task->cost;
    const sens_real *p = ad->task->problem->p;
    for (size_t b = 0; b < blocks; b++) {
        const size_t c0 = (first + b) * ad->L;
        cost->type->phi_dx(cost, j, x, p, c0, ad->L, w->lambda + b * ad->n * ad->L);
        if (cost->type->phi_dp && w->mu)
            cost->type->phi_dp(cost, j, x, p, c0, ad->L, w->mu + b * ad->np * ad->L);
    }
}

static sens_status write_gradients(const struct adjoint *ad, const struct worker *w, size_t first,
                                   size_t blocks)
{
    const struct sens_problem *pb = ad->task->problem;
    if (!sens_blocks_finite(blocks * ad->n * ad->L, w->lambda)) return SENS_DIVERGED;
    for (size_t b = 0; b < blocks; b++) {
        const size_t c0 = (first + b) * ad->L;
        const size_t width = ad->m - c0 < ad->L ? ad->m - c0 : ad->L;
        const sens_real *lambda = w->lambda + b * ad->n * ad->L;
        if (w->mu) {
            sens_real *mu = w->mu + b * ad->np * ad->L;
            if (sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, pb->p, ad->L, lambda, mu);
            if (!sens_blocks_finite(ad->np * ad->L, mu)) return SENS_DIVERGED;
            sens_blocks_to_rows(ad->np, ad->L, width, mu, ad->out->dGdp + c0 * ad->np);
        }
        if (ad->out->dGdx0) sens_blocks_to_rows(ad->n, ad->L, width, lambda, ad->out->dGdx0 + c0 * ad->n);
    }
    return SENS_OK;
}

static sens_status reverse_group(const struct adjoint *ad, struct worker *w, size_t first, size_t blocks)
{
    memset(w->lambda, 0, blocks * ad->n * ad->L * sizeof *w->lambda);
    if (w->mu) memset(w->mu, 0, blocks * ad->np * ad->L * sizeof *w->mu);
    memcpy(w->x_after, ad->x1, ad->n * sizeof *w->x_after);
    w->points = 0;
    for (long k = sens_traj_steps(ad->traj) - 1; k >= 0; k--) {
        struct sens_step step;
        const sens_status status = sens_traj_load(w->traj, k, &step);
        if (status != SENS_OK) return status;
        if (step.stop >= 0 && ad->stops.obs[step.stop] >= 0)
            observe(ad, w, first, blocks, (size_t)ad->stops.obs[step.stop], w->x_after);
        if (w->points + (size_t)ad->stages > ad->K) flush_points(ad, w, blocks);
        for (size_t b = 0; b < blocks; b++) reverse_block(ad, w, b, (first + b) * ad->L, &step);
        collect_points(ad, w, &step);
        memcpy(w->x_after, step.y, ad->n * sizeof *w->x_after);
    }
    flush_points(ad, w, blocks);
    if (ad->stops.obs_at_t0 >= 0) observe(ad, w, first, blocks, (size_t)ad->stops.obs_at_t0, ad->x0);
    return write_gradients(ad, w, first, blocks);
}

/* A worker's share of the blocks is contiguous, and depends on nothing but its number. */
static void reverse_share(void *self, int number)
{
    const struct adjoint *ad = self;
    struct worker *w = &ad->worker[number];
    const size_t workers = (size_t)ad->threads, rank = (size_t)number;
    const size_t last = ad->blocks * (rank + 1) / workers;
    w->status = SENS_OK;
    for (size_t first = ad->blocks * rank / workers; first < last && w->status == SENS_OK; first += ad->group)
        w->status = reverse_group(ad, w, first, last - first < ad->group ? last - first : ad->group);
}

/* ---- prepare and run ----------------------------------------------------------------------------------- */

/* Stage i is live when b_i or any a_ji of a live stage j > i is nonzero. */
static sens_status find_live_stages(struct sens_ctx *ctx, struct adjoint *ad)
{
    const struct sens_tableau *tb = ad->task->tableau;
    if (tb->stages > MAX_TERMS) return sens_fail(ctx, SENS_UNSUPPORTED, "more than %d stages", MAX_TERMS);
    ad->row = SENS_NEW(ctx, struct row, (size_t)tb->stages);
    if (!ad->row) return SENS_NO_MEMORY;
    for (int i = tb->stages - 1; i >= 0; i--) {
        struct row *row = &ad->row[i];
        for (int j = tb->stages - 1; j > i; j--)
            if (ad->row[j].live && sens_tableau_a(tb, j, i) != 0) {
                row->stage[row->terms] = j;
                row->a[row->terms++] = sens_tableau_a(tb, j, i);
            }
        row->live = row->terms > 0 || tb->b[i] != 0;
    }
    return SENS_OK;
}

/* As many blocks travel together as keep their cotangents within GROUP_BYTES of cache. */
static void choose_sizes(struct adjoint *ad)
{
    const struct sens_task *task = ad->task;
    const size_t stages = (size_t)ad->stages;
    ad->L = sens_blocks_lanes(task->lanes, ad->m);
    ad->blocks = (ad->m + ad->L - 1) / ad->L;
    ad->threads = task->threads > 0 ? task->threads : 1;
    if ((size_t)ad->threads > ad->blocks) ad->threads = (int)ad->blocks; /* more would have nothing to do */
    const size_t vector = ad->n * ad->L * sizeof(sens_real);
    size_t batch = task->batch > 0 ? (size_t)task->batch : AUTO_BATCH;
    while (task->batch <= 0 && batch > stages && batch * vector > GROUP_BYTES / 2) batch /= 2;
    ad->K = batch > stages ? batch : stages;
    ad->group = GROUP_BYTES / ((ad->K + stages + 1) * vector);
    if (ad->group < 1) ad->group = 1;
    if (ad->group > ad->blocks) ad->group = ad->blocks;
}

static sens_status create_worker(struct sens_ctx *ctx, struct adjoint *ad, struct worker *w)
{
    const size_t vector = ad->n * ad->L;
    const bool wrt_p = ad->task->wrt & SENS_WRT_P;
    w->x_after = SENS_NEW(ctx, sens_real, ad->n);
    w->lambda = SENS_NEW(ctx, sens_real, ad->group * vector);
    w->theta = SENS_NEW(ctx, sens_real, (size_t)ad->stages * vector);
    w->mu = wrt_p ? SENS_NEW(ctx, sens_real, ad->group * ad->np * ad->L) : NULL;
    w->t = SENS_NEW(ctx, sens_real, ad->K);
    w->Y = SENS_NEW(ctx, sens_real, ad->K * ad->n);
    w->kappa = SENS_NEW(ctx, sens_real, ad->group * ad->K * vector);
    if (!w->x_after || !w->lambda || !w->theta || (wrt_p && !w->mu) || !w->t || !w->Y || !w->kappa)
        return SENS_NO_MEMORY;
    w->traj = ad->traj;
    return w == ad->worker ? SENS_OK : sens_traj_reader(ctx, ad->traj, &w->traj);
}

static sens_status create_workers(struct sens_ctx *ctx, struct adjoint *ad)
{
    ad->worker = SENS_NEW(ctx, struct worker, (size_t)ad->threads);
    ad->x0 = SENS_NEW(ctx, sens_real, ad->n);
    ad->x1 = SENS_NEW(ctx, sens_real, ad->n);
    ad->G = SENS_NEW(ctx, sens_real, ad->m);
    if (!ad->worker || !ad->x0 || !ad->x1 || !ad->G) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (int i = 0; i < ad->threads && status == SENS_OK; i++)
        status = create_worker(ctx, ad, &ad->worker[i]);
    return status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct adjoint *ad = SENS_NEW(ctx, struct adjoint, 1);
    if (!ad) return SENS_NO_MEMORY;
    *ad = (struct adjoint){.task = task, .n = task->problem->n, .np = task->problem->np, .m = task->cost->m};
    ad->stages = task->tableau->stages;
    choose_sizes(ad);
    sens_status status = find_live_stages(ctx, ad);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &ad->stops);
    if (status == SENS_OK) status = sens_traj_create(ctx, task, &ad->stops, &ad->traj);
    if (status == SENS_OK) status = create_workers(ctx, ad);
    if (status == SENS_OK) status = sens_pool_create(ctx, ad->threads, &ad->pool);
    if (status == SENS_OK) *state = ad;
    return status;
}

static void write_work(const struct adjoint *ad, const struct sens_erk_stats *stats, const double time[3],
                       struct sens_work *work)
{
    *work = (struct sens_work){.steps = stats->steps,
                               .rejects = stats->rejects,
                               .t_forward = time[1] - time[0],
                               .t_reverse = time[2] - time[1],
                               .bytes_traj = sens_traj_bytes(ad->traj),
                               .lanes = (int)ad->L,
                               .threads = ad->threads,
                               .batch = (int)ad->K};
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct adjoint *ad = state;
    const struct sens_problem *pb = ad->task->problem;
    struct sens_erk_stats stats;
    double time[3] = {sens_now(ctx), 0, 0};
    sens_problem_x0(pb, pb->p, ad->x0);
    sens_status status = sens_traj_solve(ctx, ad->traj, ad->x0, pb->p, ad->x1, ad->G, &stats);
    if (status == SENS_OK && !sens_blocks_finite(ad->m, ad->G)) status = SENS_DIVERGED;
    if (status != SENS_OK) return status;
    time[1] = sens_now(ctx);
    ad->out = out;
    sens_pool_run(ad->pool, reverse_share, ad);
    for (int i = 0; i < ad->threads; i++)
        if (ad->worker[i].status != SENS_OK) return ad->worker[i].status;
    time[2] = sens_now(ctx);
    sens_traj_report(ad->traj);
    memcpy(out->x, ad->x1, ad->n * sizeof *out->x);
    memcpy(out->G, ad->G, ad->m * sizeof *out->G);
    write_work(ad, &stats, time, work);
    return SENS_OK;
}

static void release(void *state)
{
    struct adjoint *ad = state;
    sens_pool_release(ad->pool);
}

SENS_METHOD(discrete_adjoint) = {
    .name = "discrete_adjoint",
    .summary =
        "reverse sweep through the Runge-Kutta steps taken, outputs in lanes, batched parameter gradient",
    .reference = "Hager, Numer. Math. 87 (2000) 247-282; Martins & Lakshtanov, arXiv 2410.01911",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_CKPT | SENS_CAP_LANES |
            SENS_CAP_THREADS | SENS_CAP_BATCH | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS |
            SENS_CAP_STEPS,
    .prepare = prepare,
    .run = run,
    .release = release,
};
