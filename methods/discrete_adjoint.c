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
 * section 3.) Outputs travel in lanes: a block of L outputs shares every stage state, and a group of blocks
 * goes through the steps together, so that what depends on the point alone (the Jacobian, where the problem
 * declares it) is formed once for all of them. The points (t_i, Y_i, kappa_i) are collected, and K of them at
 * a time go through the parameter product (batch.h). A stage that no output depends on (the last one of an
 * FSAL pair) is left out. */
#include <string.h>

#include "batch.h"
#include "blocks.h"
#include "erk/erk.h"
#include "erk/pool.h"
#include "products.h"
#include "sens/method.h"

enum {
    AUTO_BATCH = 64,
    SECOND_LEVEL = 1 << 20, /* bytes of cache, where the machine's are not known */
    THIRD_LEVEL = 1 << 24,
    MAX_TERMS = 32,
    LEAST_LANES = 4,
    FEW_STATES = 8
};

struct row { /* kappa_i of a live stage i: the weights of lambda (where b_i is not 0) and of theta_j, j > i */
    bool live, lambda;
    int terms;
    int stage[MAX_TERMS]; /* of the terms after lambda */
    sens_real weight[MAX_TERMS + 1];
};

struct worker {
    struct sens_traj *traj; /* this worker's reader; the first reads the trajectory itself */
    struct sens_products *products;
    struct sens_batch *batch; /* NULL unless dG/dp is asked for */
    size_t point;             /* number of the stage at hand in the batch */
    size_t first, last;       /* its outputs */
    struct sens_at *at;       /* [stages] points of the step at hand */
    sens_real *x_after;       /* [n] state after the step at hand */
    sens_real *lambda;        /* [group][n][L] */
    sens_real *theta;         /* [group][s][n][L] */
    sens_real *kappa;         /* [n][L] where no batch keeps it */
    sens_real *mu;            /* [group][np][L]; NULL unless dG/dp is asked for */
    sens_status status;
};

struct adjoint {
    const struct sens_task *task;
    size_t n, np, m, L, K; /* K: capacity of a batch, at least the number of stages */
    size_t group;          /* blocks that travel together, at most */
    size_t unit;           /* outputs are shared out to the threads by so many */
    int threads, stages, live_stages;
    struct row *row; /* [stages] */
    struct sens_stops stops;
    struct sens_traj *traj;
    struct sens_pool *pool;
    struct worker *worker;      /* [threads] */
    sens_real *x0, *x1;         /* [n] */
    sens_real *G;               /* [m] */
    const struct sens_out *out; /* of the run at hand */
};

struct block { /* outputs c0 ... of a group; L lanes, the last of which may be past m */
    size_t b, c0, L;
};

/* Block b of the group that starts with output `first` of a share that ends before `last`. */
static struct block block_of(const struct adjoint *ad, size_t first, size_t last, size_t b)
{
    const size_t c0 = first + b * ad->L, rest = last - c0;
    const size_t whole = (rest + LEAST_LANES - 1) / LEAST_LANES * LEAST_LANES;
    return (struct block){b, c0, whole < ad->L && ad->n > FEW_STATES ? whole : ad->L};
}

/* ---- one step of a group ------------------------------------------------------------------------------- */

static sens_real *lambda_of(const struct adjoint *ad, const struct worker *w, size_t b)
{
    return w->lambda + b * ad->n * ad->L;
}

static sens_real *theta_of(const struct adjoint *ad, const struct worker *w, const struct block *block, int i)
{
    return w->theta + block->b * (size_t)ad->stages * ad->n * ad->L + (size_t)i * ad->n * block->L;
}

static sens_real *mu_of(const struct adjoint *ad, const struct worker *w, size_t b)
{
    return w->mu ? w->mu + b * ad->np * ad->L : NULL;
}

/* The points of a step, written some time before they are handed to functions by value: a copy right after
 * the write would wait for it. */
static void find_points(const struct adjoint *ad, struct worker *w, const struct sens_step *step)
{
    for (int i = 0; i < ad->stages; i++)
        w->at[i] = (struct sens_at){sens_stage_time(ad->task->tableau, step->t, step->h, i),
                                    step->Y + (size_t)i * ad->n, ad->task->problem->p};
}

/* kappa_i and theta_i of one block. */
static void reverse_stage(const struct adjoint *ad, struct worker *w, const struct block *block,
                          const struct sens_step *step, int i)
{
    const struct sens_cost *cost = ad->task->cost;
    const sens_real hb = step->h * ad->task->tableau->b[i];
    sens_real *kappa = w->batch ? sens_batch_slot(w->batch, w->point, block->b, block->L) : w->kappa;
    sens_real *theta = theta_of(ad, w, block, i);
    const struct row *row = &ad->row[i];
    const sens_real *v[MAX_TERMS + 1];
    v[0] = lambda_of(ad, w, block->b);
    for (int j = row->lambda ? 1 : 0; j < row->terms; j++) v[j] = theta_of(ad, w, block, row->stage[j]);
    sens_products_stage(w->products, block->L, row->terms, step->h, row->weight, v, kappa, theta);
    if (hb == 0) return; /* no part of the quadrature */
    if (cost->type->g_dx) cost->type->g_dx(cost, w->at[i], hb, block->c0, block->L, theta);
    if (cost->type->g_dp && w->mu)
        cost->type->g_dp(cost, w->at[i], hb, block->c0, block->L, mu_of(ad, w, block->b));
}

/* lambda += sum_i theta_i */
static void add_stages(const struct adjoint *ad, const struct worker *w, const struct block *block)
{
    sens_real weight[MAX_TERMS + 1];
    const sens_real *v[MAX_TERMS + 1];
    int terms = 1;
    weight[0] = 1, v[0] = lambda_of(ad, w, block->b);
    for (int i = ad->stages - 1; i >= 0; i--)
        if (ad->row[i].live) weight[terms] = 1, v[terms++] = theta_of(ad, w, block, i);
    sens_lanes_combine(ad->n * block->L, terms, 1, weight, v, lambda_of(ad, w, block->b));
}

/* One stage after the other, each for all blocks: its Jacobian is used up while it is in the cache. */
static void reverse_step(const struct adjoint *ad, struct worker *w, size_t first, size_t blocks,
                         const struct sens_step *step)
{
    find_points(ad, w, step);
    for (int i = ad->stages - 1; i >= 0; i--) {
        if (!ad->row[i].live) continue;
        sens_products_at(w->products, w->at[i]);
        if (w->batch) w->point = sens_batch_point(w->batch, w->at[i]);
        for (size_t b = 0; b < blocks; b++) {
            const struct block block = block_of(ad, first, w->last, b);
            reverse_stage(ad, w, &block, step, i);
        }
    }
    for (size_t b = 0; b < blocks; b++) {
        const struct block block = block_of(ad, first, w->last, b);
        add_stages(ad, w, &block);
    }
}

static void flush_points(const struct adjoint *ad, struct worker *w, size_t first, size_t blocks)
{
    if (!w->batch) return;
    for (size_t b = 0; b < blocks; b++) {
        const struct block block = block_of(ad, first, w->last, b);
        sens_batch_add(w->batch, ad->task->problem->p, b, block.L, mu_of(ad, w, b));
    }
    sens_batch_clear(w->batch);
}

/* ---- one group of blocks, from t1 to t0 ---------------------------------------------------------------- */

static void observe(const struct adjoint *ad, const struct worker *w, size_t first, size_t blocks, size_t j,
                    const sens_real *x)
{
    const struct sens_cost *cost = ad->task->cost;
    const sens_real *p = ad->task->problem->p;
    for (size_t b = 0; b < blocks; b++) {
        const struct block block = block_of(ad, first, w->last, b);
        cost->type->phi_dx(cost, j, x, p, block.c0, block.L, lambda_of(ad, w, b));
        if (cost->type->phi_dp && w->mu)
            cost->type->phi_dp(cost, j, x, p, block.c0, block.L, mu_of(ad, w, b));
    }
}

static sens_status write_gradients(const struct adjoint *ad, const struct worker *w, size_t first,
                                   size_t blocks)
{
    const struct sens_problem *pb = ad->task->problem;
    for (size_t b = 0; b < blocks; b++) {
        const struct block block = block_of(ad, first, w->last, b);
        const size_t L = block.L, c0 = block.c0, width = w->last - c0 < L ? w->last - c0 : L;
        const sens_real *lambda = lambda_of(ad, w, b);
        if (w->mu) {
            sens_real *mu = mu_of(ad, w, b);
            if (sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, pb->p, L, lambda, mu);
            if (!sens_lanes_to_rows(ad->np, L, width, mu, ad->out->dGdp + c0 * ad->np)) return SENS_DIVERGED;
        }
        sens_real *rows = ad->out->dGdx0 ? ad->out->dGdx0 + c0 * ad->n : w->kappa;
        if (!sens_lanes_to_rows(ad->n, L, width, lambda, rows)) return SENS_DIVERGED;
    }
    return SENS_OK;
}

static sens_status reverse_group(const struct adjoint *ad, struct worker *w, size_t first, size_t blocks)
{
    memset(w->lambda, 0, blocks * ad->n * ad->L * sizeof *w->lambda);
    if (w->mu) memset(w->mu, 0, blocks * ad->np * ad->L * sizeof *w->mu);
    if (w->batch) sens_batch_clear(w->batch);
    memcpy(w->x_after, ad->x1, ad->n * sizeof *w->x_after);
    for (long k = sens_traj_steps(ad->traj) - 1; k >= 0; k--) {
        struct sens_step step;
        const sens_status status = sens_traj_load(w->traj, k, &step);
        if (status != SENS_OK) return status;
        if (step.stop >= 0 && ad->stops.obs[step.stop] >= 0)
            observe(ad, w, first, blocks, (size_t)ad->stops.obs[step.stop], w->x_after);
        if (w->batch && sens_batch_full(w->batch, (size_t)ad->live_stages))
            flush_points(ad, w, first, blocks);
        reverse_step(ad, w, first, blocks, &step);
        memcpy(w->x_after, step.y, ad->n * sizeof *w->x_after);
    }
    flush_points(ad, w, first, blocks);
    if (ad->stops.obs_at_t0 >= 0) observe(ad, w, first, blocks, (size_t)ad->stops.obs_at_t0, ad->x0);
    return write_gradients(ad, w, first, blocks);
}

/* A worker's share of the outputs is contiguous, and depends on nothing but its number. */
static void reverse_share(void *self, int number)
{
    const struct adjoint *ad = self;
    struct worker *w = &ad->worker[number];
    w->status = SENS_OK;
    for (size_t c = w->first, blocks; c < w->last && w->status == SENS_OK; c += blocks * ad->L) {
        blocks = (w->last - c + ad->L - 1) / ad->L;
        if (blocks > ad->group) blocks = ad->group;
        w->status = reverse_group(ad, w, c, blocks);
    }
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
        row->lambda = tb->b[i] != 0;
        if (row->lambda) row->weight[row->terms++] = tb->b[i];
        for (int j = tb->stages - 1; j > i; j--)
            if (ad->row[j].live && sens_tableau_a(tb, j, i) != 0) {
                row->stage[row->terms] = j;
                row->weight[row->terms++] = sens_tableau_a(tb, j, i);
            }
        row->live = row->terms > 0;
        ad->live_stages += row->live;
    }
    return SENS_OK;
}

/* Eight lanes are two to four vectors of most instruction sets; half of them where more would be padding, but
 * not where so few states pass through a stage in registers. */
static size_t auto_lanes(size_t m, size_t n)
{
    return m <= LEAST_LANES && n > FEW_STATES ? LEAST_LANES : 8;
}

static void choose_lanes(struct adjoint *ad)
{
    const struct sens_task *task = ad->task;
    ad->L = task->lanes > 0 ? (size_t)task->lanes : auto_lanes(ad->m, ad->n);
    /* Where J is formed, a lane's bits do not depend on its neighbours: shares may then end inside a block.
     */
    const bool formed = sens_products_formed(task->problem, ad->m);
    ad->unit = formed && ad->L > LEAST_LANES ? LEAST_LANES : ad->L;
}

/* Threads that the reverse sweep can keep busy: each has to be worth waking. Rates are those of one core. */
static int auto_threads(const struct adjoint *ad, int cores)
{
    const double dense_rate = 3e10, sparse_rate = 3e9,
                 worth = 1e-4; /* operations and numbers a second, seconds */
    const double points = (double)sens_traj_steps(ad->traj) * ad->live_stages, n = (double)ad->n;
    const bool dense = sens_products_formed(ad->task->problem, ad->m) && !ad->task->problem->sparsity;
    const double lane = dense ? 4 * n * n / dense_rate : (double)ad->live_stages * n / sparse_rate;
    const double threads = points * (double)ad->m * lane / worth;
    return threads < 2 ? 1 : threads < cores ? (int)threads : cores;
}

/* As many blocks travel together as keep their cotangents within the cache: the third level where they share
 * a Jacobian, which is worth the way, else the second. */
static void choose_sizes(struct adjoint *ad, const struct sens_ctx *ctx)
{
    const struct sens_task *task = ad->task;
    const size_t stages = (size_t)ad->stages, units = (ad->m + ad->unit - 1) / ad->unit;
    ad->threads = task->threads > 0 ? task->threads : ctx->cores > 1 ? auto_threads(ad, ctx->cores) : 1;
    if ((size_t)ad->threads > units) ad->threads = (int)units; /* more would have nothing to do */
    const size_t vector = ad->n * ad->L * sizeof(sens_real);
    const size_t l2 = ctx->cache.l2 ? ctx->cache.l2 : SECOND_LEVEL,
                 l3 = ctx->cache.l3 ? ctx->cache.l3 : THIRD_LEVEL;
    const size_t budget = sens_products_formed(task->problem, ad->m) && l3 > l2 ? l3 : l2;
    size_t batch = task->batch > 0 ? (size_t)task->batch : AUTO_BATCH;
    while (task->batch <= 0 && batch > stages && batch * vector > budget / 2) batch /= 2;
    ad->K = batch > stages ? batch : stages;
    const size_t share = (units + (size_t)ad->threads - 1) / (size_t)ad->threads * ad->unit;
    const size_t blocks = (share + ad->L - 1) / ad->L;
    ad->group = budget / ((ad->K + stages + 1) * vector);
    if (ad->group < 1) ad->group = 1;
    if (ad->group > blocks) ad->group = blocks;
}

static sens_status create_worker(struct sens_ctx *ctx, struct adjoint *ad, int number)
{
    struct worker *w = &ad->worker[number];
    const size_t vector = ad->n * ad->L, workers = (size_t)ad->threads, rank = (size_t)number;
    const size_t units = (ad->m + ad->unit - 1) / ad->unit;
    const bool wrt_p = ad->task->wrt & SENS_WRT_P;
    w->first = units * rank / workers * ad->unit;
    w->last = rank + 1 < workers ? units * (rank + 1) / workers * ad->unit : ad->m;
    w->at = SENS_NEW(ctx, struct sens_at, (size_t)ad->stages);
    w->x_after = SENS_NEW(ctx, sens_real, ad->n);
    w->lambda = SENS_NEW(ctx, sens_real, ad->group * vector);
    w->theta = SENS_NEW(ctx, sens_real, ad->group * (size_t)ad->stages * vector);
    w->kappa = SENS_NEW(ctx, sens_real, vector);
    w->mu = wrt_p ? SENS_NEW(ctx, sens_real, ad->group * ad->np * ad->L) : NULL;
    if (!w->at || !w->x_after || !w->lambda || !w->theta || !w->kappa || (wrt_p && !w->mu))
        return SENS_NO_MEMORY;
    sens_status status = sens_products_create(ctx, ad->task->problem, SENS_VJP, ad->m, &w->products);
    if (status == SENS_OK && wrt_p)
        status = sens_batch_create(ctx, ad->task->problem, ad->K, ad->group, ad->L, &w->batch);
    w->traj = ad->traj;
    return status == SENS_OK && number > 0 ? sens_traj_reader(ctx, ad->traj, &w->traj) : status;
}

static sens_status create_workers(struct sens_ctx *ctx, struct adjoint *ad)
{
    ad->worker = SENS_NEW(ctx, struct worker, (size_t)ad->threads);
    ad->x0 = SENS_NEW(ctx, sens_real, ad->n);
    ad->x1 = SENS_NEW(ctx, sens_real, ad->n);
    ad->G = SENS_NEW(ctx, sens_real, ad->m);
    if (!ad->worker || !ad->x0 || !ad->x1 || !ad->G) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (int i = 0; i < ad->threads && status == SENS_OK; i++) status = create_worker(ctx, ad, i);
    return status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct adjoint *ad = SENS_NEW(ctx, struct adjoint, 1);
    if (!ad) return SENS_NO_MEMORY;
    *ad = (struct adjoint){.task = task, .n = task->problem->n, .np = task->problem->np, .m = task->cost->m};
    ad->stages = task->tableau->stages;
    choose_lanes(ad);
    sens_status status = find_live_stages(ctx, ad);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &ad->stops);
    if (status == SENS_OK) status = sens_traj_create(ctx, task, &ad->stops, &ad->traj);
    if (status != SENS_OK) return status;
    choose_sizes(ad, ctx);
    status = create_workers(ctx, ad);
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
    for (int i = 0; i < ad->threads; i++) {
        sens_products_count(ad->worker[i].products, work);
        if (ad->worker[i].batch) sens_batch_count(ad->worker[i].batch, work);
    }
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
