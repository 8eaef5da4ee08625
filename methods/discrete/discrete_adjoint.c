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

#include "adjoint_sizes.h"
#include "adjoint_stages.h"
#include "batch.h"
#include "pool.h"
#include "products.h"
#include "rules.h"
#include "sens/method.h"
#include "tangent_test.h"

struct block { /* outputs c0 ... in L lanes, the last of which may be past the share */
    size_t c0, L;
    sens_real *state;         /* lambda [n][L] and theta [s][n][L], each in the room of a whole block */
    struct sens_stage *stage; /* [live stages], in these vectors */
    const sens_real **lambda; /* of the sum that lambda becomes, in these vectors */
    sens_real *mu;            /* [np][L]; NULL unless dG/dp is asked for */
};

struct worker {
    struct sens_traj *traj; /* this worker's reader; the first reads the trajectory itself */
    struct sens_products *products;
    struct sens_batch *batch; /* NULL unless dG/dp is asked for */
    size_t point;             /* number in the batch of the first stage of the step at hand */
    sens_real *diagonal;      /* coupled only: [live stages][n] of the step at hand */
    size_t first, last;       /* its outputs */
    struct sens_at *at;       /* [live stages] points of the step at hand */
    sens_real *x_after;       /* [n] state after the step at hand, where that is a stop */
    size_t blocks;            /* of the group at hand */
    struct block *block;      /* [group] */
    sens_real *state;         /* [group][1 + s][n][L] */
    sens_real *kappa;         /* [together][n][L] where no batch keeps it, or beside what it keeps */
    sens_real *mu;            /* [group][np][L]; NULL unless dG/dp is asked for */
    bool fresh;               /* nothing has been written to mu in this group yet */
    sens_status status;
};

struct adjoint {
    const struct sens_task *task;
    size_t n, np, m;
    struct adjoint_sizes size;
    struct adjoint_stages stages;
    bool whole;   /* steps are taken as a whole */
    int together; /* stages taken together: all, or 1 */
    struct sens_stops stops;
    struct sens_tangent_test *test; /* NULL: the state alone chooses the steps */
    struct sens_traj *traj;
    struct sens_pool *pool;
    struct worker *worker;      /* [threads] */
    sens_real *x0, *x1;         /* [n] */
    sens_real *G;               /* [m] */
    sens_real *diagonal;        /* [steps][live stages][n]; NULL unless they are kept */
    const struct sens_out *out; /* of the run at hand */
};

/* The blocks of a group that starts with output `first`. */
static void cut_blocks(const struct adjoint *ad, struct worker *w, size_t first, size_t blocks)
{
    w->blocks = blocks;
    for (size_t b = 0; b < blocks; b++) {
        const size_t c0 = first + b * ad->size.L;
        w->block[b].c0 = c0;
        w->block[b].L = adjoint_lanes(&ad->size, w->last - c0);
    }
}

/* ---- one step of a group ------------------------------------------------------------------------------- */

/* The points of a step, in the order of its live stages. */
static void find_points(const struct adjoint *ad, struct worker *w, const struct sens_step *step)
{
    for (int s = 0; s < ad->stages.live; s++) {
        const int i = ad->stages.stage[s].i;
        w->at[s] = (struct sens_at){sens_stage_time(ad->task->tableau, step->t, step->h, i),
                                    step->Y + (size_t)i * ad->n, ad->task->problem->p};
    }
}

static void add_running_cost(const struct adjoint *ad, const struct worker *w, const struct block *block,
                             sens_real h, int s)
{
    const struct sens_cost *cost = ad->task->cost;
    const struct sens_at *at = &w->at[s];
    const sens_real hb = h * ad->task->tableau->b[ad->stages.stage[s].i];
    if (hb == 0) return; /* no part of the quadrature */
    if (cost->type->g_dx) cost->type->g_dx(cost, at, hb, block->c0, block->L, block->stage[s].theta);
    if (cost->type->g_dp && w->mu) cost->type->g_dp(cost, at, hb, block->c0, block->L, block->mu);
}

/* kappa_i and theta_i of block b, of the stages that are taken together from s on. */
static void reverse_stages(const struct adjoint *ad, struct worker *w, size_t b, sens_real h, int s)
{
    const struct block *block = &w->block[b];
    const struct sens_stage *stage = &block->stage[s];
    const size_t point = w->point + (size_t)s;
    const sens_real *factor = w->batch ? sens_batch_factor(w->batch, point) : NULL;
    sens_real *slot = w->batch ? sens_batch_slot(w->batch, point, b, block->L) : w->kappa;
    sens_real *lambda = ad->whole ? block->state : NULL; /* else add_stages does it */
    if (sens_products_coupled(w->products))
        sens_products_coupled_stage(w->products, block->L, stage, h, &w->at[s],
                                    w->diagonal + (size_t)s * ad->n, factor, slot);
    else if (factor)
        sens_products_scaled_stage(w->products, block->L, stage, h, factor, slot, w->kappa);
    else
        sens_products_stages(w->products, block->L, (size_t)ad->together, stage, h, slot, lambda);
    if (ad->task->cost->type->g) add_running_cost(ad, w, block, h, s); /* of one stage */
}

/* lambda += sum_i theta_i */
static void add_stages(const struct adjoint *ad, const struct block *block)
{
    const struct adjoint_sum *sum = &ad->stages.lambda;
    sens_lanes_combine(ad->n * block->L, sum->terms, 1, sum->weight, block->lambda, block->state);
}

/* One stage after the other, each for all blocks: its Jacobian is used up while it is in the cache. Those of
 * few states stay there: all stages at once save calls. */
static void stage_by_stage(const struct adjoint *ad, struct worker *w, sens_real h)
{
    for (int s = 0; s < ad->stages.live; s += ad->together) {
        sens_products_at_all(w->products, (size_t)ad->together, &w->at[s]);
        for (size_t b = 0; b < w->blocks; b++) reverse_stages(ad, w, b, h, s);
    }
    for (size_t b = 0; b < w->blocks && !ad->whole; b++) add_stages(ad, &w->block[b]);
}

/* The d of a step whose points are found. */
static void find_diagonals(const struct adjoint *ad, const struct worker *w, sens_real *d)
{
    const struct sens_problem *pb = ad->task->problem;
    for (int s = 0; s < ad->stages.live; s++, d += ad->n) pb->structure->diagonal(pb, &w->at[s], d);
}

static sens_real *diagonals_of(const struct adjoint *ad, long k)
{
    return ad->diagonal + (size_t)k * (size_t)ad->stages.live * ad->n;
}

/* One block after the other, each through all stages: there is no Jacobian to be used up, but the block's
 * vectors. */
static void block_by_block(const struct adjoint *ad, struct worker *w, long k, sens_real h)
{
    if (ad->diagonal)
        w->diagonal = diagonals_of(ad, k);
    else
        find_diagonals(ad, w, w->diagonal);
    for (size_t b = 0; b < w->blocks; b++) {
        for (int s = 0; s < ad->stages.live; s++) reverse_stages(ad, w, b, h, s);
        add_stages(ad, &w->block[b]);
    }
}

static void reverse_step(const struct adjoint *ad, struct worker *w, long k, const struct sens_step *step)
{
    find_points(ad, w, step);
    if (w->batch) w->point = sens_batch_points(w->batch, (size_t)ad->stages.live, w->at);
    if (sens_products_coupled(w->products))
        block_by_block(ad, w, k, step->h);
    else
        stage_by_stage(ad, w, step->h);
}

static void flush_points(const struct adjoint *ad, struct worker *w)
{
    if (!w->batch) return;
    sens_batch_close(w->batch);
    for (size_t b = 0; b < w->blocks; b++)
        sens_batch_add(w->batch, ad->task->problem->p, b, w->block[b].L, w->fresh, w->block[b].mu);
    sens_batch_clear(w->batch);
    w->fresh = false;
}

/* ---- one group of blocks, from t1 to t0 ---------------------------------------------------------------- */

static void observe(const struct adjoint *ad, const struct worker *w, size_t j, const sens_real *x)
{
    const struct sens_cost *cost = ad->task->cost;
    const sens_real *p = ad->task->problem->p;
    for (size_t b = 0; b < w->blocks; b++) {
        const struct block *block = &w->block[b];
        cost->type->phi_dx(cost, j, x, p, block->c0, block->L, block->state);
        if (cost->type->phi_dp && w->mu) cost->type->phi_dp(cost, j, x, p, block->c0, block->L, block->mu);
    }
}

static sens_status write_gradient(const struct adjoint *ad, const struct worker *w, const struct block *block)
{
    const struct sens_problem *pb = ad->task->problem;
    const struct sens_out *out = ad->out;
    const size_t L = block->L, c0 = block->c0, width = w->last - c0 < L ? w->last - c0 : L;
    if (w->mu) {
        if (sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, pb->p, L, block->state, block->mu);
        if (!sens_lanes_to_rows(ad->np, L, width, block->mu, out->dGdp + c0 * ad->np)) return SENS_DIVERGED;
    }
    sens_real *rows = out->dGdx0 ? out->dGdx0 + c0 * ad->n : w->kappa;
    return sens_lanes_to_rows(ad->n, L, width, block->state, rows) ? SENS_OK : SENS_DIVERGED;
}

static sens_status reverse_group(const struct adjoint *ad, struct worker *w)
{
    const struct sens_cost_type *cost = ad->task->cost->type;
    for (size_t b = 0; b < w->blocks; b++)
        memset(w->block[b].state, 0, ad->n * ad->size.L * sizeof *w->block[b].state); /* lambda */
    w->fresh = !cost->phi_dp && !cost->g_dp; /* else the cost adds to mu before the first batch does */
    if (w->mu && !w->fresh) memset(w->mu, 0, w->blocks * ad->np * ad->size.L * sizeof *w->mu);
    if (w->batch) sens_batch_clear(w->batch);
    memcpy(w->x_after, ad->x1, ad->n * sizeof *w->x_after);
    const long *stop = sens_traj_grid(ad->traj).stop;
    for (long k = sens_traj_steps(ad->traj) - 1; k >= 0; k--) {
        struct sens_step step;
        const sens_status status = sens_traj_load(w->traj, k, &step);
        if (status != SENS_OK) return status;
        if (step.stop >= 0 && ad->stops.obs[step.stop] >= 0)
            observe(ad, w, (size_t)ad->stops.obs[step.stop], w->x_after);
        if (w->batch && sens_batch_full(w->batch, (size_t)ad->stages.live)) flush_points(ad, w);
        reverse_step(ad, w, k, &step);
        if (k > 0 && stop[k - 1] >= 0) memcpy(w->x_after, step.y, ad->n * sizeof *w->x_after);
    }
    flush_points(ad, w);
    if (ad->stops.obs_at_t0 >= 0) observe(ad, w, (size_t)ad->stops.obs_at_t0, ad->x0);
    sens_status status = SENS_OK;
    for (size_t b = 0; b < w->blocks && status == SENS_OK; b++) status = write_gradient(ad, w, &w->block[b]);
    return status;
}

/* A worker's share of the steps, whose diagonals all workers will use. */
static void keep_diagonals(void *self, int number)
{
    const struct adjoint *ad = self;
    struct worker *w = &ad->worker[number];
    const long steps = sens_traj_steps(ad->traj), workers = ad->size.threads;
    w->status = SENS_OK;
    for (long k = steps * (number + 1) / workers - 1; k >= steps * number / workers; k--) {
        struct sens_step step;
        w->status = sens_traj_load(w->traj, k, &step);
        if (w->status != SENS_OK) return;
        find_points(ad, w, &step);
        find_diagonals(ad, w, diagonals_of(ad, k));
    }
}

/* A worker's share of the outputs is contiguous, and depends on nothing but its number. */
static void reverse_share(void *self, int number)
{
    const struct adjoint *ad = self;
    struct worker *w = &ad->worker[number];
    w->status = SENS_OK;
    sens_products_begin(w->products, ad->task->problem->p);
    for (size_t c = w->first, blocks; c < w->last && w->status == SENS_OK; c += blocks * ad->size.L) {
        blocks = (w->last - c + ad->size.L - 1) / ad->size.L;
        if (blocks > ad->size.group) blocks = ad->size.group;
        cut_blocks(ad, w, c, blocks);
        w->status = reverse_group(ad, w);
    }
}

/* ---- prepare and run ----------------------------------------------------------------------------------- */

/* The vectors of a sum; NULL: no memory. */
static const sens_real **find_vectors(struct sens_ctx *ctx, const struct adjoint_sum *sum,
                                      const sens_real *state)
{
    const sens_real **v = SENS_NEW(ctx, const sens_real *, (size_t)sum->terms);
    for (int j = 0; v && j < sum->terms; j++) v[j] = state + sum->offset[j];
    return v;
}

static sens_status create_block(struct sens_ctx *ctx, const struct adjoint *ad, const struct worker *w,
                                size_t b)
{
    struct block *block = &w->block[b];
    block->state = w->state + b * (1 + ad->stages.all) * ad->n * ad->size.L;
    block->mu = w->mu ? w->mu + b * ad->np * ad->size.L : NULL;
    block->lambda = find_vectors(ctx, &ad->stages.lambda, block->state);
    block->stage = SENS_NEW(ctx, struct sens_stage, (size_t)ad->stages.live);
    if (!block->lambda || !block->stage) return SENS_NO_MEMORY;
    for (int s = 0; s < ad->stages.live; s++) {
        const struct adjoint_stage *stage = &ad->stages.stage[s];
        const sens_real *const *v = find_vectors(ctx, &stage->kappa, block->state);
        if (!v) return SENS_NO_MEMORY;
        block->stage[s] = (struct sens_stage){.terms = stage->kappa.terms,
                                              .w = stage->kappa.weight,
                                              .v = v,
                                              .theta = block->state + adjoint_theta(&ad->stages, stage->i)};
    }
    return SENS_OK;
}

static sens_status create_worker(struct sens_ctx *ctx, struct adjoint *ad, int number)
{
    struct worker *w = &ad->worker[number];
    const size_t vector = ad->n * ad->size.L, workers = (size_t)ad->size.threads, rank = (size_t)number;
    const size_t units = (ad->m + ad->size.unit - 1) / ad->size.unit;
    const bool wrt_p = ad->task->wrt & SENS_WRT_P;
    /* Worker 0, which need not be woken, has the larger share. */
    w->first = (units * rank + workers - 1) / workers * ad->size.unit;
    w->last = rank + 1 < workers ? (units * (rank + 1) + workers - 1) / workers * ad->size.unit : ad->m;
    w->at = SENS_NEW(ctx, struct sens_at, (size_t)ad->stages.live);
    w->block = SENS_NEW(ctx, struct block, ad->size.group);
    w->x_after = SENS_NEW(ctx, sens_real, ad->n);
    w->state = SENS_NEW(ctx, sens_real, ad->size.group * (1 + ad->stages.all) * vector);
    w->kappa = SENS_NEW(ctx, sens_real, (size_t)ad->together * vector);
    w->diagonal = SENS_NEW(ctx, sens_real, (size_t)ad->stages.live * ad->n);
    w->mu = wrt_p ? SENS_NEW(ctx, sens_real, ad->size.group * ad->np * ad->size.L) : NULL;
    if (!w->at || !w->block || !w->x_after || !w->state || !w->kappa || !w->diagonal || (wrt_p && !w->mu))
        return SENS_NO_MEMORY;
    sens_status status =
        sens_products_create(ctx, ad->task->problem, SENS_VJP, (size_t)ad->together, ad->m, &w->products);
    for (size_t b = 0; b < ad->size.group && status == SENS_OK; b++) status = create_block(ctx, ad, w, b);
    if (status == SENS_OK && wrt_p)
        status = sens_batch_create(ctx, ad->task->problem, ad->size.K, ad->size.group, ad->size.L, &w->batch);
    w->traj = ad->traj;
    return status == SENS_OK && number > 0 ? sens_traj_reader(ctx, ad->traj, &w->traj) : status;
}

static sens_status create_workers(struct sens_ctx *ctx, struct adjoint *ad)
{
    ad->worker = SENS_NEW(ctx, struct worker, (size_t)ad->size.threads);
    ad->x0 = SENS_NEW(ctx, sens_real, ad->n);
    ad->x1 = SENS_NEW(ctx, sens_real, ad->n);
    ad->G = SENS_NEW(ctx, sens_real, ad->m);
    if (!ad->worker || !ad->x0 || !ad->x1 || !ad->G) return SENS_NO_MEMORY;
    if (ad->size.keep) {
        const size_t points = (size_t)sens_traj_steps(ad->traj) * (size_t)ad->stages.live;
        ad->diagonal = SENS_NEW(ctx, sens_real, points * ad->n);
        if (!ad->diagonal) return SENS_NO_MEMORY;
    }
    sens_status status = SENS_OK;
    for (int i = 0; i < ad->size.threads && status == SENS_OK; i++) status = create_worker(ctx, ad, i);
    return status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct adjoint *ad = SENS_NEW(ctx, struct adjoint, 1);
    if (!ad) return SENS_NO_MEMORY;
    *ad = (struct adjoint){.task = task, .n = task->problem->n, .np = task->problem->np, .m = task->cost->m};
    adjoint_choose_lanes(ctx, task, &ad->size);
    sens_status status = adjoint_find_stages(ctx, task->tableau, ad->n * ad->size.L, &ad->stages);
    ad->whole = sens_products_together(task->problem, ad->m) && !task->cost->type->g;
    ad->together = ad->whole ? ad->stages.live : 1;
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &ad->stops);
    const bool tested = task->option[OPT_TANGENT_TEST].number == TEST_INSIDE;
    if (status == SENS_OK) status = sens_tangent_test_create(ctx, task, tested, &ad->test);
    if (status == SENS_OK)
        status = sens_traj_create(ctx, task, &ad->stops, sens_tangent_test_followers(ad->test), &ad->traj);
    if (status != SENS_OK) return status;
    adjoint_choose_sizes(ctx, task, sens_traj_steps(ad->traj), ad->stages.live, &ad->size);
    status = create_workers(ctx, ad);
    if (status == SENS_OK) status = sens_pool_create(ctx, ad->size.threads, &ad->pool);
    if (status == SENS_OK) *state = ad;
    return status;
}

/* Lanes of a worker's blocks. */
static size_t share_lanes(const struct adjoint *ad, const struct worker *w)
{
    size_t lanes = 0;
    for (size_t c = w->first; c < w->last; c += ad->size.L) lanes += adjoint_lanes(&ad->size, w->last - c);
    return lanes;
}

static void write_work(const struct adjoint *ad, const struct sens_solver_stats *stats, const double time[3],
                       struct sens_work *work)
{
    *work = (struct sens_work){.steps = stats->steps,
                               .rejects = stats->rejects,
                               .t_forward = time[1] - time[0],
                               .t_reverse = time[2] - time[1],
                               .bytes_traj = sens_traj_bytes(ad->traj),
                               .lanes = (int)ad->size.L,
                               .threads = ad->size.threads,
                               .batch = (int)ad->size.K};
    for (int i = 0; i < ad->size.threads; i++) {
        const struct worker *w = &ad->worker[i];
        const size_t lanes = share_lanes(ad, w);
        sens_products_count(w->products, lanes - (w->last - w->first), lanes, work);
        if (w->batch) sens_batch_count(w->batch, work);
    }
    if (ad->task->wrt & SENS_WRT_P) work->idle_vjp_p = work->idle_vjp;
    sens_tangent_test_count(ad->test, work);
}

static sens_status run_workers(struct adjoint *ad, void (*share)(void *self, int number))
{
    sens_pool_run(ad->pool, share, ad);
    for (int i = 0; i < ad->size.threads; i++)
        if (ad->worker[i].status != SENS_OK) return ad->worker[i].status;
    return SENS_OK;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct adjoint *ad = state;
    const struct sens_problem *pb = ad->task->problem;
    struct sens_solver_stats stats;
    double time[3] = {sens_now(ctx), 0, 0};
    sens_pool_rouse(ad->pool);
    sens_problem_x0(pb, pb->p, ad->x0);
    sens_status status = sens_traj_solve(ctx, ad->traj, ad->x0, pb->p, ad->x1, ad->G, &stats);
    if (status == SENS_OK && !sens_finite(ad->m, ad->G)) status = SENS_DIVERGED;
    if (status != SENS_OK) return status;
    time[1] = sens_now(ctx);
    ad->out = out;
    if (ad->diagonal) status = run_workers(ad, keep_diagonals);
    if (status == SENS_OK) status = run_workers(ad, reverse_share);
    if (status != SENS_OK) return status;
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
    .options = sens_tangent_test_options,
    .prepare = prepare,
    .run = run,
    .release = release,
};
