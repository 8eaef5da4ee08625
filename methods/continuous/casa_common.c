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

/* ---- forward ------------------------------------------------------------------------------------------- */

sens_status casa_create_forward(struct sens_ctx *ctx, const struct sens_task *task, struct casa *casa)
{
    const struct sens_problem *pb = task->problem;
    *casa = (struct casa){.task = task, .n = pb->n, .m = task->cost->m};
    casa->np = task->parts & SENS_IN_DGDP ? pb->np : 0;
    casa->L = sens_blocks_lanes(task->lanes, casa->m);
    if (!task->controller->adaptive && grid_step_suits(task)) {
        const size_t best = task->lanes == 0 ? grid_step_lanes(ctx, task) : 0;
        casa->grid = SENS_NEW(ctx, struct grid_step, 1);
        if (!casa->grid) return SENS_NO_MEMORY;
        if (best > 0 && casa->m >= best) casa->L = best;
    }
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
    sens_problem_ode(task, NULL, &casa->whole, &casa->forward_ode);
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

void casa_set_point(const struct casa *casa, int i, sens_real s, const sens_real *x)
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
    if (casa->grid && casa->np == 0) return; /* nothing depends on the point */
    casa_set_point(casa, i, s, x);
    if (casa->grid) return;
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
    const size_t c0 = casa_first_output(casa, b), w = casa_block_width(casa, b);
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

/* All blocks over a step on a grid, see grid_step.h. */
static sens_status step_on_grid(void *self, const struct sens_step *step, const sens_real *z,
                                const sens_real *f, sens_real *z1, sens_real *e)
{
    struct casa *casa = self;
    (void)f, (void)e;
    if (casa->np > 0) grid_step_continuous(casa->grid, step->h, casa->at, casa->W);
    for (size_t b = 0; b < casa->taken; b++) {
        const size_t w = casa_block_width(casa, b);
        sens_real *const lambda = z1 + casa->offset[b];
        grid_step_sweep(casa->grid, step->h, casa->W, w, z + casa->offset[b], lambda, casa_mu(casa, b));
        if (!sens_finite(casa->n * w, lambda)) return SENS_NONFINITE;
    }
    return SENS_OK;
}

/* ---- the backward system ------------------------------------------------------------------------------- */

static sens_status create_grid_step(struct sens_ctx *ctx, struct casa *casa)
{
    casa->W = casa->np > 0 ? SENS_NEW(ctx, sens_real, casa->np * casa->n) : NULL;
    if (casa->np > 0 && !casa->W) return SENS_NO_MEMORY;
    return grid_step_create(ctx, casa->task, casa->L, casa->grid);
}

static sens_status create_points(struct sens_ctx *ctx, struct casa *casa)
{
    const struct sens_problem *pb = casa->task->problem;
    const size_t stages = casa->stages, n = casa->n;
    const bool coupled = sens_products_coupled(pb, casa->m);
    casa->at = SENS_NEW(ctx, struct sens_at, stages);
    casa->x = casa->carried ? NULL : SENS_NEW(ctx, sens_real, stages * n);
    if (!casa->at || !(casa->carried || casa->x)) return SENS_NO_MEMORY;
    if (casa->grid) return create_grid_step(ctx, casa);
    casa->d = coupled ? SENS_NEW(ctx, sens_real, stages * n) : NULL;
    casa->kappa = SENS_NEW(ctx, sens_real, n * casa->L);
    casa->room = SENS_NEW(ctx, sens_real, n * casa->L);
    casa->products = SENS_NEW(ctx, struct sens_products *, stages);
    if (!(casa->d || !coupled) || !casa->kappa || !casa->room || !casa->products) return SENS_NO_MEMORY;
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

/* The blocks from number `first` on are the group at hand. */
static void take_group(struct casa *casa, size_t first)
{
    const size_t left = casa->blocks - first;
    casa->first = first;
    casa->taken = left < casa->group ? left : casa->group;
    for (size_t b = 0; b < casa->taken; b++) {
        casa->count[b] = casa->rows.n * casa_block_width(casa, b);
        casa->offset[b + 1] = casa->offset[b] + casa->count[b];
    }
    casa->followers.blocks = casa->taken;
}

static sens_status create_blocks(struct sens_ctx *ctx, struct casa *casa)
{
    const size_t rows = casa->n + (casa->batch ? casa->np : 0);
    casa->offset = SENS_NEW(ctx, size_t, casa->group + 1);
    casa->count = SENS_NEW(ctx, size_t, casa->group);
    casa->result = SENS_NEW(ctx, sens_real, rows * casa->m);
    if (!casa->offset || !casa->count || !casa->result) return SENS_NO_MEMORY;
    casa->rows = (struct sens_ode){.n = rows, .n_parts = casa->batch ? 2 : 1, .part = casa->row_part};
    casa->followers = (struct sens_followers){.offset = casa->offset,
                                              .count = casa->count,
                                              .part.tested = casa->row_part[0].tested ||
                                                             (casa->batch && casa->row_part[1].tested),
                                              .rows = &casa->rows,
                                              .at = move_to,
                                              .slope = slope,
                                              .begin = casa->deferred ? casa_deferred_begin : NULL,
                                              .look = casa->deferred ? casa_deferred_look : NULL,
                                              .step = casa->grid ? step_on_grid : NULL,
                                              .whole = casa->grid != NULL,
                                              .self = casa};
    take_group(casa, 0); /* the largest one */
    return SENS_OK;
}

/* As many blocks as have the vectors of a step in half of the second-level cache; where J is formed for a group, it is
 * worth that for a number of outputs. Steps that are chosen are chosen for all. */
static size_t group_blocks(const struct sens_ctx *ctx, const struct casa *casa)
{
    enum { WORTH = 32 };
    const struct sens_task *task = casa->task;
    const size_t vectors = casa->stages + 4, numbers = vectors * (casa->n + casa->np) * casa->L;
    size_t blocks = sens_second_level(ctx) / 2 / (numbers * sizeof(sens_real));
    if (task->controller->adaptive || casa->carried) return casa->blocks;
    if (casa->grid)
        blocks = sens_third_level(ctx) / 8 / (casa->n * casa->L * sizeof(sens_real)); /* they share W */
    if (sens_products_formed(task->problem, casa->m) && blocks * casa->L < WORTH)
        blocks = (WORTH + casa->L - 1) / casa->L;
    if (blocks < 1) blocks = 1;
    return blocks < casa->blocks ? blocks : casa->blocks;
}

sens_status casa_create_backward(struct sens_ctx *ctx, struct casa *casa, struct casa_tolerances lambda,
                                 struct casa_tolerances mu)
{
    const struct sens_task *task = casa->task;
    casa->blocks = (casa->m + casa->L - 1) / casa->L;
    casa->stages = (size_t)task->tableau->stages;
    casa->group = group_blocks(ctx, casa);
    casa->part = (struct sens_ode_part){casa->n, task->rtol, task->atol, true};
    casa->row_part[0] = (struct sens_ode_part){casa->n, lambda.rtol, lambda.atol, lambda.tested};
    casa->row_part[1] = (struct sens_ode_part){casa->np, mu.rtol, mu.atol, mu.tested};
    casa->backward_ode = (struct sens_ode){.n = casa->carried ? casa->n : 0,
                                           .f = carried_slope,
                                           .self = casa,
                                           .n_parts = casa->carried ? 1 : 0,
                                           .part = &casa->part};
    sens_status status = create_points(ctx, casa);
    if (status == SENS_OK) status = casa_create_quadrature(ctx, casa, mu.tested);
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
    casa_set_point(casa, 0, -t, casa->x_back);
    const sens_real *x = casa->at[0].x;
    for (size_t b = 0; b < casa->taken; b++) {
        const size_t c0 = casa_first_output(casa, b), w = casa_block_width(casa, b);
        cost->type->phi_dx(cost, (size_t)j, x, p, c0, w, casa_lambda(casa, b));
        if (cost->type->phi_dp && casa->np > 0)
            cost->type->phi_dp(cost, (size_t)j, x, p, c0, w, casa_mu(casa, b));
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
    const struct sens_step_watcher watcher = {casa_deferred_accept, casa};
    casa->backward_settings.max_steps = casa->task->max_steps - sum->steps - sum->rejects;
    const sens_status status = sens_solver_solve(ctx, casa->backward, -t, casa->x_back, 1, &stop,
                                                 casa->deferred ? &watcher : NULL, casa->x_back, &stats);
    if (status != SENS_OK) return explain(ctx, status);
    sum->steps += stats.steps;
    sum->rejects += stats.rejects;
    return SENS_OK;
}

static void start_group(struct casa *casa, size_t first)
{
    sens_real *z = sens_solver_followers(casa->backward);
    take_group(casa, first);
    memset(z, 0, casa->offset[casa->taken] * sizeof *z);
    if (casa->carried) memcpy(casa->x_back, casa->x1, casa->n * sizeof *casa->x1);
    casa->backward_stats = (struct sens_solver_stats){0, 0}; /* the same for all groups */
    if (!casa->deferred) return;
    sens_batch_clear(casa->deferred);
    casa->kept = 0;
}

/* mu += (dx0/dp)^T lambda, at t0; and the group's results to those of all. */
static void finish_group(struct casa *casa)
{
    const struct sens_problem *pb = casa->task->problem;
    const bool depends = sens_problem_x0_depends(pb) && casa->np > 0;
    for (size_t b = 0; b < casa->taken && depends; b++)
        pb->type->x0_vjp(pb, pb->p, casa_block_width(casa, b), casa_lambda(casa, b), casa_mu(casa, b));
    memcpy(casa->result + casa->rows.n * casa_first_output(casa, 0), casa_lambda(casa, 0),
           casa->offset[casa->taken] * sizeof *casa->result);
}

static sens_status solve_group(struct sens_ctx *ctx, struct casa *casa, size_t first)
{
    const struct sens_stops *stops = &casa->stops;
    const sens_real t0 = casa->task->problem->t0;
    start_group(casa, first);
    for (size_t j = stops->n; j-- > 0;) {
        observe(casa, stops->obs[j], stops->t[j]);
        const sens_status status = solve_interval(ctx, casa, stops->t[j], j > 0 ? stops->t[j - 1] : t0);
        if (status != SENS_OK) return status;
    }
    if (casa->deferred) casa_deferred_end(casa);
    observe(casa, stops->obs_at_t0, t0);
    finish_group(casa);
    return SENS_OK;
}

sens_status casa_solve_backward(struct sens_ctx *ctx, struct casa *casa)
{
    sens_status status = SENS_OK;
    if (casa->grid) grid_step_begin(casa->grid, casa->task->problem->p);
    for (size_t i = 0; i < (casa->one ? 1 : casa->stages) && !casa->grid; i++)
        sens_products_begin(casa->products[i], casa->task->problem->p);
    if (casa->mu) memset(casa->mu, 0, casa->np * casa->m * sizeof *casa->mu);
    for (size_t first = 0; first < casa->blocks && status == SENS_OK; first += casa->group)
        status = solve_group(ctx, casa, first);
    return status;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* The rows of block b of all; false where one is not finite. */
static bool write_block(const struct casa *casa, size_t b, const struct sens_out *out)
{
    const size_t n = casa->n, np = casa->np, c0 = b * casa->L;
    const size_t w = casa->m - c0 < casa->L ? casa->m - c0 : casa->L;
    const sens_real *lambda = casa->result + casa->rows.n * c0;
    const sens_real *mu = casa->mu ? casa->mu + np * c0 : lambda + n * w;
    if (np > 0 && !sens_lanes_to_rows(np, w, w, mu, out->dGdp + c0 * np)) return false;
    return !(casa->task->parts & SENS_IN_DGDX0) || sens_lanes_to_rows(n, w, w, lambda, out->dGdx0 + c0 * n);
}

sens_status casa_write(struct casa *casa, const struct sens_out *out)
{
    const size_t n = casa->n, m = casa->m;
    bool finite = sens_finite(m, casa->G) && sens_finite(casa->rows.n * m, casa->result);
    if (casa->carried) finite = finite && sens_finite(n, casa->x_back);
    if (casa->mu) finite = finite && sens_finite(casa->np * m, casa->mu);
    if (!finite) return SENS_DIVERGED;
    for (size_t b = 0; b < casa->blocks; b++)
        if (!write_block(casa, b, out)) return SENS_DIVERGED;
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
    if (casa->grid) grid_step_count(casa->grid, 0, casa->m, &work);
    for (size_t i = 0; i < casa->stages && !casa->grid; i++) { /* every block has its true width */
        sens_products_count(casa->products[i], 0, casa->m, &work);
        if (casa->batch) sens_batch_count(casa->batch[i], &work);
    }
    if (casa->deferred) sens_batch_count(casa->deferred, &work);
    return work;
}
