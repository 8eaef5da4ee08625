/* The discrete tangent of a Runge-Kutta step, explicit or diagonally implicit,
 *
 *     sigma_i = s + h sum_{j<=i} a_ij k_j,      k_i = (df/dx)(t_i, Y_i) sigma_i + (df/dq)(t_i, Y_i)
 *     dG/dq  += h b_i ((dg/dx)(t_i, Y_i) sigma_i + (dg/dq)(t_i, Y_i)),      s += h sum_i b_i k_i,
 *
 * the transpose of adjoint_runge_kutta.c, line by line. Where gamma = a_ii is not 0, with c = s + h sum_{j<i} a_ij
 * k_j,
 *
 *     (I - h gamma df/dx) sigma_i = c + h gamma df/dq,      k_i as above, or (sigma_i - c) / (h gamma).
 *
 * With a mass matrix M (implicit/dirk_mass.c) k_i is that of the slope f(t_i, Y_i), and the step ends in its last
 * stage:
 *
 *     c = M s + h sum_{j<i} a_ij k_j,   (M - h gamma df/dx) sigma_i = c + h gamma df/dq,   s = sigma_s.
 *
 * Of an additive step (implicit/dirk_additive.c) k_i is that of f_I, l_i of f_E, both parts of f = f_E + f_I,
 *
 *     c = s + h sum_{j<i} a_ij k_j + aE_ij l_j,   (I - h gamma df_I/dx) sigma_i = c + h gamma df_I/dq,
 *     l_i = (df/dx - df_I/dx) sigma_i + df/dq - df_I/dq,   s += h sum_i b_i (k_i + l_i). */
#include <string.h>
#include <tgmath.h>

#include "kernels.h"
#include "mass.h"
#include "stage_system.h"
#include "tangent_family.h"

struct rows {
    const struct sens_task *task;
    const struct sens_problem *part; /* f_I of additive steps; NULL: they are others */
    size_t n, L;
    int first, stages;               /* those that move a direction */
    bool running;                    /* the cost has a running part that depends on the state */
    struct sens_terms *a, b, e;      /* [stages] */
    struct sens_terms *a_explicit;   /* [stages] of additive steps */
    struct sens_products **products; /* [stages] of f */
    struct sens_products **of_part;  /* [stages] of f_I */
    struct stage_system *system;     /* [stages] of implicit ones; NULL: there are none */
    struct sens_gradient *gradient;  /* [stages] of the running cost; NULL: there is none */
    sens_real *sigma;                /* [n][L] */
    sens_real *Ms;                   /* [n][L] with a mass matrix: M s; else NULL */
    sens_real *f;                    /* [n][L] df/dq of an implicit stage */
    sens_real *k;                    /* [stages][n][L]; of additive steps behind them l, [stages][n][L] */
    sens_real *weight;               /* [2 stages + 1] coefficients, with their vectors below */
    const sens_real **vector;
};

/* ---- one step ------------------------------------------------------------------------------------------ */

static sens_status linearise(void *own, const struct sens_step *step)
{
    const struct rows *rows = own;
    const struct sens_tableau *tb = rows->task->tableau;
    struct stage_near near = {step->factors ? step->factors[0] : NULL, true};
    sens_status status = SENS_OK;
    for (int i = rows->first; i < rows->stages && status == SENS_OK; i++) {
        const struct sens_at at = {sens_stage_time(tb, step->t, step->h, i), step->Y + (size_t)i * rows->n,
                                   rows->task->problem->p};
        sens_products_at(rows->products[i], &at);
        if (rows->part) sens_products_at(rows->of_part[i], &at);
        if (rows->running && tb->b[i] != 0)
            sens_gradient_running(&rows->gradient[i], &at, step->h * tb->b[i]);
        if (sens_tableau_a(tb, i, i) == 0) continue;
        status = stage_system_at(&rows->system[i], &at, step->h * sens_tableau_a(tb, i, i), near);
        near.first = false;
    }
    return status;
}

/* Behind the first `count` terms h sum_j w_j k_j, k [stages][n][L]; how many there are then. */
static int add_terms(const struct rows *rows, int count, sens_real h, const struct sens_terms *row,
                     const sens_real *k)
{
    for (int j = 0; j < row->terms; j++, count++) {
        rows->weight[count] = h * row->weight[j];
        rows->vector[count] = k + (size_t)row->stage[j] * rows->n * rows->L;
    }
    return count;
}

static sens_real *explicit_slopes(const struct rows *rows)
{
    return rows->k + (size_t)rows->stages * rows->n * rows->L;
}

/* out = s + h sum_j w_j k_j over `size` numbers, and of an additive step h sum_j wE_j l_j; out may be s. */
static void combine(const struct rows *rows, size_t size, const sens_real *s, sens_real h,
                    const struct sens_terms *row, const struct sens_terms *row_explicit, sens_real *out)
{
    rows->weight[0] = 1, rows->vector[0] = s;
    int count = add_terms(rows, 1, h, row, rows->k);
    if (rows->part) count = add_terms(rows, count, h, row_explicit, explicit_slopes(rows));
    sens_lanes_combine(size, count, 1, rows->weight, rows->vector, out);
}

/* sigma and k of an implicit stage, whose c is in sigma. */
static sens_status solve_stage(const struct rows *rows, int i, sens_real h, const struct tangent_block *block,
                               sens_real *sigma, sens_real *k)
{
    const size_t L = block->L, size = rows->n * L;
    const sens_real h_gamma = h * sens_tableau_a(rows->task->tableau, i, i);
    sens_real *const f = rows->f;
    memset(f, 0, size * sizeof *f);
    tangent_add_columns(block, rows->part ? rows->of_part[i] : rows->products[i], f);
    memcpy(k, sigma, size * sizeof *k);
    sens_lanes_axpy(rows->n, L, h_gamma, f, sigma);
    const sens_status status = stage_system_solve(&rows->system[i], false, L, sigma);
    if (status == SENS_OK) stage_system_slope(&rows->system[i], false, L, f, sigma, k);
    return status;
}

static void multiply_stage(struct sens_products *products, const struct tangent_block *block,
                           const sens_real *sigma, sens_real *k)
{
    sens_products_multiply(products, block->L, sigma, k);
    tangent_add_columns(block, products, k);
}

/* l of a stage, in f what is subtracted. */
static void explicit_stage(const struct rows *rows, int i, const struct tangent_block *block,
                           const sens_real *sigma)
{
    sens_real *const l = explicit_slopes(rows) + (size_t)i * rows->n * rows->L;
    multiply_stage(rows->products[i], block, sigma, l);
    multiply_stage(rows->of_part[i], block, sigma, rows->f);
    sens_lanes_axpy(rows->n, block->L, -1, rows->f, l);
}

static sens_status advance(void *own, const struct sens_step *step, const struct tangent_block *block)
{
    const struct rows *rows = own;
    const size_t size = rows->n * block->L;
    const sens_real *const from = rows->Ms ? rows->Ms : block->s;
    if (rows->Ms) sens_mass_multiply(rows->task->problem->mass, false, block->L, block->s, rows->Ms);
    for (int i = rows->first; i < rows->stages; i++) {
        sens_real *k = rows->k + (size_t)i * rows->n * rows->L;
        const bool implicit = sens_tableau_a(rows->task->tableau, i, i) != 0;
        const sens_real *sigma = i > 0 ? rows->sigma : block->s;
        const struct sens_terms *const row_explicit = rows->part ? &rows->a_explicit[i] : NULL;
        if (i > 0) combine(rows, size, from, step->h, &rows->a[i], row_explicit, rows->sigma);
        const sens_status status = implicit ? solve_stage(rows, i, step->h, block, rows->sigma, k) : SENS_OK;
        if (status != SENS_OK) return status;
        if (!implicit) multiply_stage(rows->part ? rows->of_part[i] : rows->products[i], block, sigma, k);
        if (rows->part) explicit_stage(rows, i, block, sigma);
        if (rows->running && rows->task->tableau->b[i] != 0)
            tangent_add_cost(block, &rows->gradient[i], sigma);
    }
    if (rows->Ms)
        memcpy(block->s, rows->sigma, size * sizeof *block->s);
    else
        combine(rows, size, block->s, step->h, &rows->b, &rows->b, block->s);
    return SENS_OK;
}

/* e = h sum_i (b_i - bhat_i) k_i */
static void estimate_of(const struct rows *rows, size_t size, sens_real h, const sens_real *k, sens_real *e)
{
    sens_lanes_combine(size, add_terms(rows, 0, h, &rows->e, k), 1, rows->weight, rows->vector, e);
}

static void estimate(void *own, const struct sens_step *step, const struct tangent_block *block,
                     const sens_real *s, const sens_real *f, sens_real *e)
{
    const struct rows *rows = own;
    const size_t size = rows->n * block->L;
    sens_real *const of_l = rows->f;
    (void)s, (void)f;
    estimate_of(rows, size, step->h, rows->k, e);
    if (!rows->part) return;
    estimate_of(rows, size, step->h, explicit_slopes(rows), of_l);
    for (size_t q = 0; q < size; q++) e[q] = fabs(e[q]) + fabs(of_l[q]);
}

static void count(void *own, size_t idle, size_t lanes, struct sens_work *work)
{
    const struct rows *rows = own;
    for (int i = 0; i < rows->stages; i++) {
        sens_products_count(rows->products[i], idle, lanes, work);
        if (rows->part) sens_products_count(rows->of_part[i], 0, 0, work);
        if (rows->system && rows->system[i].matrix.system) stage_system_count(&rows->system[i], work);
    }
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_terms(struct sens_ctx *ctx, struct rows *rows)
{
    const struct sens_tableau *tb = rows->task->tableau;
    rows->a = SENS_NEW(ctx, struct sens_terms, (size_t)rows->stages);
    rows->a_explicit = rows->part ? SENS_NEW(ctx, struct sens_terms, (size_t)rows->stages) : NULL;
    if (!rows->a || (rows->part && !rows->a_explicit)) return SENS_NO_MEMORY;
    sens_status status = sens_terms_create(ctx, rows->stages, tb->b, &rows->b);
    if (status == SENS_OK && tb->e) status = sens_terms_create(ctx, rows->stages, tb->e, &rows->e);
    for (int i = 0; i < rows->stages && status == SENS_OK; i++)
        status = sens_terms_create(ctx, i, tb->a + i * (tb->stages + tb->extra_stages), &rows->a[i]);
    for (int i = 0; rows->part && i < rows->stages && status == SENS_OK; i++)
        status = sens_terms_create(ctx, i, tb->a_explicit + i * tb->stages, &rows->a_explicit[i]);
    return status;
}

/* A matrix for each implicit stage: all blocks go through a step before the next one. */
static sens_status create_matrices(struct sens_ctx *ctx, struct rows *rows)
{
    const struct sens_task *task = rows->task;
    sens_status status = SENS_OK;
    if (task->tableau->family == SENS_FAMILY_EXPLICIT) return SENS_OK;
    rows->system = SENS_NEW(ctx, struct stage_system, (size_t)rows->stages);
    if (!rows->system) return SENS_NO_MEMORY;
    for (int i = 0; i < rows->stages && status == SENS_OK; i++)
        if (sens_tableau_a(task->tableau, i, i) != 0)
            status = stage_system_create(ctx, rows->part ? rows->part : task->problem, SENS_JVP, rows->L,
                                         &rows->system[i]);
    return status;
}

/* All stages have one P, those that have none yet. */
static sens_status correct(struct sens_ctx *ctx, bool iterates, struct rows *rows)
{
    const struct stage_system *first = NULL;
    sens_status status = SENS_OK;
    for (int i = 0; rows->system && i < rows->stages && status == SENS_OK; i++) {
        if (!rows->system[i].matrix.system || rows->system[i].near) continue;
        status = stage_system_correct(ctx, SENS_JVP, rows->L, iterates, first, &rows->system[i]);
        if (!first) first = &rows->system[i];
    }
    return status;
}

static sens_status keep(struct sens_ctx *ctx, void *own)
{
    return correct(ctx, false, own);
}

static sens_status iterate(struct sens_ctx *ctx, void *own)
{
    return correct(ctx, true, own);
}

/* What is kept at each stage of a step. */
static sens_status create_stages(struct sens_ctx *ctx, struct rows *rows, size_t n_cols)
{
    const struct sens_task *task = rows->task;
    const size_t stages = (size_t)rows->stages;
    rows->products = SENS_NEW(ctx, struct sens_products *, stages);
    rows->gradient = rows->running ? SENS_NEW(ctx, struct sens_gradient, stages) : NULL;
    rows->of_part = rows->part ? SENS_NEW(ctx, struct sens_products *, stages) : NULL;
    if (!rows->products || (rows->running && !rows->gradient) || (rows->part && !rows->of_part))
        return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (size_t i = 0; i < stages && status == SENS_OK; i++) {
        const bool implicit = sens_tableau_a(task->tableau, (int)i, (int)i) != 0; /* df/dq alone: no J */
        status = sens_products_create(ctx, task->problem, SENS_JVP, 1, implicit && !rows->part ? 1 : n_cols,
                                      &rows->products[i]);
        if (rows->part && status == SENS_OK)
            status = sens_products_create(ctx, rows->part, SENS_JVP, 1, n_cols, &rows->of_part[i]);
    }
    for (size_t i = 0; i < stages && rows->running && status == SENS_OK; i++)
        status = sens_gradient_create(ctx, task, true, &rows->gradient[i]);
    return status;
}

/* Does anything depend on the first stage? */
static bool first_matters(const struct sens_tableau *tb)
{
    bool matters = tb->b[0] != 0 || (tb->family != SENS_FAMILY_EXPLICIT && tb->e && tb->e[0] != 0);
    for (int i = 1; i < tb->stages; i++) matters = matters || sens_tableau_a(tb, i, 0) != 0 || tb->a_explicit;
    return matters;
}

/* The last stage of an explicit FSAL pair moves no direction, unless a cost or an interpolant asks for it:
 * none does here. */
static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, size_t L, size_t n_cols,
                          const sens_real *weight, void **own)
{
    const struct sens_tableau *tb = task->tableau;
    (void)weight;
    struct rows *rows = SENS_NEW(ctx, struct rows, 1);
    if (!rows) return SENS_NO_MEMORY;
    *rows =
        (struct rows){.task = task,
                      .part = tb->a_explicit ? task->problem->implicit : NULL,
                      .n = task->problem->n,
                      .L = L,
                      .first = first_matters(tb) ? 0 : 1,
                      .stages = tb->fsal && tb->family == SENS_FAMILY_EXPLICIT ? tb->stages - 1 : tb->stages,
                      .running = task->cost->type->g_dx};
    const size_t stages = (size_t)rows->stages, block = rows->n * L;
    rows->sigma = SENS_NEW(ctx, sens_real, block);
    rows->f = SENS_NEW(ctx, sens_real, block);
    rows->Ms = task->problem->mass ? SENS_NEW(ctx, sens_real, block) : NULL;
    rows->k = SENS_NEW(ctx, sens_real, (rows->part ? 2 : 1) * stages * block);
    rows->weight = SENS_NEW(ctx, sens_real, 2 * stages + 1);
    rows->vector = SENS_NEW(ctx, const sens_real *, 2 * stages + 1);
    if ((task->problem->mass && !rows->Ms) || !rows->sigma || !rows->f || !rows->k || !rows->weight ||
        !rows->vector)
        return SENS_NO_MEMORY;
    *own = rows;
    sens_status status = create_terms(ctx, rows);
    if (status == SENS_OK) status = create_matrices(ctx, rows);
    return status == SENS_OK ? create_stages(ctx, rows, n_cols) : status;
}

const struct tangent_family tangent_runge_kutta = {
    .create = create,
    .iterate = iterate,
    .keep = keep,
    .linearise = linearise,
    .advance = advance,
    .estimate = estimate,
    .count = count,
};
