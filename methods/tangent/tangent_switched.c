/* The discrete tangent of steps that switch: each step by the formula of the part that took it
 * (tangent_runge_kutta.c), explicit or diagonally implicit. */
#include "tangent_family.h"

struct rows {
    struct sens_task task[2]; /* each with its part for a tableau */
    void *part[2];
};

static int part_of(const struct rows *rows, const struct sens_step *step)
{
    return step->tableau == rows->task[1].tableau;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, size_t L, size_t n_cols,
                          const sens_real *weight, void **own)
{
    struct rows *rows = SENS_NEW(ctx, struct rows, 1);
    if (!rows) return SENS_NO_MEMORY;
    *own = rows;
    sens_status status = SENS_OK;
    for (int k = 0; k < 2 && status == SENS_OK; k++) {
        rows->task[k] = *task;
        rows->task[k].tableau = task->tableau->part[k];
        status = tangent_runge_kutta.create(ctx, &rows->task[k], L, n_cols, weight, &rows->part[k]);
    }
    return status;
}

static sens_status iterate(struct sens_ctx *ctx, void *own)
{
    const struct rows *rows = own;
    sens_status status = SENS_OK;
    for (int k = 0; k < 2 && status == SENS_OK; k++) status = tangent_runge_kutta.iterate(ctx, rows->part[k]);
    return status;
}

static sens_status keep(struct sens_ctx *ctx, void *own)
{
    const struct rows *rows = own;
    sens_status status = SENS_OK;
    for (int k = 0; k < 2 && status == SENS_OK; k++) status = tangent_runge_kutta.keep(ctx, rows->part[k]);
    return status;
}

static sens_status linearise(void *own, const struct sens_step *step)
{
    const struct rows *rows = own;
    return tangent_runge_kutta.linearise(rows->part[part_of(rows, step)], step);
}

static sens_status advance(void *own, const struct sens_step *step, const struct tangent_block *block)
{
    const struct rows *rows = own;
    return tangent_runge_kutta.advance(rows->part[part_of(rows, step)], step, block);
}

static void estimate(void *own, const struct sens_step *step, const struct tangent_block *block,
                     const sens_real *s, const sens_real *f, sens_real *e)
{
    const struct rows *rows = own;
    tangent_runge_kutta.estimate(rows->part[part_of(rows, step)], step, block, s, f, e);
}

static void count(void *own, size_t idle, size_t lanes, struct sens_work *work)
{
    const struct rows *rows = own;
    for (int k = 0; k < 2; k++) tangent_runge_kutta.count(rows->part[k], idle, lanes, work);
}

const struct tangent_family tangent_switched = {.create = create,
                                                .iterate = iterate,
                                                .keep = keep,
                                                .linearise = linearise,
                                                .advance = advance,
                                                .estimate = estimate,
                                                .count = count};
