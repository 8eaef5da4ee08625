/* The discrete tangent of a Rosenbrock step, with its formula in the increments u_i (rosenbrock.h),
 *
 *     sigma_i = s + sum_{j<i} a_ij v_j
 *     (I - h gamma J) v_i = h gamma ((df/dx)(t_i, Y_i) sigma_i + (df/dq)(t_i, Y_i) + H_i s + P_i) + sum_{j<i} c_ij v_j
 *     dG/dq += sum_q h w_q ((dg/dx) (s + sum_i d_qi v_i) + dg/dq),     s += sum_i m_i v_i,
 *
 * the transpose of adjoint_rosenbrock.c, line by line: H_i = D_i df/dx and P_i = D_i df/dq with D_i the derivative at
 * the start of the step along (h gamma_i, u_i, 0) (rosenbrock_second.h). */
#include <string.h>

#include "kernels.h"
#include "rosenbrock_second.h"
#include "stage_matrix.h"
#include "tangent_family.h"

enum { MOST_TERMS = 1 + 2 * SENS_ROSENBROCK_STAGES };

struct rows {
    const struct sens_task *task;
    size_t n, np, L, stages, nodes;
    struct sens_rosenbrock formula;
    struct sens_products **products; /* [stages] */
    struct sens_gradient *gradient;  /* [nodes] */
    struct sens_stage_matrix matrix;
    struct rosenbrock_second second;
    sens_real *node;      /* [n] */
    sens_real *sigma, *v; /* [n][L], [stages][n][L] */
};

/* ---- a step -------------------------------------------------------------------------------------------- */

static void find_node(struct rows *rows, const struct sens_step *step, size_t q)
{
    const struct sens_rosenbrock *formula = &rows->formula;
    const sens_real t = sens_rosenbrock_node(formula, rows->n, step, (int)q, rows->node);
    const struct sens_at at = {t, rows->node, rows->task->problem->p};
    sens_gradient_running(&rows->gradient[q], &at, step->h * formula->weight[q]);
}

static sens_status linearise(void *own, const struct sens_step *step)
{
    struct rows *rows = own;
    const struct sens_rosenbrock *formula = &rows->formula;
    const struct sens_at start = {step->t, step->y, rows->task->problem->p};
    for (size_t i = 0; i < rows->stages; i++) {
        const struct sens_at at = {step->t + formula->alpha_i[i] * step->h, step->Y + i * rows->n, start.p};
        sens_products_at(rows->products[i], &at);
    }
    rosenbrock_second_at(&rows->second, step);
    for (size_t q = 0; q < rows->nodes; q++) find_node(rows, step, q);
    if (step->factors) {
        sens_shifted_borrow(rows->matrix.system, step->factors[0]);
        return SENS_OK;
    }
    sens_stage_matrix_at(&rows->matrix, &start);
    return sens_stage_matrix_factor(&rows->matrix, step->h * formula->gamma);
}

/* out = base + sum_{j<terms} w_j v_j over `size` numbers; out may be base. */
static void combine(const struct rows *rows, size_t size, const sens_real *base, size_t terms,
                    const sens_real *w, sens_real *out)
{
    const sens_real *vector[MOST_TERMS];
    sens_real weight[MOST_TERMS];
    int used = 1;
    weight[0] = 1, vector[0] = base;
    for (size_t j = 0; j < terms; j++)
        if (w[j] != 0) weight[used] = w[j], vector[used++] = rows->v + j * rows->n * rows->L;
    sens_lanes_combine(size, used, 1, weight, vector, out);
}

static void advance_stage(const struct rows *rows, size_t i, sens_real h, const struct tangent_block *block)
{
    const struct sens_rosenbrock *formula = &rows->formula;
    const size_t L = block->L, size = rows->n * L;
    sens_real *v = rows->v + i * rows->n * rows->L;
    const sens_real h_gamma = h * formula->gamma;
    combine(rows, size, block->s, i, formula->a[i], rows->sigma);
    sens_products_multiply(rows->products[i], L, rows->sigma, v);
    tangent_add_columns(block, rows->products[i], v);
    rosenbrock_second_add(&rows->second, i, L, block->s, v);
    rosenbrock_second_add_columns(&rows->second, i, block, v);
    memset(rows->sigma, 0, size * sizeof *rows->sigma);
    combine(rows, size, rows->sigma, i, formula->c[i], rows->sigma);
    for (size_t r = 0; r < size; r++) v[r] = h_gamma * v[r] + rows->sigma[r];
    sens_shifted_solve(rows->matrix.system, false, L, v);
}

/* Is a direction of the block a parameter's? */
static bool has_parameters(const struct tangent_block *block)
{
    for (size_t l = 0; l < block->count; l++)
        if (block->col[l] < block->pb->np) return true;
    return block->weight;
}

static sens_status advance(void *own, const struct sens_step *step, const struct tangent_block *block)
{
    struct rows *rows = own;
    const struct sens_rosenbrock *formula = &rows->formula;
    const size_t size = rows->n * block->L;
    if (has_parameters(block)) rosenbrock_second_find_columns(&rows->second, step);
    for (size_t i = 0; i < rows->stages; i++) advance_stage(rows, i, step->h, block);
    for (size_t q = 0; q < rows->nodes; q++) {
        combine(rows, size, block->s, rows->stages, formula->d[q], rows->sigma);
        tangent_add_cost(block, &rows->gradient[q], rows->sigma);
    }
    combine(rows, size, block->s, rows->stages, formula->m, block->s);
    return SENS_OK;
}

static void estimate(void *own, const struct sens_step *step, const struct tangent_block *block,
                     const sens_real *s, const sens_real *f, sens_real *e)
{
    const struct rows *rows = own;
    const size_t size = rows->n * block->L;
    (void)step, (void)s, (void)f;
    memset(e, 0, size * sizeof *e);
    combine(rows, size, e, rows->stages, rows->formula.e, e);
}

static void count(void *own, size_t idle, size_t lanes, struct sens_work *work)
{
    const struct rows *rows = own;
    for (size_t i = 0; i < rows->stages; i++) sens_products_count(rows->products[i], idle, lanes, work);
    sens_shifted_count(rows->matrix.system, work);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_stages(struct sens_ctx *ctx, struct rows *rows, size_t n_cols)
{
    const struct sens_task *task = rows->task;
    rows->products = SENS_NEW(ctx, struct sens_products *, rows->stages);
    rows->gradient = SENS_NEW(ctx, struct sens_gradient, rows->nodes);
    if (!rows->products || !rows->gradient) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (size_t i = 0; i < rows->stages && status == SENS_OK; i++)
        status = sens_products_create(ctx, task->problem, SENS_JVP, 1, n_cols, &rows->products[i]);
    for (size_t q = 0; q < rows->nodes && status == SENS_OK; q++)
        status = sens_gradient_create(ctx, task, true, &rows->gradient[q]);
    return status;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, size_t L, size_t n_cols,
                          const sens_real *weight, void **own)
{
    const struct sens_problem *pb = task->problem;
    if (!pb->type->hvp)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "tableau %s: its tangent takes second derivatives, which problem %s does not have "
                         "(vjp=compiled or vjp=tape make them)",
                         task->tableau->name, pb->type->name);
    struct rows *rows = *own = SENS_NEW(ctx, struct rows, 1);
    if (!rows) return SENS_NO_MEMORY;
    *rows = (struct rows){.task = task, .n = pb->n, .np = pb->np, .L = L};
    sens_status status = sens_rosenbrock_create(ctx, task->tableau, &rows->formula);
    if (status != SENS_OK) return status;
    rows->stages = (size_t)rows->formula.stages;
    rows->nodes = task->cost->type->g_dx ? (size_t)rows->formula.nodes : 0;
    rows->node = SENS_NEW(ctx, sens_real, rows->n);
    rows->sigma = SENS_NEW(ctx, sens_real, rows->n * L);
    rows->v = SENS_NEW(ctx, sens_real, rows->stages * rows->n * L);
    if (!rows->node || !rows->sigma || !rows->v) return SENS_NO_MEMORY;
    status = rosenbrock_second_create(ctx, pb, &rows->formula, weight, &rows->second);
    if (status == SENS_OK) status = create_stages(ctx, rows, n_cols);
    return status == SENS_OK ? sens_stage_matrix_create(ctx, pb, SENS_JVP, &rows->matrix) : status;
}

const struct tangent_family tangent_rosenbrock = {
    .create = create, .linearise = linearise, .advance = advance, .estimate = estimate, .count = count};
