/* The discrete adjoint of a Runge-Kutta step, explicit or diagonally implicit,
 *
 *     kappa_i = h (b_i lambda + sum_{j>=i} a_ji theta_j),       i = s ... 1
 *     theta_i = (df/dx)(t_i, Y_i)^T kappa_i + h b_i (dg/dx)(t_i, Y_i)
 *     lambda += sum_i theta_i,       mu += sum_i (df/dp)(t_i, Y_i)^T kappa_i + h b_i (dg/dp)(t_i, Y_i)
 *
 * (Hager, Numer. Math. 87 (2000), without the division by b_i; Martins & Lakshtanov, arXiv 2410.01911, section 3;
 * lambda in update_lambda, that of few states in kernels/small_kernel.h). A stage that no output depends on (the last
 * one of an FSAL pair) is left out; the others are live. A block's vectors are lambda, theta_1 ... theta_s.
 *
 * Where gamma = a_ii is not 0, c = h (b_i lambda + sum_{j>i} a_ji theta_j) and
 *
 *     (I - h gamma df/dx)^T kappa_i = c + h gamma h b_i dg/dx,      theta_i as above, or (kappa_i - c) / (h gamma),
 *
 * with df/dx at the stage itself: the derivative is that of converged stages, and inherits nothing from the
 * matrix that found them. One factorisation a stage serves all lanes. Stiff parts of kappa_i are far smaller than
 * those of c: from c + h gamma theta_i they would come as a difference. Which theta_i is rounded less is a matter
 * of the component (stage_matrix.h). Where factors of a matrix near this one are at hand, those of the forward solve
 * (factors=kept) or of the step's last stage (solve=newton), the solution is corrected to rounding (stage_system.h).
 *
 * With a mass matrix M (implicit/dirk_mass.c) kappa_i is the cotangent of the slope f(t_i, Y_i), theta_i is M^T times
 * the multiplier of the stage's equation, and
 *
 *     (M - h gamma df/dx)^T kappa_i = c + h gamma h b_i dg/dx,      theta_i as above, or (M^T kappa_i - c) / (h gamma),
 *
 * an explicit first stage among them, with gamma = 0. What M x does not hold of x, the state before has no part in: its
 * lambda is 0, to rounding by these equations, and is set to it.
 *
 * Of an additive step (implicit/dirk_additive.c) kappa_i is the cotangent of f_I at the stage, nu_i that of f_E, both
 * parts of f = f_E + f_I,
 *
 *     nu_i = h (b_i lambda + sum_{j>i} aE_ji theta_j),     g_i = (df_E/dx)^T nu_i + h b_i dg/dx,
 *     (I - h gamma df_I/dx)^T kappa_i = c + h gamma g_i,   theta_i = (df_I/dx)^T kappa_i + g_i, or as above,
 *     mu += sum_i (df/dp)^T nu_i + (df_I/dp)^T (kappa_i - nu_i). */
#include <string.h>

#include "adjoint_family.h"
#include "kernels.h"
#include "mass.h"
#include "products.h"
#include "stage_system.h"
#include "tangent_test.h"

struct sum { /* of a block's vectors */
    int terms;
    sens_real weight[SENS_MAX_STAGES + 1];
    size_t vector[SENS_MAX_STAGES + 1]; /* 0: lambda, 1 + i: theta_i */
};

struct stage { /* a live one: b_i or any a_ji of a live stage j > i is nonzero */
    int i;
    sens_real gamma;  /* a_ii */
    struct sum kappa; /* b_i lambda + sum_{j>i} a_ji theta_j, without the zeros */
    struct sum nu;    /* the same by the explicit part of an additive pair */
};

struct plan {
    const struct sens_task *task;
    const struct sens_problem *part; /* f_I of additive steps; NULL: they are others */
    size_t n, live;
    struct stage *stage;  /* [live], the last one first */
    struct sum lambda;    /* lambda + sum_i theta_i */
    size_t implicit;      /* the first live stage that is, + 1; 0: none is */
    bool plain;           /* none is, nor is there a mass matrix or a part */
    size_t open, *column; /* [open] columns of the mass matrix that are 0 */
    bool whole;           /* a block goes through all stages, and lambda, in one call */
    size_t together;      /* stages that are linearised together: all, or 1 */
    size_t at_once;       /* stages of one call */
};

struct worker {
    const struct plan *plan;
    struct sens_products *products;
    struct stage_system system; /* of implicit stages */
    sens_real *cost;            /* [n][L] their h b dg/dx */
    sens_real *nu, *product;    /* [n][L] of additive steps; else NULL */
};

struct block {
    struct sens_stage *stage; /* [live] */
    struct sens_stage *nu;    /* [live] of additive steps: terms, w and v; else NULL */
    const sens_real **lambda; /* [terms] of the sum that lambda becomes */
};

/* ---- the plan ------------------------------------------------------------------------------------------ */

static void add_term(struct sum *sum, sens_real weight, size_t vector)
{
    sum->weight[sum->terms] = weight;
    sum->vector[sum->terms++] = vector;
}

static size_t theta(int i)
{
    return 1 + (size_t)i;
}

/* By a or aE, [stages][stages]: what stage i has of lambda and of the live stages behind it. */
static void add_terms(const struct sens_tableau *tb, const struct plan *plan, const sens_real *a, int i,
                      struct sum *sum)
{
    const int row = tb->stages + tb->extra_stages;
    if (tb->b[i] != 0) add_term(sum, tb->b[i], 0);
    for (size_t s = 0; s < plan->live; s++) {
        const int j = plan->stage[s].i;
        if (a[j * row + i] != 0) add_term(sum, a[j * row + i], theta(j));
    }
}

static void find_stages(const struct sens_tableau *tb, struct plan *plan)
{
    add_term(&plan->lambda, 1, 0);
    for (int i = tb->stages - 1; i >= 0; i--) {
        struct stage *stage = &plan->stage[plan->live];
        *stage = (struct stage){.i = i, .gamma = sens_tableau_a(tb, i, i)};
        add_terms(tb, plan, tb->a, i, &stage->kappa);
        if (tb->a_explicit) add_terms(tb, plan, tb->a_explicit, i, &stage->nu);
        if (stage->kappa.terms == 0 && stage->nu.terms == 0) continue;
        add_term(&plan->lambda, 1, theta(i));
        plan->live++;
        if (!plan->implicit && stage->gamma != 0) plan->implicit = plan->live;
    }
}

static sens_status find_open(struct sens_ctx *ctx, const struct sens_problem *pb, struct plan *plan)
{
    plan->column = SENS_NEW(ctx, size_t, pb->n);
    if (plan->column) plan->open = sens_mass_open_columns(pb->mass, plan->column);
    return plan->column ? SENS_OK : SENS_NO_MEMORY;
}

/* One stage after the other, each for all blocks: its Jacobian is used up while it is in the cache. The
 * Jacobians of few states stay there: all stages at once save calls. Where no Jacobian is formed, or df/dx is
 * coupled, there is none to be used up, but the block's vectors: each block goes through all stages. An implicit
 * stage has factors to be used up. */
static sens_status make_plan(struct sens_ctx *ctx, const struct sens_task *task, struct adjoint_plan *made)
{
    const struct sens_tableau *tb = task->tableau;
    const size_t m = task->cost->m;
    if (tb->stages > SENS_MAX_STAGES)
        return sens_fail(ctx, SENS_UNSUPPORTED, "more than %d stages", SENS_MAX_STAGES);
    struct plan *plan = SENS_NEW(ctx, struct plan, 1);
    if (!plan) return SENS_NO_MEMORY;
    *plan = (struct plan){.task = task, .n = task->problem->n};
    if (tb->a_explicit) plan->part = task->problem->implicit;
    plan->stage = SENS_NEW(ctx, struct stage, (size_t)tb->stages);
    if (!plan->stage) return SENS_NO_MEMORY;
    find_stages(tb, plan);
    if (task->problem->mass && find_open(ctx, task->problem, plan) != SENS_OK) return SENS_NO_MEMORY;
    plan->plain = !plan->implicit && !plan->part && !task->problem->mass;
    const bool coupled = sens_products_coupled(task->problem, m) && !plan->implicit;
    plan->whole = sens_products_together(task->problem, m) && !task->cost->type->g && !plan->implicit;
    const bool all = plan->whole || coupled || !sens_products_formed(task->problem, m);
    plan->together = all && !plan->implicit ? plan->live : 1;
    plan->at_once = plan->whole ? plan->live : 1;
    *made = (struct adjoint_plan){.points = plan->live,
                                  .parts = plan->live > 0 ? plan->live / plan->together : 0,
                                  .vectors = (size_t)tb->stages,
                                  .kept = coupled ? plan->live * plan->n : 0,
                                  .adds_to_mu = task->cost->type->g_dp || plan->part,
                                  .own = plan};
    return SENS_OK;
}

static sens_status create_implicit(struct sens_ctx *ctx, size_t L, struct worker *w)
{
    const struct sens_task *task = w->plan->task;
    const struct sens_problem *const part = w->plan->part;
    const bool kept = task->option[OPT_FACTORS].number == FACTORS_KEPT,
               iterates = task->option[OPT_STAGE_SOLVE].number == SOLVE_NEWTON;
    w->cost = SENS_NEW(ctx, sens_real, w->plan->n * L);
    w->nu = part ? SENS_NEW(ctx, sens_real, w->plan->n * L) : NULL;
    w->product = part ? SENS_NEW(ctx, sens_real, w->plan->n * L) : NULL;
    if (!w->cost || (part && (!w->nu || !w->product))) return SENS_NO_MEMORY;
    const sens_status status = stage_system_create(ctx, part ? part : task->problem, SENS_VJP, L, &w->system);
    if (status != SENS_OK || !(kept || iterates)) return status;
    return stage_system_correct(ctx, SENS_VJP, L, iterates, NULL, &w->system);
}

static sens_status create_worker(struct sens_ctx *ctx, void *own, size_t L, void **made)
{
    const struct plan *plan = own;
    const struct sens_task *task = plan->task;
    struct worker *w = SENS_NEW(ctx, struct worker, 1);
    if (!w) return SENS_NO_MEMORY;
    w->plan = plan;
    *made = w;
    const sens_status status =
        sens_products_create(ctx, task->problem, SENS_VJP, plan->together, task->cost->m, &w->products);
    return status == SENS_OK && plan->implicit ? create_implicit(ctx, L, w) : status;
}

/* The vectors of a sum; NULL: no memory. */
static const sens_real **find_vectors(struct sens_ctx *ctx, const struct sum *sum, size_t size,
                                      const sens_real *lambda)
{
    const sens_real **v = SENS_NEW(ctx, const sens_real *, (size_t)sum->terms);
    for (int j = 0; v && j < sum->terms; j++) v[j] = lambda + sum->vector[j] * size;
    return v;
}

static bool find_stage(struct sens_ctx *ctx, const struct sum *sum, size_t size, const sens_real *lambda,
                       struct sens_stage *made)
{
    made->terms = sum->terms;
    made->w = sum->weight;
    made->v = find_vectors(ctx, sum, size, lambda);
    return made->v;
}

static sens_status create_block(struct sens_ctx *ctx, void *own, size_t L, struct adjoint_block *made)
{
    const struct plan *plan = own;
    const size_t size = plan->n * L;
    struct block *block = made->own = SENS_NEW(ctx, struct block, 1);
    if (!block) return SENS_NO_MEMORY;
    block->lambda = find_vectors(ctx, &plan->lambda, size, made->lambda);
    block->stage = SENS_NEW(ctx, struct sens_stage, plan->live);
    block->nu = plan->part ? SENS_NEW(ctx, struct sens_stage, plan->live) : NULL;
    if (!block->lambda || !block->stage || (plan->part && !block->nu)) return SENS_NO_MEMORY;
    for (size_t s = 0; s < plan->live; s++) {
        const struct stage *stage = &plan->stage[s];
        block->stage[s].theta = made->lambda + theta(stage->i) * size;
        if (!find_stage(ctx, &stage->kappa, size, made->lambda, &block->stage[s]) ||
            (plan->part && !find_stage(ctx, &stage->nu, size, made->lambda, &block->nu[s])))
            return SENS_NO_MEMORY;
    }
    return SENS_OK;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

static void begin(void *worker, const sens_real *p)
{
    const struct worker *w = worker;
    sens_products_begin(w->products, p);
}

/* In the order of the live stages. */
static size_t find_points(const void *own, const struct sens_step *step, struct sens_at *at)
{
    const struct plan *plan = own;
    const struct sens_tableau *tb = plan->task->tableau;
    const sens_real t = step->t, h = step->h, *Y = step->Y, *p = plan->task->problem->p;
    const size_t n = plan->n, live = plan->live;
    const struct stage *stage = plan->stage;
    for (size_t s = 0; s < live; s++) {
        const int i = stage[s].i;
        at[s] = (struct sens_at){sens_stage_time(tb, t, h, i), Y + (size_t)i * n, p};
    }
    return live;
}

static void keep(void *worker, const struct adjoint_step *step, sens_real *kept)
{
    const struct plan *plan = ((const struct worker *)worker)->plan;
    sens_products_find_diagonals(plan->task->problem, plan->live, step->at, kept);
}

/* Where together = 1: part s is live stage s. With a mass matrix each has a system. */
static bool implicit_stage(const struct plan *plan, size_t s)
{
    return plan->stage[s].gamma != 0 || plan->task->problem->mass;
}

static sens_status linearise_system(struct worker *w, size_t s, const struct adjoint_step *step)
{
    const struct sens_shifted *const *const kept = step->step->factors;
    const sens_real gamma = w->plan->stage[s].gamma;
    const struct stage_near near = {kept && gamma != 0 ? kept[0] : NULL, s + 1 == w->plan->implicit};
    return stage_system_at(&w->system, &step->at[s], step->h * gamma, near);
}

static sens_status linearise(void *worker, size_t part, const struct adjoint_step *step)
{
    struct worker *w = worker;
    if (!w->plan->plain && implicit_stage(w->plan, part)) return linearise_system(w, part, step);
    if (w->plan->part) return SENS_OK; /* an additive step takes the problem's own products at its stages */
    if (step->kept)
        sens_products_at_kept(w->products, step->at, step->kept);
    else
        sens_products_at_all(w->products, w->plan->together, step->at + part * w->plan->together);
    return SENS_OK;
}

/* kappa_i and theta_i of the stages that are taken at once from s on, number `point` of those that are
 * linearised; where these are all stages, lambda too. */
static void reverse_stages(const struct worker *w, const struct adjoint_step *step,
                           const struct adjoint_block *block, size_t s, size_t point,
                           const struct sens_slot *slot)
{
    const struct plan *plan = w->plan;
    const struct sens_stage *stage = &((const struct block *)block->own)->stage[s];
    const struct sens_cost *cost = plan->task->cost;
    sens_real *lambda = plan->whole ? block->lambda : NULL; /* else update_lambda; whole: kernels/small.c */
    sens_products_reverse(w->products, point, block->L, plan->at_once, stage, step->h, slot, lambda);
    if (!cost->type->g) return;
    const sens_real hb = step->h * plan->task->tableau->b[plan->stage[s].i]; /* of one stage */
    if (hb != 0) adjoint_add_running_cost(cost, &step->at[s], hb, block, stage->theta);
}

/* out = h b dg/dx, and mu += h b dg/dp: the running cost at live stage s. */
static void put_cost(const struct plan *plan, const struct adjoint_step *step,
                     const struct adjoint_block *block, size_t s, sens_real *out)
{
    const struct sens_cost *cost = plan->task->cost;
    const sens_real hb = step->h * plan->task->tableau->b[plan->stage[s].i];
    memset(out, 0, plan->n * block->L * sizeof *out);
    if (cost->type->g && hb != 0) adjoint_add_running_cost(cost, &step->at[s], hb, block, out);
}

/* kappa and theta of live stage s, which is implicit; c is where theta will be, and what theta has beside J^T kappa is
 * in cost. */
static sens_status solve_system(struct worker *w, sens_real h_gamma, size_t L, sens_real *theta,
                                sens_real *kappa)
{
    const size_t size = w->plan->n * L;
    memcpy(kappa, theta, size * sizeof *kappa);
    sens_lanes_axpy(w->plan->n, L, h_gamma, w->cost, kappa);
    const sens_status status = stage_system_solve(&w->system, true, L, kappa);
    if (status == SENS_OK) stage_system_slope(&w->system, true, L, w->cost, kappa, theta);
    return status;
}

/* What goes to the parameter product, where it is to be scaled. */
static void put_scaled(size_t n, size_t L, const sens_real *kappa, const struct sens_slot *slot)
{
    for (size_t i = 0; slot->s && i < n; i++)
        for (size_t l = 0; l < L; l++) slot->kappa[i * L + l] = slot->s[i] * kappa[i * L + l];
}

static sens_status solve_stage(struct worker *w, const struct adjoint_step *step,
                               const struct adjoint_block *block, size_t s, const struct sens_slot *slot)
{
    const size_t n = w->plan->n, L = block->L;
    const struct sens_stage *stage = &((const struct block *)block->own)->stage[s];
    sens_real *const theta = stage->theta, *const kappa = slot->s ? slot->room : slot->kappa;
    sens_lanes_combine(n * L, stage->terms, step->h, stage->w, stage->v, theta);
    put_cost(w->plan, step, block, s, w->cost);
    const sens_status status = solve_system(w, step->h * w->plan->stage[s].gamma, L, theta, kappa);
    if (status == SENS_OK) put_scaled(n, L, kappa, slot);
    return status;
}

/* ---- an additive step ---------------------------------------------------------------------------------- */

/* cost += (df/dx - df_I/dx)^T nu */
static void add_explicit_part(struct worker *w, const struct sens_at *at, size_t L)
{
    const struct sens_problem *const pb = w->plan->task->problem, *const part = w->plan->part;
    pb->type->vjp(pb, at, L, w->nu, w->product);
    sens_lanes_axpy(w->plan->n, L, 1, w->product, w->cost);
    part->type->vjp(part, at, L, w->nu, w->product);
    sens_lanes_axpy(w->plan->n, L, -1, w->product, w->cost);
}

/* nu, kappa and theta of live stage s; c is where theta will be. */
static sens_status additive_stage(struct worker *w, const struct adjoint_step *step,
                                  const struct adjoint_block *block, size_t s, const struct sens_slot *slot)
{
    const struct sens_problem *const part = w->plan->part;
    const size_t n = w->plan->n, L = block->L;
    const struct sens_stage *const stage = &((const struct block *)block->own)->stage[s],
                                   *const nu = &((const struct block *)block->own)->nu[s];
    const struct sens_at *const at = &step->at[s];
    const sens_real h_gamma = step->h * w->plan->stage[s].gamma;
    sens_real *const kappa = slot->s ? slot->room : slot->kappa;
    sens_status status = SENS_OK;
    sens_lanes_combine(n * L, nu->terms, step->h, nu->w, nu->v, w->nu);
    sens_lanes_combine(n * L, stage->terms, step->h, stage->w, stage->v, stage->theta);
    put_cost(w->plan, step, block, s, w->cost);
    add_explicit_part(w, at, L);
    if (h_gamma != 0) {
        status = solve_system(w, h_gamma, L, stage->theta, kappa);
    } else {
        memcpy(kappa, stage->theta, n * L * sizeof *kappa);
        part->type->vjp(part, at, L, kappa, stage->theta);
        sens_lanes_axpy(n, L, 1, w->cost, stage->theta);
    }
    if (status != SENS_OK || !block->mu) return status;
    sens_lanes_axpy(n, L, -1, w->nu, kappa);
    part->type->vjp_p_batch(part, 1, &at->t, at->x, at->p, L, kappa, block->mu);
    memcpy(kappa, w->nu, n * L * sizeof *kappa);
    put_scaled(n, L, kappa, slot);
    return SENS_OK;
}

/* ---- all stages ---------------------------------------------------------------------------------------- */

/* lambda += sum_i theta_i, and 0 where a column of the mass matrix is 0 */
static void update_lambda(const struct plan *plan, const struct adjoint_block *block)
{
    const struct sum *sum = &plan->lambda;
    const sens_real *const *v = ((const struct block *)block->own)->lambda;
    sens_lanes_combine(plan->n * block->L, sum->terms, 1, sum->weight, v, block->lambda);
    for (size_t k = 0; k < plan->open; k++)
        memset(block->lambda + plan->column[k] * block->L, 0, block->L * sizeof *block->lambda);
}

/* The stages of a part, one after the other. Not inlined: steps of few states, which are taken whole, would pay
 * for its frame. */
static __attribute__((noinline)) sens_status sweep_stages(struct worker *w, size_t part,
                                                          const struct adjoint_step *step,
                                                          const struct adjoint_block *block)
{
    const struct plan *plan = w->plan;
    const size_t n = plan->n, first = part * plan->together, end = first + plan->together;
    struct sens_slot slot = block->slot;
    slot.kappa += first * n * block->L;
    if (slot.s) slot.s += first * n;
    for (size_t s = first; s < end; s += plan->at_once) {
        const sens_status status = plan->part                ? additive_stage(w, step, block, s, &slot)
                                   : implicit_stage(plan, s) ? solve_stage(w, step, block, s, &slot)
                                                             : SENS_OK;
        if (status != SENS_OK) return status;
        if (!plan->part && !implicit_stage(plan, s)) reverse_stages(w, step, block, s, s - first, &slot);
        slot.kappa += n * block->L;
        if (slot.s) slot.s += n;
    }
    if (end == plan->live) update_lambda(plan, block);
    return SENS_OK;
}

static sens_status sweep(void *worker, size_t part, const struct adjoint_step *step,
                         const struct adjoint_block *block)
{
    struct worker *w = worker;
    if (!w->plan->whole) return sweep_stages(w, part, step, block);
    reverse_stages(w, step, block, 0, 0, &block->slot);
    return SENS_OK;
}

static void count(void *worker, size_t idle, size_t lanes, struct sens_work *work)
{
    struct worker *w = worker;
    sens_products_count(w->products, idle, lanes, work);
    if (w->plan->implicit) stage_system_count(&w->system, work);
}

const struct adjoint_family adjoint_runge_kutta = {
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
