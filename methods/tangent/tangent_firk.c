/* The discrete tangent of a fully implicit step: with sigma_i = dY_i/dq and s = dy/dq,
 *
 *     sigma_i - h sum_j a_ij (df/dx)(t_j, Y_j) sigma_j = s + h sum_j a_ij (df/dq)(t_j, Y_j),
 *     dG/dq += h b_i ((dg/dx)(t_i, Y_i) sigma_i + (dg/dq)(t_i, Y_i)),
 *     s     += sum_i end_i (sigma_i - s),      end^T = b^T A^-1,
 *
 * with a mass matrix M as M sigma_i and M s in the first line, the transpose of adjoint_firk.c, line by line. The
 * matrix has df/dx at each stage itself: the derivative is that of converged stages, and inherits nothing from the
 * matrices that found them, which at most correct what it solves for to rounding. One factorisation a step, or those
 * that are kept of the forward solve, serve all lanes (firk_system.h). */
#include <string.h>

#include "firk_system.h"
#include "kernels.h"
#include "mass.h"
#include "tangent_family.h"

enum { S = SENS_FIRK_STAGES };

struct step {
    const struct sens_task *task;
    size_t n, L;
    bool running; /* the cost has a running part that depends on the state */
    struct firk_system system;
    struct sens_products *products[S]; /* for df/dq alone */
    struct sens_gradient gradient[S];  /* of the running cost */
    sens_real *sigma;                  /* [S][n][L] */
    sens_real *columns;                /* [S][n][L] df/dq */
    sens_real *Ms;                     /* [n][L] with a mass matrix: M s; else NULL */
};

static sens_status linearise(void *own, const struct sens_step *at_step)
{
    struct step *step = own;
    const struct sens_tableau *tb = step->task->tableau;
    struct sens_at at[S];
    for (int i = 0; i < S; i++) {
        at[i] = (struct sens_at){sens_stage_time(tb, at_step->t, at_step->h, i + 1),
                                 at_step->Y + (size_t)(i + 1) * step->n, step->task->problem->p};
        sens_products_at(step->products[i], &at[i]);
        if (step->running && tb->b[i + 1] != 0)
            sens_gradient_running(&step->gradient[i], &at[i], at_step->h * tb->b[i + 1]);
    }
    return firk_system_at(&step->system, at_step->h, at, at_step->factors);
}

/* sigma_i = s + h sum_j a_ij df/dq_j */
static void right_hand_sides(const struct step *step, sens_real h, const struct tangent_block *block)
{
    const sens_real(*const A)[S] = step->system.formula.A;
    const size_t size = step->n * block->L;
    const sens_real *const from = step->Ms ? step->Ms : block->s;
    if (step->Ms) sens_mass_multiply(step->task->problem->mass, false, block->L, block->s, step->Ms);
    memset(step->columns, 0, S * size * sizeof *step->columns);
    for (size_t i = 0; i < S; i++) tangent_add_columns(block, step->products[i], step->columns + i * size);
    for (size_t i = 0; i < S; i++) {
        const sens_real weight[S + 1] = {1, h * A[i][0], h * A[i][1], h * A[i][2]};
        const sens_real *const vector[S + 1] = {from, step->columns, step->columns + size,
                                                step->columns + 2 * size};
        sens_lanes_combine(size, S + 1, 1, weight, vector, step->sigma + i * size);
    }
}

static sens_status advance(void *own, const struct sens_step *at_step, const struct tangent_block *block)
{
    struct step *step = own;
    const size_t size = step->n * block->L;
    const sens_real *const b = step->task->tableau->b;
    right_hand_sides(step, at_step->h, block);
    const sens_status status = firk_system_solve(&step->system, false, block->L, step->sigma);
    if (status != SENS_OK) return status;
    for (size_t i = 0; i < S; i++)
        if (step->running && b[i + 1] != 0)
            tangent_add_cost(block, &step->gradient[i], step->sigma + i * size);
    const sens_real weight[S + 1] = {step->system.formula.rest, step->system.formula.end[0],
                                     step->system.formula.end[1], step->system.formula.end[2]};
    const sens_real *const vector[S + 1] = {block->s, step->sigma, step->sigma + size,
                                            step->sigma + 2 * size};
    const int first = step->system.formula.rest == 0 ? 1 : 0;
    sens_lanes_combine(size, S + 1 - first, 1, weight + first, vector + first, block->s);
    return SENS_OK;
}

/* h (e_0 f + sum_i e_i K_i), h K = A^-1 (sigma - s), or with a mass matrix that times it. */
static void estimate(void *own, const struct sens_step *at_step, const struct tangent_block *block,
                     const sens_real *s, const sens_real *f, sens_real *e)
{
    struct step *step = own;
    const size_t size = step->n * block->L;
    const sens_real *const by = step->task->tableau->e;
    sens_real weight[S + 1] = {0}, *const sum = step->Ms ? step->Ms : e;
    for (int j = 0; j < S; j++) {
        for (int i = 0; i < S; i++) weight[j + 1] += by[i + 1] * step->system.formula.A_inverse[i][j];
        weight[0] -= weight[j + 1];
    }
    const sens_real *const vector[S + 1] = {s, step->sigma, step->sigma + size, step->sigma + 2 * size};
    sens_lanes_combine(size, S + 1, 1, weight, vector, sum);
    if (step->Ms) sens_mass_multiply(step->task->problem->mass, false, block->L, sum, e);
    sens_lanes_axpy(step->n, block->L, at_step->h * by[0], f, e);
}

static void count(void *own, size_t idle, size_t lanes, struct sens_work *work)
{
    struct step *step = own;
    for (int i = 0; i < S; i++) sens_products_count(step->products[i], idle, lanes, work);
    firk_system_count(&step->system, work);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, size_t L, size_t n_cols,
                          const sens_real *weight, void **own)
{
    struct step *step = SENS_NEW(ctx, struct step, 1);
    (void)n_cols, (void)weight;
    if (!step) return SENS_NO_MEMORY;
    *step =
        (struct step){.task = task, .n = task->problem->n, .L = L, .running = task->cost->type->g_dx != NULL};
    step->sigma = SENS_NEW(ctx, sens_real, S * step->n * L);
    step->columns = SENS_NEW(ctx, sens_real, S * step->n * L);
    step->Ms = task->problem->mass ? SENS_NEW(ctx, sens_real, step->n * L) : NULL;
    if (!step->sigma || !step->columns || (task->problem->mass && !step->Ms)) return SENS_NO_MEMORY;
    sens_status status = firk_system_create(ctx, task, SENS_JVP, L, &step->system);
    for (int i = 0; i < S && status == SENS_OK; i++)
        status = sens_products_create(ctx, task->problem, SENS_JVP, 1, 1, &step->products[i]);
    for (int i = 0; i < S && step->running && status == SENS_OK; i++)
        status = sens_gradient_create(ctx, task, true, &step->gradient[i]);
    if (status == SENS_OK) *own = step;
    return status;
}

static sens_status iterate(struct sens_ctx *ctx, void *own)
{
    struct step *step = own;
    return firk_system_iterate(ctx, step->task, SENS_JVP, step->L, &step->system);
}

static sens_status keep(struct sens_ctx *ctx, void *own)
{
    struct step *step = own;
    return firk_system_keep(ctx, step->task, SENS_JVP, step->L, &step->system);
}

const struct tangent_family tangent_firk = {.create = create,
                                            .iterate = iterate,
                                            .keep = keep,
                                            .linearise = linearise,
                                            .advance = advance,
                                            .estimate = estimate,
                                            .count = count};
