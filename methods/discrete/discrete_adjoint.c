/* Discrete adjoint of a Runge-Kutta solve: the exact derivative of the discrete map on its accepted grid.
 *
 * For every step, backwards, and every lane of lambda = (dG/dx)^T after the step, the family of the scheme
 * says what becomes of lambda, and where df/dp is gathered (adjoint_family.h; Runge-Kutta
 * pairs: adjoint_runge_kutta.c).
 *
 * Outputs travel in lanes: a block of L outputs shares every point of a step, and a group of blocks goes
 * through the steps together, so that what depends on the points alone (the Jacobian, where the problem
 * declares it) is formed once for all of them. The points and their cotangents are collected, and K of them
 * at a time go through the parameter product (batch.h). */
#include <string.h>

#include "adjoint_engine.h"
#include "adjoint_family.h"
#include "adjoint_grid.h"
#include "adjoint_sizes.h"
#include "kernels.h"
#include "pool.h"
#include "rules.h"
#include "sens/method.h"
#include "tangent_test.h"

struct worker {
    struct sens_traj *traj;      /* this worker's reader; the first reads the trajectory itself */
    void *own;                   /* the family's */
    struct sens_batch *batch;    /* NULL unless dG/dp is asked for */
    size_t first, last;          /* its outputs */
    struct sens_at *at;          /* [points] of the step at hand */
    sens_real *x_after;          /* [n] state after the step at hand, where that is a stop */
    size_t blocks;               /* of the group at hand */
    struct adjoint_block *block; /* [group] */
    sens_real *state;            /* [group][1 + vectors][n][L] */
    sens_real *room;             /* [points][n][L], or [n][L] where a batch takes the cotangents */
    sens_real *mu;               /* [group][np][L]; NULL unless dG/dp is asked for */
    struct adjoint_engine steps; /* made for the problem; none: the family's are taken */
    bool fresh;                  /* nothing has been written to mu in this group yet */
    sens_status status;
    sens_real t, h; /* of the step that it ended at */
};

struct adjoint {
    const struct sens_task *task;
    const struct adjoint_family *family;
    size_t n, np, m;
    struct adjoint_plan plan;
    struct adjoint_sizes size;
    struct sens_stops stops;
    struct sens_tangent_test *test; /* NULL: the state alone chooses the steps */
    struct sens_traj *traj;
    struct sens_pool *pool;
    struct worker *worker;      /* [threads] */
    sens_real *x0, *x1;         /* [n] */
    sens_real *G;               /* [m] */
    sens_real *kept;            /* [steps][plan.kept]; NULL unless something is kept */
    const struct sens_out *out; /* of the run at hand */
};

/* The blocks of a group that starts with output c; the output after them. */
static size_t cut_blocks(const struct adjoint *ad, struct worker *w, size_t c)
{
    for (w->blocks = 0; c < w->last && w->blocks < ad->size.group; w->blocks++) {
        struct adjoint_block *block = &w->block[w->blocks];
        block->c0 = c;
        block->L = adjoint_lanes(&ad->size, w->last - c);
        c += block->L;
    }
    return c;
}

/* ---- one step of a group ------------------------------------------------------------------------------- */

void adjoint_add_running_cost(const struct sens_cost *cost, const struct sens_at *at, sens_real w,
                              const struct adjoint_block *block, sens_real *theta)
{
    if (cost->type->g_dx) cost->type->g_dx(cost, at, w, block->c0, block->L, theta);
    if (cost->type->g_dp && block->mu) cost->type->g_dp(cost, at, w, block->c0, block->L, block->mu);
}

static sens_real *kept_of(const struct adjoint *ad, long k)
{
    return ad->kept ? ad->kept + (size_t)k * ad->plan.kept : NULL;
}

/* The blocks' slots for the points of a step, of which `first` is the batch's number of the first. */
static void take_slots(const struct worker *w, size_t first)
{
    for (size_t b = 0; b < w->blocks; b++)
        sens_batch_slot(w->batch, first, b, w->block[b].L, &w->block[b].slot);
}

static sens_status reverse_step(const struct adjoint *ad, const struct worker *w,
                                const struct sens_step *step)
{
    const struct adjoint_family *family = ad->family;
    const struct adjoint_step at = {.h = step->h, .step = step, .at = w->at, .kept = kept_of(ad, step->k)};
    const size_t points = family->points(ad->plan.own, step, w->at);
    if (w->batch) take_slots(w, sens_batch_points(w->batch, points, w->at));
    sens_status status = SENS_OK;
    for (size_t part = 0; part < ad->plan.parts && status == SENS_OK; part++) {
        status = family->linearise(w->own, part, &at);
        for (size_t b = 0; b < w->blocks && status == SENS_OK; b++)
            status = family->sweep(w->own, part, &at, &w->block[b]);
    }
    return status;
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
        const struct adjoint_block *block = &w->block[b];
        cost->type->phi_dx(cost, j, x, p, block->c0, block->L, block->lambda);
        if (cost->type->phi_dp && w->mu) cost->type->phi_dp(cost, j, x, p, block->c0, block->L, block->mu);
    }
}

static sens_status write_gradient(const struct adjoint *ad, const struct worker *w,
                                  const struct adjoint_block *block)
{
    const struct sens_problem *pb = ad->task->problem;
    const struct sens_out *out = ad->out;
    const size_t L = block->L, c0 = block->c0, width = w->last - c0 < L ? w->last - c0 : L;
    if (w->mu) {
        if (sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, pb->p, L, block->lambda, block->mu);
        if (!sens_lanes_to_rows(ad->np, L, width, block->mu, out->dGdp + c0 * ad->np)) return SENS_DIVERGED;
    }
    sens_real *rows = out->dGdx0 ? out->dGdx0 + c0 * ad->n : w->room;
    return sens_lanes_to_rows(ad->n, L, width, block->lambda, rows) ? SENS_OK : SENS_DIVERGED;
}

static sens_status reverse_group(const struct adjoint *ad, struct worker *w)
{
    const struct sens_cost_type *cost = ad->task->cost->type;
    for (size_t b = 0; b < w->blocks; b++)
        memset(w->block[b].lambda, 0, ad->n * ad->size.L * sizeof *w->block[b].lambda);
    w->fresh = !cost->phi_dp && !ad->plan.adds_to_mu &&
               !w->steps.engine; /* else something is added before the first batch is */
    if (w->mu && !w->fresh) memset(w->mu, 0, w->blocks * ad->np * ad->size.L * sizeof *w->mu);
    if (w->batch) sens_batch_clear(w->batch);
    memcpy(w->x_after, ad->x1, ad->n * sizeof *w->x_after);
    const long *stop = sens_traj_grid(ad->traj).stop;
    for (long k = sens_traj_steps(ad->traj) - 1; k >= 0; k--) {
        struct sens_step step;
        sens_status status = sens_traj_load(w->traj, k, &step);
        if (status != SENS_OK) return status;
        if (step.stop >= 0 && ad->stops.obs[step.stop] >= 0)
            observe(ad, w, (size_t)ad->stops.obs[step.stop], w->x_after);
        if (w->batch && sens_batch_full(w->batch, ad->plan.points)) flush_points(ad, w);
        if (!w->steps.engine ||
            !adjoint_engine_step(&w->steps, ad->task->problem->p, &step, w->blocks, w->block)) {
            w->t = step.t, w->h = step.h;
            status = reverse_step(ad, w, &step);
            if (status != SENS_OK) return status;
            if (w->steps.engine) flush_points(ad, w); /* mu is summed step by step */
        }
        if (k > 0 && stop[k - 1] >= 0) memcpy(w->x_after, step.y, ad->n * sizeof *w->x_after);
    }
    flush_points(ad, w);
    if (ad->stops.obs_at_t0 >= 0) observe(ad, w, (size_t)ad->stops.obs_at_t0, ad->x0);
    sens_status status = SENS_OK;
    for (size_t b = 0; b < w->blocks && status == SENS_OK; b++) status = write_gradient(ad, w, &w->block[b]);
    return status;
}

/* A worker's share of the steps, of which all workers will use what is kept. */
static void keep_share(void *self, int number)
{
    const struct adjoint *ad = self;
    struct worker *w = &ad->worker[number];
    const long steps = sens_traj_steps(ad->traj), workers = ad->size.threads;
    w->status = SENS_OK;
    ad->family->begin(w->own, ad->task->problem->p);
    for (long k = steps * (number + 1) / workers - 1; k >= steps * number / workers; k--) {
        struct sens_step step;
        w->status = sens_traj_load(w->traj, k, &step);
        if (w->status != SENS_OK) return;
        ad->family->points(ad->plan.own, &step, w->at);
        const struct adjoint_step at = {.h = step.h, .step = &step, .at = w->at};
        ad->family->keep(w->own, &at, kept_of(ad, k));
    }
}

/* A worker's share of the outputs is contiguous, and depends on nothing but its number. */
static void reverse_share(void *self, int number)
{
    const struct adjoint *ad = self;
    struct worker *w = &ad->worker[number];
    w->status = SENS_OK;
    if (!ad->kept) ad->family->begin(w->own, ad->task->problem->p); /* else it has begun with what is kept */
    for (size_t c = w->first; c < w->last && w->status == SENS_OK;) {
        c = cut_blocks(ad, w, c);
        w->status = reverse_group(ad, w);
    }
}

/* ---- prepare and run ----------------------------------------------------------------------------------- */

static sens_status create_block(struct sens_ctx *ctx, const struct adjoint *ad, const struct worker *w,
                                size_t b)
{
    struct adjoint_block *block = &w->block[b];
    block->lambda = w->state + b * (1 + ad->plan.vectors) * ad->n * ad->size.L;
    block->mu = w->mu ? w->mu + b * ad->np * ad->size.L : NULL;
    block->slot = (struct sens_slot){.kappa = w->room, .room = w->room};
    return ad->family->create_block(ctx, ad->plan.own, ad->size.L, block);
}

static sens_status create_worker(struct sens_ctx *ctx, struct adjoint *ad, int number)
{
    struct worker *w = &ad->worker[number];
    const size_t vector = ad->n * ad->size.L, workers = (size_t)ad->size.threads, rank = (size_t)number;
    const size_t units = (ad->m + ad->size.unit - 1) / ad->size.unit;
    const bool wrt_p = ad->task->parts & SENS_IN_DGDP, slots = wrt_p && !ad->plan.no_slots;
    /* Worker 0, which need not be woken, has the larger share. */
    w->first = (units * rank + workers - 1) / workers * ad->size.unit;
    w->last = rank + 1 < workers ? (units * (rank + 1) + workers - 1) / workers * ad->size.unit : ad->m;
    w->at = SENS_NEW(ctx, struct sens_at, ad->plan.points);
    w->block = SENS_NEW(ctx, struct adjoint_block, ad->size.group);
    w->x_after = SENS_NEW(ctx, sens_real, ad->n);
    w->state = SENS_NEW(ctx, sens_real, ad->size.group * (1 + ad->plan.vectors) * vector);
    w->room = SENS_NEW(ctx, sens_real, (wrt_p || ad->plan.no_slots ? 1 : ad->plan.points) * vector);
    w->mu = wrt_p ? SENS_NEW(ctx, sens_real, ad->size.group * ad->np * ad->size.L) : NULL;
    if (!w->at || !w->block || !w->x_after || !w->state || !w->room || (wrt_p && !w->mu))
        return SENS_NO_MEMORY;
    sens_status status = ad->family->create_worker(ctx, ad->plan.own, ad->size.L, &w->own);
    for (size_t b = 0; b < ad->size.group && status == SENS_OK; b++) status = create_block(ctx, ad, w, b);
    if (status == SENS_OK && slots)
        status = sens_batch_create(ctx, ad->task->problem, ad->size.K, ad->size.group, ad->size.L, &w->batch);
    if (status == SENS_OK)
        status =
            adjoint_engine_create(ctx, ad->task, &ad->size, ad->plan.points, w->last - w->first, &w->steps);
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
        ad->kept = SENS_NEW(ctx, sens_real, (size_t)sens_traj_steps(ad->traj) * ad->plan.kept);
        if (!ad->kept) return SENS_NO_MEMORY;
    }
    sens_status status = SENS_OK;
    for (int i = 0; i < ad->size.threads && status == SENS_OK; i++) status = create_worker(ctx, ad, i);
    return status;
}

/* By the family of the tableau: a line each. */
static const struct adjoint_family *const families[SENS_FAMILIES] = {
    [SENS_FAMILY_EXPLICIT] = &adjoint_runge_kutta,
    [SENS_FAMILY_DIRK] = &adjoint_runge_kutta,
    [SENS_FAMILY_FIRK] = &adjoint_firk,
    [SENS_FAMILY_ROSENBROCK] = &adjoint_rosenbrock,
    [SENS_FAMILY_SWITCHED] = &adjoint_switched,
};

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    const struct sens_tableau *tb = task->tableau;
    const bool known = (int)tb->family >= 0 && tb->family < SENS_FAMILIES && families[tb->family];
    if (!known) return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: no adjoint of its family", tb->name);
    struct adjoint *ad = SENS_NEW(ctx, struct adjoint, 1);
    if (!ad) return SENS_NO_MEMORY;
    *ad = (struct adjoint){.task = task,
                           .family = adjoint_grid_suits(task) ? &adjoint_grid : families[tb->family],
                           .n = task->problem->n,
                           .np = task->problem->np,
                           .m = task->cost->m};
    ctx->linear = (enum sens_kernel_choice)task->option[OPT_LINEAR].number;
    sens_status status = sens_stops_create(ctx, task, &ad->stops);
    const bool tested = task->option[OPT_TANGENT_TEST].number == TEST_INSIDE;
    if (status == SENS_OK) status = sens_tangent_test_create(ctx, task, tested, &ad->test);
    const enum sens_traj_keep keep =
        task->option[OPT_FACTORS].number == FACTORS_KEPT ? SENS_TRAJ_FACTORS_TURNED : SENS_TRAJ_NO_FACTORS;
    if (status == SENS_OK)
        status =
            sens_traj_create(ctx, task, &ad->stops, sens_tangent_test_followers(ad->test), keep, &ad->traj);
    if (status == SENS_OK) status = ad->family->plan(ctx, task, &ad->plan);
    if (status != SENS_OK) return status;
    adjoint_choose_sizes(ctx, task, &ad->plan, sens_traj_steps(ad->traj), &ad->size);
    status = create_workers(ctx, ad);
    if (status == SENS_OK) status = sens_pool_create(ctx, ad->size.threads, &ad->pool);
    if (status == SENS_OK) *state = ad;
    return status;
}

/* Lanes of a worker's blocks. */
static size_t share_lanes(const struct adjoint *ad, const struct worker *w)
{
    size_t lanes = 0;
    for (size_t c = w->first, taken; c < w->last; c += taken)
        lanes += taken = adjoint_lanes(&ad->size, w->last - c);
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
        ad->family->count(w->own, lanes - (w->last - w->first), lanes, work);
        if (w->batch) sens_batch_count(w->batch, work);
        adjoint_engine_count(&ad->worker[i].steps, w->batch != NULL, work);
        sens_traj_count(w->traj, work);
    }
    sens_traj_count_solve(ad->traj, work);
    sens_traj_count_factors(ad->traj, work);
    if (ad->task->parts & SENS_IN_DGDP && !ad->plan.no_slots) work->idle_vjp_p = work->idle_vjp;
    sens_tangent_test_count(ad->test, work);
}

static sens_status run_workers(struct sens_ctx *ctx, struct adjoint *ad,
                               void (*share)(void *self, int number))
{
    sens_pool_run(ad->pool, share, ad);
    for (int i = 0; i < ad->size.threads; i++) {
        const struct worker *w = &ad->worker[i];
        if (w->status != SENS_OK) return sens_traj_refuse(ctx, w->status, w->t, w->h);
    }
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
    if (ad->kept) status = run_workers(ctx, ad, keep_share);
    if (status == SENS_OK) status = run_workers(ctx, ad, reverse_share);
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
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_COMPONENTS | SENS_CAP_TABLEAU | SENS_CAP_IMPLICIT | SENS_CAP_MASS |
            SENS_CAP_CONTROLLER | SENS_CAP_CKPT | SENS_CAP_LANES | SENS_CAP_THREADS | SENS_CAP_BATCH |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS | SENS_CAP_ENGINE,
    .options = sens_tangent_test_options,
    .prepare = prepare,
    .run = run,
    .release = release,
};
