/* The discrete adjoint of a Rosenbrock step, with its formula in the increments u_i (rosenbrock.h): for i = s ... 1
 *
 *     (I - h gamma J)^T w_i = m_i lambda + sum_{j>i} (a_ji theta_j + c_ji w_j) + sum_q d_qi eta_q
 *     kappa_i = h gamma w_i,     theta_i = (df/dx)(t_i, Y_i)^T kappa_i
 *     eta_q = h w_q (dg/dx)(t + theta_q h, x(theta_q))
 *     lambda += sum_i (theta_i + D_i (df/dx)^T kappa_i) + sum_q eta_q
 *     mu     += sum_i ((df/dp)(t_i, Y_i)^T kappa_i + D_i (df/dp)^T kappa_i) + sum_q h w_q dg/dp
 *
 * where J = df/dx at (t, y), the start of the step, and D_i the derivative there along (h gamma_i, u_i, 0): J u_i and
 * df/dt are part of the formula (Sandu, Daescu, Carmichael, Atmos. Environ. 37 (2003) 5083-5096; Zhang & Sandu, SIAM J.
 * Sci. Comput. 36 (2014) C504, (3.26)). The matrix is that of the step itself: one factorisation serves all stages and
 * all lanes, and its solves are exact; it may have been kept from the forward solve. A block's vectors are lambda,
 * w_1 ... w_s, theta_1 ... theta_s, eta_1 .... */
#include "adjoint_family.h"
#include "kernels.h"
#include "products.h"
#include "rosenbrock.h"
#include "stage_matrix.h"

enum { MOST_TERMS = 1 + 2 * SENS_ROSENBROCK_STAGES + SENS_ROSENBROCK_NODES };

struct plan {
    const struct sens_task *task;
    size_t n, stages, nodes; /* nodes: 0 where the cost has no running part that depends on the state */
    struct sens_rosenbrock formula;
    bool together; /* all stages are linearised together; else one after the other */
};

struct worker {
    const struct plan *plan;
    struct sens_products *products;
    struct sens_stage_matrix matrix;
    sens_real *node;             /* [nodes][n] states of the step's nodes */
    struct sens_direction along; /* of second derivatives, the same in all lanes: its parts are those below */
    sens_real *tau, *u;          /* [L], [n][L] */
    sens_real *second;           /* [n][L] */
};

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status check(struct sens_ctx *ctx, const struct sens_task *task)
{
    if (task->problem->type->hvp) return SENS_OK;
    return sens_fail(
        ctx, SENS_UNSUPPORTED,
        "tableau %s: its adjoint takes second derivatives, which problem %s does not have (vjp=compiled or "
        "vjp=tape make them)",
        task->tableau->name, task->problem->type->name);
}

static sens_status make_plan(struct sens_ctx *ctx, const struct sens_task *task, struct adjoint_plan *made)
{
    struct plan *plan = SENS_NEW(ctx, struct plan, 1);
    if (!plan) return SENS_NO_MEMORY;
    sens_status status = check(ctx, task);
    *plan = (struct plan){.task = task, .n = task->problem->n};
    if (status == SENS_OK) status = sens_rosenbrock_create(ctx, task->tableau, &plan->formula);
    if (status != SENS_OK) return status;
    const size_t m = task->cost->m;
    plan->stages = (size_t)plan->formula.stages;
    plan->nodes = task->cost->type->g_dx || task->cost->type->g_dp ? (size_t)plan->formula.nodes : 0;
    plan->together = sens_products_together(task->problem, m) || sens_products_coupled(task->problem, m) ||
                     !sens_products_formed(task->problem, m);
    *made = (struct adjoint_plan){.points = plan->stages,
                                  .parts = plan->together ? 1 : plan->stages,
                                  .vectors = 2 * plan->stages + plan->nodes,
                                  .adds_to_mu = true,
                                  .own = plan};
    return SENS_OK;
}

static sens_status create_worker(struct sens_ctx *ctx, void *own, size_t L, void **made)
{
    const struct plan *plan = own;
    const struct sens_task *task = plan->task;
    const size_t n = plan->n, points = plan->together ? plan->stages : 1;
    struct worker *w = *made = SENS_NEW(ctx, struct worker, 1);
    if (!w) return SENS_NO_MEMORY;
    w->plan = plan;
    w->node = SENS_NEW(ctx, sens_real, plan->nodes * n);
    w->tau = SENS_NEW(ctx, sens_real, L);
    w->u = SENS_NEW(ctx, sens_real, n * L);
    w->second = SENS_NEW(ctx, sens_real, n * L);
    if (!w->node || !w->tau || !w->u || !w->second) return SENS_NO_MEMORY;
    w->along = (struct sens_direction){.t = task->problem->type->autonomous ? NULL : w->tau, .x = w->u};
    const sens_status status =
        sens_products_create(ctx, task->problem, SENS_VJP, points, task->cost->m, &w->products);
    return status == SENS_OK ? sens_stage_matrix_create(ctx, task->problem, SENS_VJP, &w->matrix) : status;
}

static sens_status create_block(struct sens_ctx *ctx, void *own, size_t L, struct adjoint_block *made)
{
    const struct plan *plan = own;
    const size_t vectors = 1 + 2 * plan->stages + plan->nodes;
    sens_real **v = SENS_NEW(ctx, sens_real *, vectors);
    if (!v) return SENS_NO_MEMORY;
    for (size_t k = 0; k < vectors; k++) v[k] = made->lambda + k * plan->n * L;
    made->own = v;
    return SENS_OK;
}

/* ---- a block's vectors --------------------------------------------------------------------------------- */

static sens_real *w_of(const struct adjoint_block *block, size_t i)
{
    return ((sens_real *const *)block->own)[1 + i];
}

static sens_real *theta_of(const struct plan *plan, const struct adjoint_block *block, size_t i)
{
    return ((sens_real *const *)block->own)[1 + plan->stages + i];
}

static sens_real *eta_of(const struct plan *plan, const struct adjoint_block *block, size_t q)
{
    return ((sens_real *const *)block->own)[1 + 2 * plan->stages + q];
}

struct sum {
    int terms;
    sens_real weight[MOST_TERMS];
    const sens_real *v[MOST_TERMS];
};

static void add_term(struct sum *sum, sens_real weight, const sens_real *v)
{
    if (weight == 0) return;
    sum->weight[sum->terms] = weight;
    sum->v[sum->terms++] = v;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

static void begin(void *worker, const sens_real *p)
{
    const struct worker *w = worker;
    sens_products_begin(w->products, p);
}

static size_t find_points(const void *own, const struct sens_step *step, struct sens_at *at)
{
    const struct plan *plan = own;
    for (size_t i = 0; i < plan->stages; i++)
        at[i] = (struct sens_at){step->t + plan->formula.alpha_i[i] * step->h, step->Y + i * plan->n,
                                 plan->task->problem->p};
    return plan->stages;
}

/* The matrix, and the nodes' states, before the first part. */
static sens_status begin_step(struct worker *w, const struct adjoint_step *step)
{
    const struct plan *plan = w->plan;
    for (size_t q = 0; q < plan->nodes; q++)
        sens_rosenbrock_node(&plan->formula, plan->n, step->step, (int)q, w->node + q * plan->n);
    if (step->step->factors) {
        sens_shifted_borrow(w->matrix.system, step->step->factors[0]);
        return SENS_OK;
    }
    sens_stage_matrix_at(&w->matrix, &step->at[0]);
    return sens_stage_matrix_factor(&w->matrix, step->h * plan->formula.gamma);
}

/* Part k is stage s - 1 - k, or all. */
static sens_status linearise(void *worker, size_t part, const struct adjoint_step *step)
{
    struct worker *w = worker;
    const struct plan *plan = w->plan;
    const size_t first = plan->together ? 0 : plan->stages - 1 - part;
    const sens_status status = part == 0 ? begin_step(w, step) : SENS_OK;
    if (status == SENS_OK)
        sens_products_at_all(w->products, plan->together ? plan->stages : 1, step->at + first);
    return status;
}

/* eta_q and the dg/dp beside it, for all nodes. */
static void sweep_cost(const struct worker *w, const struct adjoint_step *step,
                       const struct adjoint_block *block)
{
    const struct plan *plan = w->plan;
    const struct sens_rosenbrock *formula = &plan->formula;
    for (size_t q = 0; q < plan->nodes; q++) {
        const struct sens_at at = {step->step->t + formula->theta[q] * step->h, w->node + q * plan->n,
                                   plan->task->problem->p};
        sens_real *eta = eta_of(plan, block, q);
        for (size_t r = 0; r < plan->n * block->L; r++) eta[r] = 0;
        adjoint_add_running_cost(plan->task->cost, &at, step->h * formula->weight[q], block, eta);
    }
}

/* w_i, theta_i, and kappa_i in the slot. */
static void sweep_stage(const struct worker *w, const struct adjoint_step *step,
                        const struct adjoint_block *block, size_t i)
{
    const struct plan *plan = w->plan;
    const struct sens_rosenbrock *formula = &plan->formula;
    const size_t n = plan->n, L = block->L;
    sens_real *const own = w_of(block, i);
    const sens_real *v = own;
    struct sum sum = {.terms = 0};
    add_term(&sum, formula->m[i], block->lambda);
    for (size_t j = i + 1; j < plan->stages; j++) {
        add_term(&sum, formula->a[j][i], theta_of(plan, block, j));
        add_term(&sum, formula->c[j][i], w_of(block, j));
    }
    for (size_t q = 0; q < plan->nodes; q++) add_term(&sum, formula->d[q][i], eta_of(plan, block, q));
    sens_lanes_combine(n * L, sum.terms, 1, sum.weight, sum.v, own);
    sens_shifted_solve(w->matrix.system, true, L, own);
    struct sens_slot slot = block->slot;
    slot.kappa += i * n * L;
    if (slot.s) slot.s += i * n;
    const struct sens_stage stage = {
        .terms = 1, .w = &formula->gamma, .v = &v, .theta = theta_of(plan, block, i)};
    sens_products_reverse(w->products, plan->together ? i : 0, L, 1, &stage, step->h, &slot, NULL);
}

/* lambda and mu += what df/dx and df/dt at the start of the step add in stage i: with w_i in the place of kappa_i,
 * along h gamma (h gamma_i, u_i). */
static void add_second(const struct worker *w, const struct adjoint_step *step,
                       const struct adjoint_block *block, size_t i)
{
    const struct plan *plan = w->plan;
    const struct sens_problem *pb = plan->task->problem;
    const sens_real h_gamma = step->h * plan->formula.gamma;
    const size_t n = plan->n, L = block->L;
    const sens_real *u = sens_rosenbrock_increments(&plan->formula, n, step->step->Y) + i * n;
    for (size_t l = 0; l < L; l++) w->tau[l] = h_gamma * step->h * plan->formula.gamma_i[i];
    for (size_t r = 0; r < n; r++)
        for (size_t l = 0; l < L; l++) w->u[r * L + l] = h_gamma * u[r];
    pb->type->hvp(pb, &step->at[0], L, &w->along, w_of(block, i), w->second, block->mu);
    for (size_t r = 0; r < n * L; r++) block->lambda[r] += w->second[r];
}

/* What lambda becomes, once all stages are done. */
static void end_step(const struct worker *w, const struct adjoint_step *step,
                     const struct adjoint_block *block)
{
    const struct plan *plan = w->plan;
    struct sum sum = {.terms = 0};
    add_term(&sum, 1, block->lambda);
    for (size_t i = 0; i < plan->stages; i++) add_term(&sum, 1, theta_of(plan, block, i));
    for (size_t q = 0; q < plan->nodes; q++) add_term(&sum, 1, eta_of(plan, block, q));
    sens_lanes_combine(plan->n * block->L, sum.terms, 1, sum.weight, sum.v, block->lambda);
    for (size_t i = 0; i < plan->stages; i++) add_second(w, step, block, i);
}

static sens_status sweep(void *worker, size_t part, const struct adjoint_step *step,
                         const struct adjoint_block *block)
{
    const struct worker *w = worker;
    const struct plan *plan = w->plan;
    const size_t end = plan->stages - part, count = plan->together ? plan->stages : 1;
    if (part == 0) sweep_cost(w, step, block);
    for (size_t k = 1; k <= count; k++) sweep_stage(w, step, block, end - k);
    if (end == count) end_step(w, step, block);
    return SENS_OK;
}

static void count(void *worker, size_t idle, size_t lanes, struct sens_work *work)
{
    const struct worker *w = worker;
    sens_products_count(w->products, idle, lanes, work);
    sens_shifted_count(w->matrix.system, work);
}

const struct adjoint_family adjoint_rosenbrock = {
    .plan = make_plan,
    .create_worker = create_worker,
    .create_block = create_block,
    .begin = begin,
    .points = find_points,
    .linearise = linearise,
    .sweep = sweep,
    .count = count,
};
