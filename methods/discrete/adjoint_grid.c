/* The discrete adjoint of an explicit step on a grid whose df/dx is one sparse matrix for all t and x: what all stages
 * do to lambda is a polynomial of it, and to mu one matrix of the step (grid/grid_step.h). */
#include "adjoint_grid.h"

#include "grid_step.h"

struct plan {
    const struct sens_task *task;
    size_t stages;
};

struct worker {
    struct grid_step step;
    sens_real *W; /* [np][n] of the step at hand, where they are not kept */
};

bool adjoint_grid_suits(const struct sens_task *task)
{
    return grid_step_suits(task) && !sens_problem_engine(task->problem, task->tableau);
}

static sens_status make_plan(struct sens_ctx *ctx, const struct sens_task *task, struct adjoint_plan *made)
{
    const size_t np = task->parts & SENS_IN_DGDP ? task->problem->np : 0;
    struct plan *plan = SENS_NEW(ctx, struct plan, 1);
    if (!plan) return SENS_NO_MEMORY;
    *plan = (struct plan){task, (size_t)task->tableau->stages};
    *made = (struct adjoint_plan){.points = plan->stages,
                                  .parts = 1,
                                  .kept = np * task->problem->n,
                                  .lanes = grid_step_lanes(ctx, task),
                                  .adds_to_mu = true,
                                  .no_slots = true,
                                  .own = plan};
    return SENS_OK;
}

static sens_status create_worker(struct sens_ctx *ctx, void *own, size_t L, void **made)
{
    const struct plan *plan = own;
    struct worker *w = *made = SENS_NEW(ctx, struct worker, 1);
    if (!w) return SENS_NO_MEMORY;
    const sens_status status = grid_step_create(ctx, plan->task, L, &w->step);
    if (status != SENS_OK || w->step.np == 0) return status;
    w->W = SENS_NEW(ctx, sens_real, w->step.np * w->step.n);
    return w->W ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status create_block(struct sens_ctx *ctx, void *own, size_t L, struct adjoint_block *block)
{
    (void)ctx, (void)own, (void)L, (void)block; /* lambda is all that a block has */
    return SENS_OK;
}

static void begin(void *worker, const sens_real *p)
{
    struct worker *w = worker;
    grid_step_begin(&w->step, p);
}

static size_t find_points(const void *own, const struct sens_step *step, struct sens_at *at)
{
    const struct plan *plan = own;
    const struct sens_problem *pb = plan->task->problem;
    for (size_t i = 0; i < plan->stages; i++)
        at[i] = (struct sens_at){sens_stage_time(plan->task->tableau, step->t, step->h, (int)i),
                                 step->Y + i * pb->n, pb->p};
    return plan->stages;
}

static void keep(void *worker, const struct adjoint_step *step, sens_real *W)
{
    struct worker *w = worker;
    grid_step_discrete(&w->step, step->h, step->at, W);
}

static sens_status linearise(void *worker, size_t part, const struct adjoint_step *step)
{
    struct worker *w = worker;
    (void)part;
    if (w->W && !step->kept) keep(w, step, w->W);
    return SENS_OK;
}

static sens_status sweep(void *worker, size_t part, const struct adjoint_step *step,
                         const struct adjoint_block *block)
{
    struct worker *w = worker;
    (void)part;
    grid_step_sweep(&w->step, step->h, step->kept ? step->kept : w->W, block->L, block->lambda, block->lambda,
                    block->mu);
    return SENS_OK;
}

static void count(void *worker, size_t idle, size_t lanes, struct sens_work *work)
{
    struct worker *w = worker;
    grid_step_count(&w->step, idle, lanes, work);
}

const struct adjoint_family adjoint_grid = {
    .plan = make_plan,
    .create_worker = create_worker,
    .create_block = create_block,
    .begin = begin,
    .points = find_points,
    .keep = keep,
    .linearise = linearise,
    .sweep = sweep,
    .count = count,
};
