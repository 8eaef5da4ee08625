/* The continuous adjoint of x' = f(t, x, p) for the functionals of a task,
 *
 *     -lambda' = (df/dx)^T lambda + g_x,   -mu' = (df/dp)^T lambda + g_p,
 *     lambda(t_j - 0) = lambda(t_j + 0) + phi_x,   mu(t_j - 0) = mu(t_j + 0) + phi_p
 *
 * (Cao, Li, Petzold & Serban, SIAM J. Sci. Comput. 24 (2003) 1076-1089; Martins & Lakshtanov, arXiv
 * 2410.01911). The backward solver starts afresh at every observation, where lambda jumps. Outside the error
 * test mu is no part of the system that is solved, see casa_common.h. */
#include <string.h>

#include "blocks.h"
#include "casa_common.h"
#include "kernels.h"
#include "rules.h"

/* ---- layout of z --------------------------------------------------------------------------------------- */

/* Width of the block that starts with functional c0. */
static size_t block_width(const struct casa *casa, size_t c0)
{
    return casa->m - c0 < casa->L ? casa->m - c0 : casa->L;
}

static size_t lambda_offset(const struct casa *casa, size_t c0)
{
    return casa->carried + casa->n * c0;
}

static size_t mu_offset(const struct casa *casa, size_t c0)
{
    return casa->carried + casa->n * casa->m + casa->np * c0;
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
    casa->G = SENS_NEW(ctx, sens_real, casa->m);
    if (!casa->x0 || !casa->x1 || !casa->G) return SENS_NO_MEMORY;
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

/* ---- backward ------------------------------------------------------------------------------------------ */

static const sens_real *state_at(const struct casa *casa, sens_real t, const sens_real *z)
{
    return casa->carried ? z : casa->state(casa->self, t);
}

/* dx/ds = -f */
static sens_status carried_slope(const struct casa *casa, const struct sens_at *at, sens_real *dx)
{
    const sens_status status = casa->task->problem->type->rhs(casa->task->problem, at, dx);
    for (size_t i = 0; i < casa->carried; i++) dx[i] = -dx[i];
    return status;
}

/* The slope of a block is a stage of a reverse sweep whose cotangent is lambda itself. */
static void block_slope(const struct casa *casa, const struct sens_at *at, size_t c0, const sens_real *z,
                        sens_real *dz)
{
    const struct sens_cost *cost = casa->task->cost;
    const size_t w = block_width(casa, c0);
    const sens_real one = 1, *const lambda = z + lambda_offset(casa, c0);
    sens_real *dlambda = dz + lambda_offset(casa, c0), *dmu = dz + mu_offset(casa, c0);
    const struct sens_stage stage = {.terms = 1, .w = &one, .v = &lambda, .theta = dlambda};
    struct sens_slot slot = {.kappa = casa->kappa, .room = casa->room, .unkept = !casa->carries_mu};
    if (casa->carries_mu) sens_batch_slot(casa->batch, 0, 0, w, &slot);
    sens_products_reverse(casa->products, 0, w, 1, &stage, 1, &slot, NULL);
    if (cost->type->g_dx) cost->type->g_dx(cost, at, 1, c0, w, dlambda);
    if (!casa->carries_mu) return;
    sens_batch_add(casa->batch, at->p, 0, w, true, dmu);
    if (cost->type->g_dp) cost->type->g_dp(cost, at, 1, c0, w, dmu);
}

/* What depends on the point alone, once for all blocks. */
static void linearise(const struct casa *casa, const struct sens_at *at)
{
    sens_products_at_all(casa->products, 1, at);
    if (!casa->carries_mu) return;
    sens_batch_clear(casa->batch);
    sens_batch_points(casa->batch, 1, at);
    sens_batch_close(casa->batch);
}

/* Where x is not carried, f itself is not evaluated: a point at which it is not defined shows in the
 * products. */
static sens_status slope(void *self, sens_real s, const sens_real *z, sens_real *dz)
{
    const struct casa *casa = self;
    const sens_real t = -s;
    const struct sens_at at = {t, state_at(casa, t, z), casa->task->problem->p};
    const sens_status status = casa->carried ? carried_slope(casa, &at, dz) : SENS_OK;
    if (status != SENS_OK) return status;
    linearise(casa, &at);
    for (size_t c0 = 0; c0 < casa->m; c0 += casa->L) block_slope(casa, &at, c0, z, dz);
    return SENS_OK;
}

/* ---- mu outside the error test ------------------------------------------------------------------------- */

/* mu += what the points kept add to it. */
static void flush_points(struct casa *casa)
{
    sens_batch_close(casa->batch);
    for (size_t b = 0, c0 = 0; c0 < casa->m; b++, c0 += casa->L)
        sens_batch_add(casa->batch, casa->task->problem->p, b, block_width(casa, c0), false,
                       casa->z + mu_offset(casa, c0));
    sens_batch_clear(casa->batch);
}

/* mu += weight ((df/dp)^T lambda + g_p) at a point, the product later. */
static void add_point(struct casa *casa, const struct sens_at *at, sens_real weight, const sens_real *z)
{
    const struct sens_cost *cost = casa->task->cost;
    const sens_real one = 1;
    if (sens_batch_full(casa->batch, 1)) flush_points(casa);
    const size_t k = sens_batch_points(casa->batch, 1, at);
    for (size_t b = 0, c0 = 0; c0 < casa->m; b++, c0 += casa->L) {
        const size_t w = block_width(casa, c0);
        const sens_real *const lambda = z + lambda_offset(casa, c0);
        struct sens_slot slot;
        sens_batch_slot(casa->batch, k, b, w, &slot);
        if (slot.s)
            sens_lanes_combine_scaled(casa->n, w, 1, weight, &one, &lambda, slot.s, slot.kappa, NULL,
                                      casa->room);
        else
            sens_lanes_combine(casa->n * w, 1, weight, &one, &lambda, slot.kappa);
        if (cost->type->g_dp) cost->type->g_dp(cost, at, weight, c0, w, casa->z + mu_offset(casa, c0));
    }
}

/* mu += h sum_i b_i ((df/dp)^T lambda + g_p) at the stages of an accepted step, as if it had been a part of z. */
static sens_status add_step(void *self, const struct sens_step *step)
{
    struct casa *casa = self;
    const struct sens_tableau *tb = step->tableau;
    for (int i = 0; i < tb->stages; i++) {
        if (tb->b[i] == 0) continue;
        const sens_real *z = step->Y + (size_t)i * casa->backward_ode.n;
        const sens_real t = -sens_stage_time(tb, step->t, step->h, i);
        const struct sens_at at = {t, state_at(casa, t, z), casa->task->problem->p};
        add_point(casa, &at, step->h * tb->b[i], z);
    }
    return SENS_OK;
}

/* Of a batch outside the error test. A point has n numbers of each output, a pass over mu has np: a batch that
 * leaves the cache may have as many points as make it as large as mu. */
static size_t batch_points(const struct sens_ctx *ctx, const struct casa *casa)
{
    const size_t cached = sens_second_level(ctx) / (casa->n * casa->m * sizeof(sens_real));
    const size_t as_mu = casa->np / casa->n;
    const size_t points = cached > as_mu ? cached : as_mu;
    return points > SENS_BATCH_MOST ? SENS_BATCH_MOST : points > 1 ? points : 1;
}

/* ---- the backward system ------------------------------------------------------------------------------- */

/* The derivative products, and room for one block. */
static sens_status create_products(struct sens_ctx *ctx, struct casa *casa)
{
    const struct sens_problem *pb = casa->task->problem;
    casa->kappa = SENS_NEW(ctx, sens_real, casa->n * casa->L);
    casa->room = SENS_NEW(ctx, sens_real, casa->n * casa->L);
    if (!casa->kappa || !casa->room) return SENS_NO_MEMORY;
    const sens_status status = sens_products_create(ctx, pb, SENS_VJP, 1, casa->m, &casa->products);
    if (status != SENS_OK || casa->np == 0) return status;
    if (casa->carries_mu) return sens_batch_create(ctx, pb, 1, 1, casa->L, &casa->batch);
    casa->points = batch_points(ctx, casa);
    return sens_batch_create(ctx, pb, casa->points, (casa->m + casa->L - 1) / casa->L, casa->L, &casa->batch);
}

sens_status casa_create_backward(struct sens_ctx *ctx, struct casa *casa, struct casa_tolerances lambda,
                                 struct casa_tolerances mu)
{
    const struct sens_task *task = casa->task;
    casa->part[0] = (struct sens_ode_part){casa->carried, task->rtol, task->atol, true};
    casa->part[1] = (struct sens_ode_part){casa->n * casa->m, lambda.rtol, lambda.atol, lambda.tested};
    casa->part[2] = (struct sens_ode_part){casa->np * casa->m, mu.rtol, mu.atol, mu.tested};
    casa->carries_mu = mu.tested && casa->np > 0;
    casa->size = mu_offset(casa, casa->m);
    casa->backward_ode = (struct sens_ode){.n = casa->carries_mu ? casa->size : mu_offset(casa, 0),
                                           .f = slope,
                                           .self = casa,
                                           .n_parts = casa->carries_mu ? 3 : 2,
                                           .part = casa->part};
    casa->z = SENS_NEW(ctx, sens_real, casa->size);
    if (!casa->z) return SENS_NO_MEMORY;
    const sens_status status = create_products(ctx, casa);
    if (status != SENS_OK) return status;
    return sens_solver_create(ctx, &casa->backward_ode, &casa->backward_settings, &casa->backward);
}

/* The jump of observation j, at time t. */
static void observe(struct casa *casa, long j, sens_real t)
{
    const struct sens_cost *cost = casa->task->cost;
    const sens_real *p = casa->task->problem->p;
    if (j < 0) return;
    const sens_real *x = state_at(casa, t, casa->z);
    for (size_t c0 = 0; c0 < casa->m; c0 += casa->L) {
        const size_t w = block_width(casa, c0);
        cost->type->phi_dx(cost, (size_t)j, x, p, c0, w, casa->z + lambda_offset(casa, c0));
        if (cost->type->phi_dp && casa->np > 0)
            cost->type->phi_dp(cost, (size_t)j, x, p, c0, w, casa->z + mu_offset(casa, c0));
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
    const struct sens_step_watcher adder = {add_step, casa};
    casa->backward_settings.max_steps = casa->task->max_steps - sum->steps - sum->rejects;
    const sens_status status = sens_solver_solve(ctx, casa->backward, -t, casa->z, 1, &stop,
                                                 casa->points > 0 ? &adder : NULL, casa->z, &stats);
    if (status != SENS_OK) return explain(ctx, status);
    sum->steps += stats.steps;
    sum->rejects += stats.rejects;
    return SENS_OK;
}

sens_status casa_solve_backward(struct sens_ctx *ctx, struct casa *casa)
{
    const struct sens_stops *stops = &casa->stops;
    const sens_real t0 = casa->task->problem->t0;
    sens_products_begin(casa->products, casa->task->problem->p);
    memset(casa->z, 0, casa->size * sizeof *casa->z);
    if (casa->batch) sens_batch_clear(casa->batch);
    memcpy(casa->z, casa->x1, casa->carried * sizeof *casa->z);
    casa->backward_stats = (struct sens_solver_stats){0, 0};
    for (size_t j = stops->n; j-- > 0;) {
        observe(casa, stops->obs[j], stops->t[j]);
        const sens_status status = solve_interval(ctx, casa, stops->t[j], j > 0 ? stops->t[j - 1] : t0);
        if (status != SENS_OK) return status;
    }
    if (casa->points > 0) flush_points(casa);
    observe(casa, stops->obs_at_t0, t0);
    return SENS_OK;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* mu += (dx0/dp)^T lambda */
static void add_initial_state(struct casa *casa)
{
    const struct sens_problem *pb = casa->task->problem;
    if (!sens_problem_x0_depends(pb) || casa->np == 0) return;
    for (size_t c0 = 0; c0 < casa->m; c0 += casa->L)
        pb->type->x0_vjp(pb, pb->p, block_width(casa, c0), casa->z + lambda_offset(casa, c0),
                         casa->z + mu_offset(casa, c0));
}

sens_status casa_write(struct casa *casa, const struct sens_out *out)
{
    const size_t n = casa->n, np = casa->np, m = casa->m;
    add_initial_state(casa);
    bool finite = sens_finite(casa->size, casa->z) && sens_finite(m, casa->G);
    for (size_t c0 = 0; c0 < m && finite; c0 += casa->L) {
        const size_t w = block_width(casa, c0);
        if (np > 0) finite = sens_lanes_to_rows(np, w, w, casa->z + mu_offset(casa, c0), out->dGdp + c0 * np);
        if (finite && (casa->task->parts & SENS_IN_DGDX0))
            finite = sens_lanes_to_rows(n, w, w, casa->z + lambda_offset(casa, c0), out->dGdx0 + c0 * n);
    }
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
    sens_products_count(casa->products, 0, casa->m, &work); /* every block has its true width */
    if (casa->batch) sens_batch_count(casa->batch, &work);
    return work;
}
