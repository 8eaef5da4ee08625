/* The discrete adjoint of a fully implicit step, with end^T = b^T A^-1:
 *
 *     psi_i - h (df/dx)(t_i, Y_i)^T sum_j a_ji psi_j = end_i lambda + h b_i (dg/dx)(t_i, Y_i),
 *     kappa_i = h sum_j a_ji psi_j,
 *     lambda  = (1 - sum_i end_i) lambda + sum_i psi_i,
 *     mu     += sum_i (df/dp)(t_i, Y_i)^T kappa_i + h b_i (dg/dp)(t_i, Y_i).
 *
 * with a mass matrix M as M^T psi_i at the start of the first line and in the third.
 *
 * (Of the Lagrangian with Y_i - y - h sum_j a_ij f(t_j, Y_j) = 0 and y1 = y + sum_i end_i (Y_i - y); psi_i is the
 * multiplier. With theta_i = psi_i - end_i lambda these are the equations of adjoint_runge_kutta.c.) The matrix is the
 * transpose of that of tangent_firk.c, with df/dx at each stage itself: it inherits nothing from the matrices that
 * found the stages, which at most correct what it solves for to rounding. One factorisation a step, or those that are
 * kept of the forward solve, serve all lanes (firk_system.h). A block's vectors are lambda, psi_1, psi_2, psi_3. */
#include "adjoint_family.h"
#include "firk_system.h"
#include "kernels.h"
#include "mass.h"
#include "tangent_test.h"

enum { S = SENS_FIRK_STAGES };

struct plan {
    const struct sens_task *task;
    size_t n;
    struct sens_firk_transform formula;
};

struct worker {
    const struct plan *plan;
    struct firk_system system;
    size_t vectors; /* kappa that were made */
    sens_real *sum; /* [2][n][L] with a mass matrix: of the psi, and M^T times it; else NULL */
};

struct block {
    sens_real *psi; /* [S][n][L] */
};

static sens_status make_plan(struct sens_ctx *ctx, const struct sens_task *task, struct adjoint_plan *made)
{
    struct plan *plan = SENS_NEW(ctx, struct plan, 1);
    if (!plan) return SENS_NO_MEMORY;
    *plan = (struct plan){.task = task, .n = task->problem->n};
    if (!sens_firk_transform(task->tableau, &plan->formula))
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: not three implicit stages", task->tableau->name);
    *made = (struct adjoint_plan){
        .points = S, .parts = 1, .vectors = S, .adds_to_mu = task->cost->type->g_dp, .own = plan};
    return SENS_OK;
}

static sens_status create_worker(struct sens_ctx *ctx, void *own, size_t L, void **made)
{
    const struct plan *plan = own;
    struct worker *w = SENS_NEW(ctx, struct worker, 1);
    if (!w) return SENS_NO_MEMORY;
    w->plan = plan;
    w->sum = plan->task->problem->mass ? SENS_NEW(ctx, sens_real, 2 * plan->n * L) : NULL;
    if (plan->task->problem->mass && !w->sum) return SENS_NO_MEMORY;
    *made = w;
    const bool iterates = plan->task->option[OPT_STAGE_SOLVE].number == SOLVE_NEWTON;
    const bool kept = plan->task->option[OPT_FACTORS].number == FACTORS_KEPT;
    sens_status status = firk_system_create(ctx, plan->task, SENS_VJP, L, &w->system);
    if (status == SENS_OK && iterates) status = firk_system_iterate(ctx, plan->task, SENS_VJP, L, &w->system);
    return status == SENS_OK && kept ? firk_system_keep(ctx, plan->task, SENS_VJP, L, &w->system) : status;
}

static sens_status create_block(struct sens_ctx *ctx, void *own, size_t L, struct adjoint_block *made)
{
    const struct plan *plan = own;
    struct block *block = made->own = SENS_NEW(ctx, struct block, 1);
    if (!block) return SENS_NO_MEMORY;
    block->psi = made->lambda + plan->n * L;
    return SENS_OK;
}

static void begin(void *worker, const sens_real *p)
{
    (void)worker, (void)p;
}

static size_t find_points(const void *own, const struct sens_step *step, struct sens_at *at)
{
    const struct plan *plan = own;
    for (int i = 0; i < S; i++)
        at[i] = (struct sens_at){sens_stage_time(plan->task->tableau, step->t, step->h, i + 1),
                                 step->Y + (size_t)(i + 1) * plan->n, plan->task->problem->p};
    return S;
}

static sens_status linearise(void *worker, size_t part, const struct adjoint_step *step)
{
    struct worker *w = worker;
    (void)part;
    return firk_system_at(&w->system, step->h, step->at, step->step->factors);
}

/* psi_i = end_i lambda + h b_i dg/dx, and mu += h b_i dg/dp */
static void right_hand_sides(const struct plan *plan, const struct adjoint_step *step,
                             const struct adjoint_block *block, sens_real *psi)
{
    const struct sens_cost *cost = plan->task->cost;
    const size_t size = plan->n * block->L;
    for (size_t i = 0; i < S; i++) {
        for (size_t q = 0; q < size; q++) psi[i * size + q] = plan->formula.end[i] * block->lambda[q];
        const sens_real hb = step->h * plan->task->tableau->b[i + 1];
        if (cost->type->g && hb != 0) adjoint_add_running_cost(cost, &step->at[i], hb, block, psi + i * size);
    }
}

/* kappa_i = h sum_j a_ji psi_j, scaled where the slot says so */
static void cotangents(const struct plan *plan, sens_real h, const struct adjoint_block *block,
                       const sens_real *psi)
{
    const sens_real(*const A)[S] = plan->formula.A;
    const size_t n = plan->n, L = block->L, size = n * L;
    const sens_real *const vector[S] = {psi, psi + size, psi + 2 * size};
    for (size_t i = 0; i < S; i++) {
        const sens_real weight[S] = {A[0][i], A[1][i], A[2][i]};
        sens_real *const kappa = block->slot.kappa + i * size;
        sens_lanes_combine(size, S, h, weight, vector, kappa);
        for (size_t r = 0; block->slot.s && r < n; r++)
            for (size_t l = 0; l < L; l++) kappa[r * L + l] *= block->slot.s[i * n + r];
    }
}

/* lambda = (1 - sum_i end_i) lambda + M^T sum_i psi_i */
static void add_through_mass(const struct worker *w, const struct adjoint_block *block, const sens_real *psi)
{
    const struct plan *plan = w->plan;
    const size_t size = plan->n * block->L;
    sens_real *const sum = w->sum, *const turned = sum + size;
    for (size_t q = 0; q < size; q++) sum[q] = psi[q] + psi[size + q] + psi[2 * size + q];
    sens_mass_multiply(plan->task->problem->mass, true, block->L, sum, turned);
    for (size_t q = 0; q < size; q++) block->lambda[q] = plan->formula.rest * block->lambda[q] + turned[q];
}

static sens_status sweep(void *worker, size_t part, const struct adjoint_step *step,
                         const struct adjoint_block *block)
{
    struct worker *w = worker;
    const struct plan *plan = w->plan;
    const size_t size = plan->n * block->L;
    sens_real *const psi = ((const struct block *)block->own)->psi;
    (void)part;
    right_hand_sides(plan, step, block, psi);
    const sens_status status = firk_system_solve(&w->system, true, block->L, psi);
    if (status != SENS_OK) return status;
    cotangents(plan, step->h, block, psi);
    if (w->sum)
        add_through_mass(w, block, psi);
    else
        for (size_t q = 0; q < size; q++)
            block->lambda[q] =
                plan->formula.rest * block->lambda[q] + (psi[q] + psi[size + q] + psi[2 * size + q]);
    w->vectors += S * block->L;
    return SENS_OK;
}

static void count(void *worker, size_t idle, size_t lanes, struct sens_work *work)
{
    struct worker *w = worker;
    if (lanes > 0) work->idle_vjp += w->vectors / lanes * idle;
    w->vectors = 0;
    firk_system_count(&w->system, work);
}

const struct adjoint_family adjoint_firk = {
    .plan = make_plan,
    .create_worker = create_worker,
    .create_block = create_block,
    .begin = begin,
    .points = find_points,
    .linearise = linearise,
    .sweep = sweep,
    .count = count,
};
