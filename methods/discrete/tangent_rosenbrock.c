/* The discrete tangent of a Rosenbrock step, with its formula in the increments u_i (rosenbrock.h),
 *
 *     sigma_i = s + sum_{j<i} a_ij v_j
 *     (I - h gamma J) v_i = h gamma ((df/dx)(t_i, Y_i) sigma_i + (df/dq)(t_i, Y_i) + H_i s + P_i) + sum_{j<i} c_ij v_j
 *     dG/dq += sum_q h w_q ((dg/dx) (s + sum_i d_qi v_i) + dg/dq),     s += sum_i m_i v_i,
 *
 * the transpose of adjoint_rosenbrock.c, line by line: H_i = D_i df/dx and P_i = D_i df/dq with D_i the derivative at
 * the start of the step along (h gamma_i, u_i, 0). H_i is formed once a step for all blocks, from hvp with unit
 * vectors, or with few sums of them where the problem declares a pattern; D_i df/dp always with unit vectors. */
#include <string.h>

#include "kernels.h"
#include "rosenbrock.h"
#include "stage_matrix.h"
#include "tangent_family.h"

enum { UNITS = 32, MOST_TERMS = 1 + 2 * SENS_ROSENBROCK_STAGES };

/* D df/dx along a direction, as the df/dx of a problem whose vjp is hvp: what jacobian.h forms. */
struct along {
    struct sens_problem_type type;
    struct sens_problem problem;
    struct sens_structure structure; /* the pattern alone */
    const struct sens_problem *of;
    sens_real tau, *u;            /* the direction: number, [n] */
    sens_real *lanes_t, *lanes_u; /* [UNITS], [n][UNITS] the same in many lanes */
    size_t lanes;
    struct sens_jacobian *H;
};

struct rows {
    const struct sens_task *task;
    size_t n, np, L, stages, nodes;
    struct sens_rosenbrock formula;
    struct sens_products **products; /* [stages] */
    struct sens_gradient *gradient;  /* [nodes] */
    struct sens_stage_matrix matrix;
    struct along along;
    sens_real *H;               /* [stages][entries] */
    sens_real *P;               /* [stages][n][np] */
    bool P_known;               /* of the step at hand */
    sens_real *unit, *OUT, *MU; /* [n][UNITS], [n][UNITS], [np][UNITS] */
    sens_real *node;            /* [n] */
    sens_real *sigma, *v;       /* [n][L], [stages][n][L] */
};

/* ---- second derivatives along a direction -------------------------------------------------------------- */

/* The direction in L lanes, L <= UNITS. */
static struct sens_direction in_lanes(struct along *along, size_t L)
{
    const size_t n = along->of->n;
    if (along->lanes != L) {
        for (size_t l = 0; l < L; l++) along->lanes_t[l] = along->tau;
        for (size_t r = 0; r < n; r++)
            for (size_t l = 0; l < L; l++) along->lanes_u[r * L + l] = along->u[r];
        along->lanes = L;
    }
    return (struct sens_direction){.t = along->of->type->autonomous ? NULL : along->lanes_t,
                                   .x = along->lanes_u};
}

static void along_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                      sens_real *OUT)
{
    struct along *along = *(struct along *const *)pb->data;
    const struct sens_direction v = in_lanes(along, L);
    along->of->type->hvp(along->of, at, L, &v, W, OUT, NULL);
}

static sens_status create_along(struct sens_ctx *ctx, const struct sens_problem *pb, struct along *along)
{
    const size_t n = pb->n;
    struct along **const self = SENS_NEW(ctx, struct along *, 1);
    along->of = pb;
    along->u = SENS_NEW(ctx, sens_real, n);
    along->lanes_t = SENS_NEW(ctx, sens_real, UNITS);
    along->lanes_u = SENS_NEW(ctx, sens_real, n * UNITS);
    if (!self || !along->u || !along->lanes_t || !along->lanes_u) return SENS_NO_MEMORY;
    *self = along;
    along->type.vjp = along_vjp;
    along->structure.sparsity = sens_structure_of(pb)->sparsity;
    along->problem = *pb;
    along->problem.type = &along->type;
    along->problem.structure = &along->structure;
    along->problem.data = self;
    return sens_jacobian_create(ctx, &along->problem, SENS_VJP, NULL, &along->H);
}

/* P [n][np] = D df/dp, a row for each unit vector. */
static void find_P(struct rows *rows, const struct sens_at *at, sens_real *P)
{
    const size_t n = rows->n, np = rows->np;
    for (size_t first = 0; first < n; first += UNITS) {
        const size_t L = n - first < UNITS ? n - first : UNITS;
        const struct sens_direction v = in_lanes(&rows->along, L);
        memset(rows->unit, 0, n * L * sizeof *rows->unit);
        memset(rows->MU, 0, np * L * sizeof *rows->MU);
        for (size_t l = 0; l < L; l++) rows->unit[(first + l) * L + l] = 1;
        rows->task->problem->type->hvp(rows->task->problem, at, L, &v, rows->unit, rows->OUT, rows->MU);
        for (size_t l = 0; l < L; l++)
            for (size_t k = 0; k < np; k++) P[(first + l) * np + k] = rows->MU[k * L + l];
    }
}

/* The point and direction of stage i. */
static struct sens_at point_along(struct rows *rows, const struct sens_step *step, size_t i)
{
    struct along *along = &rows->along;
    const sens_real *u = sens_rosenbrock_increments(&rows->formula, rows->n, step->Y) + i * rows->n;
    along->tau = step->h * rows->formula.gamma_i[i];
    along->lanes = 0;
    memcpy(along->u, u, rows->n * sizeof *u);
    return (struct sens_at){step->t, step->y, rows->task->problem->p};
}

static void find_H(struct rows *rows, const struct sens_step *step)
{
    for (size_t i = 0; i < rows->stages; i++) {
        const struct sens_at at = point_along(rows, step, i);
        sens_jacobian_at(rows->along.H, &at, rows->H + i * rows->along.H->entries);
    }
}

/* Once a step, where a block has a direction that is a parameter's. */
static void need_P(struct rows *rows, const struct sens_step *step, const struct tangent_block *block)
{
    bool any = false;
    for (size_t l = 0; l < block->count; l++) any = any || block->col[l] < rows->np;
    if (!any || rows->P_known) return;
    for (size_t i = 0; i < rows->stages; i++) {
        const struct sens_at at = point_along(rows, step, i);
        find_P(rows, &at, rows->P + i * rows->n * rows->np);
    }
    rows->P_known = true;
}

/* OUT += H_i S. */
static void add_second(const struct rows *rows, size_t i, size_t L, const sens_real *S, sens_real *OUT)
{
    const struct sens_jacobian *J = rows->along.H;
    const struct sens_pattern *pattern = J->pattern;
    const sens_real *H = rows->H + i * J->entries;
    if (pattern) {
        sens_lanes_add_csr((struct sens_csr){pattern->rows, pattern->cols, pattern->start, pattern->col, H},
                           L, S, OUT);
        return;
    }
    const struct sens_matrix matrix = {
        .rows = rows->n, .cols = rows->n, .a = H, .row_step = rows->n, .col_step = 1};
    sens_lanes_add_product(matrix, (struct sens_lanes){.v = S, .step = L}, L, OUT);
}

static void add_parameters(const struct rows *rows, size_t i, const struct tangent_block *block,
                           sens_real *OUT)
{
    const size_t np = rows->np, L = block->L;
    for (size_t l = 0; l < block->count; l++) {
        if (block->col[l] >= np) continue;
        const sens_real *column = rows->P + i * rows->n * np + block->col[l];
        for (size_t r = 0; r < rows->n; r++) OUT[r * L + l] += column[r * np];
    }
}

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
    find_H(rows, step);
    rows->P_known = false;
    for (size_t q = 0; q < rows->nodes; q++) find_node(rows, step, q);
    if (step->factors) {
        sens_shifted_borrow(rows->matrix.system, step->factors);
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
    add_second(rows, i, L, block->s, v);
    add_parameters(rows, i, block, v);
    memset(rows->sigma, 0, size * sizeof *rows->sigma);
    combine(rows, size, rows->sigma, i, formula->c[i], rows->sigma);
    for (size_t r = 0; r < size; r++) v[r] = h_gamma * v[r] + rows->sigma[r];
    sens_shifted_solve(rows->matrix.system, false, L, v);
}

static sens_status advance(void *own, const struct sens_step *step, const struct tangent_block *block)
{
    struct rows *rows = own;
    const struct sens_rosenbrock *formula = &rows->formula;
    const size_t size = rows->n * block->L;
    need_P(rows, step, block);
    for (size_t i = 0; i < rows->stages; i++) advance_stage(rows, i, step->h, block);
    for (size_t q = 0; q < rows->nodes; q++) {
        combine(rows, size, block->s, rows->stages, formula->d[q], rows->sigma);
        tangent_add_cost(block, &rows->gradient[q], rows->sigma);
    }
    combine(rows, size, block->s, rows->stages, formula->m, block->s);
    return SENS_OK;
}

static void count(void *own, size_t idle, size_t lanes, struct sens_work *work)
{
    const struct rows *rows = own;
    for (size_t i = 0; i < rows->stages; i++) sens_products_count(rows->products[i], idle, lanes, work);
    sens_shifted_count(rows->matrix.system, work);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_second(struct sens_ctx *ctx, struct rows *rows)
{
    const size_t n = rows->n, np = rows->np;
    const sens_status status = create_along(ctx, rows->task->problem, &rows->along);
    if (status != SENS_OK) return status;
    rows->H = SENS_NEW(ctx, sens_real, rows->stages * rows->along.H->entries);
    rows->P = SENS_NEW(ctx, sens_real, rows->stages * n * np);
    rows->unit = SENS_NEW(ctx, sens_real, n * UNITS);
    rows->OUT = SENS_NEW(ctx, sens_real, n * UNITS);
    rows->MU = SENS_NEW(ctx, sens_real, np * UNITS);
    return rows->H && rows->P && rows->unit && rows->OUT && rows->MU ? SENS_OK : SENS_NO_MEMORY;
}

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
                          void **own)
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
    status = create_second(ctx, rows);
    if (status == SENS_OK) status = create_stages(ctx, rows, n_cols);
    return status == SENS_OK ? sens_stage_matrix_create(ctx, pb, SENS_JVP, &rows->matrix) : status;
}

const struct tangent_family tangent_rosenbrock = {
    .create = create, .linearise = linearise, .advance = advance, .count = count};
