/* The continuous adjoint of x' = f(t, x, p) for the functionals of a task,
 *
 *     -lambda' = (df/dx)^T lambda + g_x,   -mu' = (df/dp)^T lambda + g_p,
 *     lambda(t_j - 0) = lambda(t_j + 0) + phi_x,   mu(t_j - 0) = mu(t_j + 0) + phi_p
 *
 * (Cao, Li, Petzold & Serban, SIAM J. Sci. Comput. 24 (2003) 1076-1089; Martins & Lakshtanov, arXiv
 * 2410.01911). The backward solver starts afresh at every observation, where lambda jumps. Outside the error
 * test mu is no part of the system that is solved, see casa_common.h. Times of the solver are s = -t. */
#include <string.h>

#include "blocks.h"
#include "casa_common.h"
#include "kernels.h"
#include "rules.h"

/* ---- layout of the followers --------------------------------------------------------------------------- */

static size_t first_output(const struct casa *casa, size_t b)
{
    return b * casa->L;
}

static size_t block_width(const struct casa *casa, size_t b)
{
    const size_t left = casa->m - first_output(casa, b);
    return left < casa->L ? left : casa->L;
}

/* The current state of block b. */
static sens_real *lambda_of(const struct casa *casa, size_t b)
{
    return sens_solver_followers(casa->backward) + casa->offset[b];
}

static sens_real *mu_of(const struct casa *casa, size_t b)
{
    return casa->mu ? casa->mu + casa->np * first_output(casa, b)
                    : lambda_of(casa, b) + casa->n * block_width(casa, b);
}

/* ---- forward ------------------------------------------------------------------------------------------- */

sens_status casa_create_forward(struct sens_ctx *ctx, const struct sens_task *task, struct casa *casa)
{
    const struct sens_problem *pb = task->problem;
    *casa = (struct casa){.task = task, .n = pb->n, .m = task->cost->m};
    casa->np = task->parts & SENS_IN_DGDP ? pb->np : 0;
    casa->L = sens_blocks_lanes(task->lanes, casa->m);
    casa->x0 = SENS_NEW(ctx, sens_real, casa->n);
    casa->x1 = SENS_NEW(ctx, sens_real, casa->n);
    casa->x_back = SENS_NEW(ctx, sens_real, casa->n);
    casa->G = SENS_NEW(ctx, sens_real, casa->m);
    if (!casa->x0 || !casa->x1 || !casa->x_back || !casa->G) return SENS_NO_MEMORY;
    casa->cost = (struct sens_cost_sum){.cost = task->cost,
                                        .tableau = task->tableau,
                                        .stops = &casa->stops,
                                        .p = pb->p,
                                        .n_state = pb->n,
                                        .G = casa->G};
    casa->forward_settings = casa->backward_settings = sens_solver_settings(task);
    sens_problem_ode(task, NULL, &casa->problem_system, &casa->forward_ode);
    const sens_status status = sens_stops_create(ctx, task, &casa->stops);
    if (status != SENS_OK) return status;
    return sens_solver_create(ctx, &casa->forward_ode, &casa->forward_settings, &casa->forward);
}

sens_status casa_solve_forward(struct sens_ctx *ctx, struct casa *casa,
                               const struct sens_step_watcher *watcher)
{
    const struct sens_problem *pb = casa->task->problem;
    sens_problem_x0(pb, pb->p, casa->x0);
    sens_cost_sum_start(&casa->cost, casa->x0);
    return sens_solver_solve(ctx, casa->forward, pb->t0, casa->x0, casa->stops.n, casa->stops.t, watcher,
                             casa->x1, &casa->forward_stats);
}

/* ---- the points of a step ------------------------------------------------------------------------------ */

/* dx/ds = -f; nothing leads where x is not carried. */
static sens_status carried_slope(void *self, sens_real s, const sens_real *x, sens_real *dx)
{
    const struct casa *casa = self;
    const struct sens_problem *pb = casa->task->problem;
    if (!casa->carried) return SENS_OK;
    const sens_status status = pb->type->rhs(pb, &(struct sens_at){-s, x, pb->p}, dx);
    for (size_t i = 0; i < casa->n; i++) dx[i] = -dx[i];
    return status;
}

static void set_point(const struct casa *casa, int i, sens_real s, const sens_real *x)
{
    sens_real *own = casa->carried ? NULL : casa->x + (size_t)i * casa->n;
    if (own) casa->state(casa->self, -s, own);
    casa->at[i] = (struct sens_at){-s, own ? own : x, casa->task->problem->p};
}

/* What depends on the point alone, once for all blocks. Where x is not carried, f itself is not evaluated: a point at
 * which it is not defined shows in the products. */
static void move_to(void *self, int i, sens_real s, const sens_real *x)
{
    const struct casa *casa = self;
    const struct sens_at *at = &casa->at[i];
    set_point(casa, i, s, x);
    if (casa->d) sens_products_find_diagonals(casa->task->problem, 1, at, casa->d + (size_t)i * casa->n);
    if (casa->one)
        sens_products_at_kept(casa->products[i], casa->at, casa->d);
    else
        sens_products_at_all(casa->products[i], 1, at);
    if (!casa->batch) return;
    sens_batch_clear(casa->batch[i]);
    sens_batch_points(casa->batch[i], 1, at);
    sens_batch_close(casa->batch[i]);
}

/* The slope of a block is a stage of a reverse sweep whose cotangent is lambda itself. */
static void slope(void *self, int i, size_t b, const sens_real *lambda, sens_real *dlambda)
{
    const struct casa *casa = self;
    const struct sens_cost *cost = casa->task->cost;
    const struct sens_at *at = &casa->at[i];
    const size_t c0 = first_output(casa, b), w = block_width(casa, b);
    const sens_real one = 1;
    sens_real *dmu = dlambda + casa->n * w;
    const struct sens_stage stage = {.terms = 1, .w = &one, .v = &lambda, .theta = dlambda};
    struct sens_slot slot = {.kappa = casa->kappa, .room = casa->room, .unkept = !casa->batch};
    if (casa->batch) sens_batch_slot(casa->batch[i], 0, 0, w, &slot);
    sens_products_reverse(casa->products[i], casa->one ? (size_t)i : 0, w, 1, &stage, 1, &slot, NULL);
    if (cost->type->g_dx) cost->type->g_dx(cost, at, 1, c0, w, dlambda);
    if (!casa->batch) return;
    sens_batch_add(casa->batch[i], at->p, 0, w, true, dmu);
    if (cost->type->g_dp) cost->type->g_dp(cost, at, 1, c0, w, dmu);
}

/* ---- mu outside of the system -------------------------------------------------------------------------- */

/* Stages that mu is a sum over. */
static size_t live_stages(const struct sens_tableau *tb)
{
    size_t live = 0;
    for (int i = 0; i < tb->stages; i++) live += tb->b[i] != 0;
    return live;
}

/* mu += what the points kept add to it. */
static void flush_points(struct casa *casa)
{
    sens_batch_close(casa->deferred);
    for (size_t b = 0; b < casa->blocks; b++)
        sens_batch_add(casa->deferred, casa->task->problem->p, b, block_width(casa, b), false,
                       mu_of(casa, b));
    sens_batch_clear(casa->deferred);
    casa->kept = 0;
}

/* The points of a trial step take the place of those of the one before, if that was rejected. The first stage is a
 * point of its own even where its slope is known. */
static void begin_trial(void *self, sens_real s, sens_real h, const sens_real *Y)
{
    struct casa *casa = self;
    const struct sens_tableau *tb = casa->task->tableau;
    sens_batch_truncate(casa->deferred, casa->kept);
    if (sens_batch_full(casa->deferred, live_stages(tb))) flush_points(casa);
    set_point(casa, 0, s, Y);
    for (int i = 0; i < tb->stages; i++)
        if (tb->b[i] != 0) sens_batch_points(casa->deferred, 1, &casa->at[i]);
    casa->h = h;
}

/* kappa = h b_i lambda_i of block b, for the product later. */
static void keep_stage(void *self, int i, size_t b, const sens_real *lambda)
{
    const struct casa *casa = self;
    const struct sens_tableau *tb = casa->task->tableau;
    const size_t w = block_width(casa, b);
    const sens_real one = 1, weight = casa->h * tb->b[i];
    struct sens_slot slot;
    size_t k = casa->kept;
    if (weight == 0) return;
    for (int j = 0; j < i; j++) k += tb->b[j] != 0;
    sens_batch_slot(casa->deferred, k, b, w, &slot);
    if (slot.s)
        sens_lanes_combine_scaled(casa->n, w, 1, weight, &one, &lambda, slot.s, slot.kappa, NULL, casa->room);
    else
        sens_lanes_combine(casa->n * w, 1, weight, &one, &lambda, slot.kappa);
}

/* The points of an accepted step stay; mu += h sum_i b_i g_p. */
static sens_status accept_points(void *self, const struct sens_step *step)
{
    struct casa *casa = self;
    const struct sens_cost *cost = casa->task->cost;
    const struct sens_tableau *tb = casa->task->tableau;
    casa->kept = casa->deferred->points;
    for (int i = 0; i < tb->stages && cost->type->g_dp; i++)
        for (size_t b = 0; b < casa->blocks && tb->b[i] != 0; b++)
            cost->type->g_dp(cost, &casa->at[i], step->h * tb->b[i], first_output(casa, b),
                             block_width(casa, b), mu_of(casa, b));
    return SENS_OK;
}

/* Of a batch outside the error test. A point has n numbers of each output, a pass over mu has np: a batch that
 * leaves the cache may have as many points as make it as large as mu. */
static size_t batch_points(const struct sens_ctx *ctx, const struct casa *casa)
{
    const size_t cached = sens_second_level(ctx) / (casa->n * casa->m * sizeof(sens_real));
    const size_t as_mu = casa->np / casa->n;
    const size_t points = cached > as_mu ? cached : as_mu;
    return points > SENS_BATCH_MOST ? SENS_BATCH_MOST : points;
}

/* ---- the backward system ------------------------------------------------------------------------------- */

static sens_status create_points(struct sens_ctx *ctx, struct casa *casa)
{
    const struct sens_problem *pb = casa->task->problem;
    const size_t stages = casa->stages, n = casa->n;
    const bool coupled = sens_products_coupled(pb, casa->m);
    casa->at = SENS_NEW(ctx, struct sens_at, stages);
    casa->x = casa->carried ? NULL : SENS_NEW(ctx, sens_real, stages * n);
    casa->d = coupled ? SENS_NEW(ctx, sens_real, stages * n) : NULL;
    casa->kappa = SENS_NEW(ctx, sens_real, n * casa->L);
    casa->room = SENS_NEW(ctx, sens_real, n * casa->L);
    casa->products = SENS_NEW(ctx, struct sens_products *, stages);
    if (!casa->at || !(casa->carried || casa->x) || !(casa->d || !coupled) || !casa->kappa || !casa->room ||
        !casa->products)
        return SENS_NO_MEMORY;
    casa->one = coupled || !sens_products_formed(pb, casa->m);
    sens_status status = SENS_OK;
    for (size_t i = 0; i < stages && status == SENS_OK; i++)
        if (i > 0 && casa->one)
            casa->products[i] = casa->products[0];
        else
            status =
                sens_products_create(ctx, pb, SENS_VJP, casa->one ? stages : 1, casa->m, &casa->products[i]);
    return status;
}

/* Room for mu and its products, in the system or outside. */
static sens_status create_quadrature(struct sens_ctx *ctx, struct casa *casa, bool tested)
{
    const struct sens_problem *pb = casa->task->problem;
    const size_t points = batch_points(ctx, casa);
    if (casa->np == 0) return SENS_OK;
    if (!tested && points >= live_stages(casa->task->tableau)) {
        casa->points = points;
        casa->mu = SENS_NEW(ctx, sens_real, casa->np * casa->m);
        if (!casa->mu) return SENS_NO_MEMORY;
        return sens_batch_create(ctx, pb, points, casa->blocks, casa->L, &casa->deferred);
    }
    casa->batch = SENS_NEW(ctx, struct sens_batch *, casa->stages);
    if (!casa->batch) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (size_t i = 0; i < casa->stages && status == SENS_OK; i++)
        status = sens_batch_create(ctx, pb, 1, 1, casa->L, &casa->batch[i]);
    return status;
}

static sens_status create_blocks(struct sens_ctx *ctx, struct casa *casa)
{
    const size_t rows = casa->n + (casa->batch ? casa->np : 0);
    casa->offset = SENS_NEW(ctx, size_t, casa->blocks + 1);
    casa->count = SENS_NEW(ctx, size_t, casa->blocks);
    if (!casa->offset || !casa->count) return SENS_NO_MEMORY;
    for (size_t b = 0; b < casa->blocks; b++) {
        casa->count[b] = rows * block_width(casa, b);
        casa->offset[b + 1] = casa->offset[b] + casa->count[b];
    }
    casa->rows = (struct sens_ode){.n = rows, .n_parts = casa->batch ? 2 : 1, .part = casa->row_part};
    casa->followers = (struct sens_followers){.blocks = casa->blocks,
                                              .offset = casa->offset,
                                              .count = casa->count,
                                              .part.tested = casa->row_part[0].tested ||
                                                             (casa->batch && casa->row_part[1].tested),
                                              .rows = &casa->rows,
                                              .at = move_to,
                                              .slope = slope,
                                              .begin = casa->deferred ? begin_trial : NULL,
                                              .look = casa->deferred ? keep_stage : NULL,
                                              .self = casa};
    return SENS_OK;
}

sens_status casa_create_backward(struct sens_ctx *ctx, struct casa *casa, struct casa_tolerances lambda,
                                 struct casa_tolerances mu)
{
    const struct sens_task *task = casa->task;
    casa->blocks = (casa->m + casa->L - 1) / casa->L;
    casa->stages = (size_t)task->tableau->stages;
    casa->part = (struct sens_ode_part){casa->n, task->rtol, task->atol, true};
    casa->row_part[0] = (struct sens_ode_part){casa->n, lambda.rtol, lambda.atol, lambda.tested};
    casa->row_part[1] = (struct sens_ode_part){casa->np, mu.rtol, mu.atol, mu.tested};
    casa->backward_ode = (struct sens_ode){.n = casa->carried ? casa->n : 0,
                                           .f = carried_slope,
                                           .self = casa,
                                           .n_parts = casa->carried ? 1 : 0,
                                           .part = &casa->part};
    sens_status status = create_points(ctx, casa);
    if (status == SENS_OK) status = create_quadrature(ctx, casa, mu.tested);
    if (status == SENS_OK) status = create_blocks(ctx, casa);
    if (status == SENS_OK)
        status = sens_solver_create(ctx, &casa->backward_ode, &casa->backward_settings, &casa->backward);
    return status == SENS_OK ? sens_solver_follow(ctx, casa->backward, &casa->followers) : status;
}

/* The jump of observation j, at time t. */
static void observe(struct casa *casa, long j, sens_real t)
{
    const struct sens_cost *cost = casa->task->cost;
    const sens_real *p = casa->task->problem->p;
    if (j < 0) return;
    set_point(casa, 0, -t, casa->x_back);
    const sens_real *x = casa->at[0].x;
    for (size_t b = 0; b < casa->blocks; b++) {
        const size_t c0 = first_output(casa, b), w = block_width(casa, b);
        cost->type->phi_dx(cost, (size_t)j, x, p, c0, w, lambda_of(casa, b));
        if (cost->type->phi_dp && casa->np > 0)
            cost->type->phi_dp(cost, (size_t)j, x, p, c0, w, mu_of(casa, b));
    }
}

/* The solver knows s alone; its message must not be read as a time. */
static sens_status explain(struct sens_ctx *ctx, sens_status status)
{
    char cause[sizeof ctx->message];
    memcpy(cause, ctx->message, sizeof cause);
    return sens_fail(ctx, status, "backward solve in -t: %s", cause);
}

/* One interval without jumps, from time t back to `end`. */
static sens_status solve_interval(struct sens_ctx *ctx, struct casa *casa, sens_real t, sens_real end)
{
    struct sens_solver_stats stats, *sum = &casa->backward_stats;
    const sens_real stop = -end;
    const struct sens_step_watcher watcher = {accept_points, casa};
    casa->backward_settings.max_steps = casa->task->max_steps - sum->steps - sum->rejects;
    const sens_status status = sens_solver_solve(ctx, casa->backward, -t, casa->x_back, 1, &stop,
                                                 casa->deferred ? &watcher : NULL, casa->x_back, &stats);
    if (status != SENS_OK) return explain(ctx, status);
    sum->steps += stats.steps;
    sum->rejects += stats.rejects;
    return SENS_OK;
}

static void start_backward(struct casa *casa)
{
    sens_real *z = sens_solver_followers(casa->backward);
    for (size_t i = 0; i < (casa->one ? 1 : casa->stages); i++)
        sens_products_begin(casa->products[i], casa->task->problem->p);
    memset(z, 0, casa->offset[casa->blocks] * sizeof *z);
    if (casa->carried) memcpy(casa->x_back, casa->x1, casa->n * sizeof *casa->x1);
    casa->backward_stats = (struct sens_solver_stats){0, 0};
    if (!casa->deferred) return;
    memset(casa->mu, 0, casa->np * casa->m * sizeof *casa->mu);
    sens_batch_clear(casa->deferred);
    casa->kept = 0;
}

sens_status casa_solve_backward(struct sens_ctx *ctx, struct casa *casa)
{
    const struct sens_stops *stops = &casa->stops;
    const sens_real t0 = casa->task->problem->t0;
    start_backward(casa);
    for (size_t j = stops->n; j-- > 0;) {
        observe(casa, stops->obs[j], stops->t[j]);
        const sens_status status = solve_interval(ctx, casa, stops->t[j], j > 0 ? stops->t[j - 1] : t0);
        if (status != SENS_OK) return status;
    }
    if (casa->deferred) {
        sens_batch_truncate(casa->deferred, casa->kept);
        flush_points(casa);
    }
    observe(casa, stops->obs_at_t0, t0);
    return SENS_OK;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* mu += (dx0/dp)^T lambda */
static void add_initial_state(struct casa *casa)
{
    const struct sens_problem *pb = casa->task->problem;
    if (!sens_problem_x0_depends(pb) || casa->np == 0) return;
    for (size_t b = 0; b < casa->blocks; b++)
        pb->type->x0_vjp(pb, pb->p, block_width(casa, b), lambda_of(casa, b), mu_of(casa, b));
}

/* The rows of block b in the results; false where one is not finite. */
static bool write_block(const struct casa *casa, size_t b, const struct sens_out *out)
{
    const size_t n = casa->n, np = casa->np, c0 = first_output(casa, b), w = block_width(casa, b);
    const sens_real *lambda = lambda_of(casa, b);
    bool finite = sens_finite(n * w, lambda);
    if (np > 0) finite = finite && sens_lanes_to_rows(np, w, w, mu_of(casa, b), out->dGdp + c0 * np);
    if (casa->task->parts & SENS_IN_DGDX0)
        finite = finite && sens_lanes_to_rows(n, w, w, lambda, out->dGdx0 + c0 * n);
    return finite;
}

sens_status casa_write(struct casa *casa, const struct sens_out *out)
{
    const size_t n = casa->n, m = casa->m;
    add_initial_state(casa);
    bool finite = sens_finite(m, casa->G);
    if (casa->carried) finite = finite && sens_finite(n, casa->x_back);
    for (size_t b = 0; b < casa->blocks && finite; b++) finite = write_block(casa, b, out);
    if (!finite) return SENS_DIVERGED;
    memcpy(out->x, casa->x1, n * sizeof *out->x);
    memcpy(out->G, casa->G, m * sizeof *out->G);
    return SENS_OK;
}

struct sens_work casa_work(const struct casa *casa, const double time[3])
{
    struct sens_work work = {.steps = casa->forward_stats.steps,
                             .rejects = casa->forward_stats.rejects,
                             .steps_reverse = casa->backward_stats.steps,
                             .rejects_reverse = casa->backward_stats.rejects,
                             .t_forward = time[1] - time[0],
                             .t_reverse = time[2] - time[1],
                             .lanes = (int)casa->L,
                             .threads = 1,
                             .batch = (int)casa->points};
    for (size_t i = 0; i < casa->stages; i++) { /* every block has its true width */
        sens_products_count(casa->products[i], 0, casa->m, &work);
        if (casa->batch) sens_batch_count(casa->batch[i], &work);
    }
    if (casa->deferred) sens_batch_count(casa->deferred, &work);
    return work;
}
