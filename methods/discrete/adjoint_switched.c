/* The discrete adjoint of steps that switch: each step by the formula of the part that took it
 * (adjoint_runge_kutta.c), explicit or diagonally implicit. The two take turns with the same lambda, and with the
 * same room for their own vectors. */
#include "adjoint_family.h"

struct plan {
    struct sens_task task[2]; /* each with its part for a tableau */
    struct adjoint_plan part[2];
};

struct worker {
    const struct plan *plan;
    void *part[2];
};

struct block {
    void *part[2];
};

static int part_of(const struct plan *plan, const struct sens_step *step)
{
    return step->tableau == plan->task[1].tableau;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static sens_status make_plan(struct sens_ctx *ctx, const struct sens_task *task, struct adjoint_plan *made)
{
    struct plan *plan = SENS_NEW(ctx, struct plan, 1);
    if (!plan) return SENS_NO_MEMORY;
    for (int k = 0; k < 2; k++) {
        plan->task[k] = *task;
        plan->task[k].tableau = task->tableau->part[k];
        const sens_status status = adjoint_runge_kutta.plan(ctx, &plan->task[k], &plan->part[k]);
        if (status != SENS_OK) return status;
    }
    const struct adjoint_plan *a = &plan->part[0], *b = &plan->part[1];
    *made = (struct adjoint_plan){.points = larger(a->points, b->points),
                                  .parts = larger(a->parts, b->parts),
                                  .vectors = larger(a->vectors, b->vectors),
                                  .adds_to_mu = a->adds_to_mu,
                                  .own = plan};
    return SENS_OK;
}

static sens_status create_worker(struct sens_ctx *ctx, void *own, size_t L, void **made)
{
    struct worker *w = SENS_NEW(ctx, struct worker, 1);
    if (!w) return SENS_NO_MEMORY;
    w->plan = own;
    *made = w;
    sens_status status = SENS_OK;
    for (int k = 0; k < 2 && status == SENS_OK; k++)
        status = adjoint_runge_kutta.create_worker(ctx, w->plan->part[k].own, L, &w->part[k]);
    return status;
}

static sens_status create_block(struct sens_ctx *ctx, void *own, size_t L, struct adjoint_block *made)
{
    const struct plan *plan = own;
    struct block *block = SENS_NEW(ctx, struct block, 1);
    if (!block) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (int k = 0; k < 2 && status == SENS_OK; k++) {
        status = adjoint_runge_kutta.create_block(ctx, plan->part[k].own, L, made);
        block->part[k] = made->own;
    }
    made->own = block;
    return status;
}

static void begin(void *worker, const sens_real *p)
{
    const struct worker *w = worker;
    for (int k = 0; k < 2; k++) adjoint_runge_kutta.begin(w->part[k], p);
}

static size_t find_points(const void *own, const struct sens_step *step, struct sens_at *at)
{
    const struct plan *plan = own;
    return adjoint_runge_kutta.points(plan->part[part_of(plan, step)].own, step, at);
}

static sens_status linearise(void *worker, size_t part, const struct adjoint_step *step)
{
    const struct worker *w = worker;
    const int k = part_of(w->plan, step->step);
    return part < w->plan->part[k].parts ? adjoint_runge_kutta.linearise(w->part[k], part, step) : SENS_OK;
}

static sens_status sweep(void *worker, size_t part, const struct adjoint_step *step,
                         const struct adjoint_block *block)
{
    const struct worker *w = worker;
    const int k = part_of(w->plan, step->step);
    struct adjoint_block one = *block;
    one.own = ((const struct block *)block->own)->part[k];
    return part < w->plan->part[k].parts ? adjoint_runge_kutta.sweep(w->part[k], part, step, &one) : SENS_OK;
}

static void count(void *worker, size_t idle, size_t lanes, struct sens_work *work)
{
    const struct worker *w = worker;
    for (int k = 0; k < 2; k++) adjoint_runge_kutta.count(w->part[k], idle, lanes, work);
}

const struct adjoint_family adjoint_switched = {
    .plan = make_plan,
    .create_worker = create_worker,
    .create_block = create_block,
    .begin = begin,
    .points = find_points,
    .linearise = linearise,
    .sweep = sweep,
    .count = count,
};
