/* Discrete tangent of an explicit Runge-Kutta solve: the transpose of the discrete adjoint, line by line.
 *
 * For every accepted step, forwards, and every lane of s = dx/dq, where q is a parameter or an initial state:
 *
 *     sigma_i = s + h sum_{j<i} a_ij k_j,      k_i = (df/dx)(t_i, Y_i) sigma_i + (df/dq)(t_i, Y_i)
 *     dG/dq  += h b_i ((dg/dx)(t_i, Y_i) sigma_i + (dg/dq)(t_i, Y_i)),      s += h sum_i b_i k_i
 *
 * on the grid of the problem's own solve, whose stage states come from the trajectory. Directions travel in
 * lanes: a block of them shares every stage state. Time is the outer loop and blocks the inner one, so that
 * the Jacobian of a stage is formed once for all of them, and a block does all stages of a step while it is
 * in cache. Because s is carried in full, this method shares no product with the adjoint (J v and df/dp
 * columns against J^T w), and is its oracle. */
#include <string.h>

#include "directions.h"
#include "gradient.h"
#include "products.h"
#include "rules.h"
#include "sens/method.h"
#include "store.h"
#include "tangent.h"
#include "tangent_test.h"

struct tangent {
    const struct sens_task *task;
    size_t n, np, m, L, blocks, n_cols;
    const size_t *col; /* [n_cols] directions: col < np is p_col, np + i is x0_i */
    int stages;
    struct sens_terms *a, b; /* [stages] */
    struct sens_stops stops;
    struct sens_tangent_test *test; /* NULL: the state alone chooses the steps */
    struct sens_traj *traj;
    struct sens_products **products; /* [stages] */
    struct sens_gradient *gradient;  /* [stages] of the running cost; the first one also of observations */
    sens_real *x0, *x1;              /* [n] */
    sens_real *G;                    /* [m] */
    sens_real *s;                    /* [blocks][n][L] */
    sens_real *sigma;                /* [n][L] */
    sens_real *k;                    /* [stages][n][L] */
    sens_real *column;               /* [n][L], columns of df/dp before they are put into their lanes */
    sens_real *weight;               /* [stages] coefficients, with their vectors below */
    const sens_real **vector;
    sens_real *dG; /* [blocks][m][L] */
};

/* ---- columns of df/dp and dx0/dp in their lanes -------------------------------------------------------- */

typedef void column_product(const struct tangent *tg, int i, size_t k0, size_t L, sens_real *OUT);

/* Where the products of stage i stand. */
static void rhs_columns(const struct tangent *tg, int i, size_t k0, size_t L, sens_real *OUT)
{
    sens_products_add_columns(tg->products[i], k0, L, OUT);
}

static void x0_columns(const struct tangent *tg, int i, size_t k0, size_t L, sens_real *OUT)
{
    const struct sens_problem *pb = tg->task->problem;
    (void)i;
    pb->type->x0_jvp_cols(pb, pb->p, k0, L, OUT);
}

/* Directions of block b, and lanes: the last block has as many whole vectors as it needs. */
static size_t block_count(const struct tangent *tg, size_t b)
{
    return tg->n_cols - b * tg->L < tg->L ? tg->n_cols - b * tg->L : tg->L;
}

static size_t block_lanes(const struct tangent *tg, size_t b)
{
    return sens_directions_width(tg->L, tg->n_cols - b * tg->L);
}

/* Number of directions from col[0] that are consecutive parameters; 0 when col[0] is an initial state. */
static size_t run_length(const struct tangent *tg, const size_t *col, size_t count)
{
    size_t length = 0;
    while (length < count && col[length] < tg->np && col[length] == col[0] + length) length++;
    return length;
}

/* OUT [n][lanes] += the columns of `product` for the parameters among those of block b. */
static void add_columns(const struct tangent *tg, column_product *product, int i, size_t b, sens_real *OUT)
{
    const size_t *col = tg->col + b * tg->L, count = block_count(tg, b), L = block_lanes(tg, b);
    for (size_t l = 0; l < count;) {
        const size_t length = run_length(tg, col + l, count - l);
        if (length == L) {
            product(tg, i, col[l], length, OUT);
        } else if (length > 0) {
            memset(tg->column, 0, tg->n * length * sizeof *tg->column);
            product(tg, i, col[l], length, tg->column);
            for (size_t r = 0; r < tg->n; r++)
                for (size_t q = 0; q < length; q++) OUT[r * L + l + q] += tg->column[r * length + q];
        }
        l += length > 0 ? length : 1;
    }
}

static void start_block(const struct tangent *tg, size_t b)
{
    const size_t *col = tg->col + b * tg->L, L = block_lanes(tg, b);
    sens_real *s = tg->s + b * tg->n * tg->L;
    memset(s, 0, tg->n * L * sizeof *s);
    memset(tg->dG + b * tg->m * tg->L, 0, tg->m * L * sizeof *tg->dG);
    for (size_t l = 0; l < block_count(tg, b); l++)
        if (col[l] >= tg->np) s[(col[l] - tg->np) * L + l] = 1;
    if (sens_problem_x0_depends(tg->task->problem)) add_columns(tg, x0_columns, 0, b, s);
}

/* ---- the cost along a block ---------------------------------------------------------------------------- */

/* dG of block b += gradient S, and the explicit dependence on the parameters of the block. */
static void contract(const struct tangent *tg, const struct sens_gradient *gradient, size_t b,
                     const sens_real *S)
{
    const size_t *col = tg->col + b * tg->L, L = block_lanes(tg, b);
    sens_real *dG = tg->dG + b * tg->m * tg->L;
    sens_gradient_multiply(gradient, L, S, dG);
    for (size_t l = 0; gradient->dp && l < block_count(tg, b); l++)
        for (size_t c = 0; col[l] < tg->np && c < tg->m; c++)
            dG[c * L + l] += sens_gradient_explicit(gradient, c, col[l]);
}

static void observe(const struct tangent *tg, size_t j, const sens_real *x)
{
    sens_gradient_observed(&tg->gradient[0], j, x, tg->task->problem->p);
    for (size_t b = 0; b < tg->blocks; b++) contract(tg, &tg->gradient[0], b, tg->s + b * tg->n * tg->L);
}

/* ---- one step ------------------------------------------------------------------------------------------ */

/* out = s + h sum_j w_j k_j over `size` numbers; out may be s. */
static void combine(const struct tangent *tg, size_t size, const sens_real *s, sens_real h,
                    const struct sens_terms *row, sens_real *out)
{
    tg->weight[0] = 1, tg->vector[0] = s;
    for (int j = 0; j < row->terms; j++) {
        tg->weight[j + 1] = h * row->weight[j];
        tg->vector[j + 1] = tg->k + (size_t)row->stage[j] * tg->n * tg->L;
    }
    sens_lanes_combine(size, row->terms + 1, 1, tg->weight, tg->vector, out);
}

static void advance_block(const struct tangent *tg, sens_real h, size_t b)
{
    const size_t L = block_lanes(tg, b), size = tg->n * L;
    const bool running = tg->task->cost->type->g_dx;
    sens_real *s = tg->s + b * tg->n * tg->L;
    for (int i = 0; i < tg->stages; i++) {
        sens_real *k = tg->k + (size_t)i * tg->n * tg->L;
        const sens_real *sigma = i > 0 ? tg->sigma : s;
        if (i > 0) combine(tg, size, s, h, &tg->a[i], tg->sigma);
        sens_products_multiply(tg->products[i], L, sigma, k);
        add_columns(tg, rhs_columns, i, b, k);
        if (running && tg->task->tableau->b[i] != 0) contract(tg, &tg->gradient[i], b, sigma);
    }
    combine(tg, size, s, h, &tg->b, s);
}

static void advance(const struct tangent *tg, const struct sens_step *step)
{
    const struct sens_tableau *tb = tg->task->tableau;
    const bool running = tg->task->cost->type->g_dx;
    for (int i = 0; i < tg->stages; i++) {
        const struct sens_at at = {sens_stage_time(tb, step->t, step->h, i), step->Y + (size_t)i * tg->n,
                                   tg->task->problem->p};
        sens_products_at(tg->products[i], &at);
        if (running && tb->b[i] != 0) sens_gradient_running(&tg->gradient[i], &at, step->h * tb->b[i]);
    }
    for (size_t b = 0; b < tg->blocks; b++) advance_block(tg, step->h, b);
}

/* ---- from t0 to t1 ------------------------------------------------------------------------------------- */

/* The state after step k: the start of the next one, or the end. */
static sens_status state_after(const struct tangent *tg, long k, const sens_real **x)
{
    struct sens_step next;
    *x = tg->x1;
    if (k + 1 == sens_traj_steps(tg->traj)) return SENS_OK;
    const sens_status status = sens_traj_load(tg->traj, k + 1, &next);
    if (status == SENS_OK) *x = next.y;
    return status;
}

static sens_status propagate(const struct tangent *tg)
{
    for (size_t b = 0; b < tg->blocks; b++) start_block(tg, b);
    if (tg->stops.obs_at_t0 >= 0) observe(tg, (size_t)tg->stops.obs_at_t0, tg->x0);
    for (long k = 0; k < sens_traj_steps(tg->traj); k++) {
        struct sens_step step;
        sens_status status = sens_traj_load(tg->traj, k, &step);
        if (status != SENS_OK) return status;
        const long stop = step.stop;
        advance(tg, &step);
        if (stop >= 0 && tg->stops.obs[stop] >= 0) {
            const sens_real *x;
            status = state_after(tg, k, &x);
            if (status != SENS_OK) return status;
            observe(tg, (size_t)tg->stops.obs[stop], x);
        }
    }
    return sens_finite(tg->blocks * tg->m * tg->L, tg->dG) ? SENS_OK : SENS_DIVERGED;
}

/* The problem's solve, and every direction along it. */
static sens_status solve(struct sens_ctx *ctx, const struct tangent *tg, struct sens_solver_stats *stats)
{
    const struct sens_problem *pb = tg->task->problem;
    sens_problem_x0(pb, pb->p, tg->x0);
    sens_status status = sens_traj_solve(ctx, tg->traj, tg->x0, pb->p, tg->x1, tg->G, stats);
    return status == SENS_OK ? propagate(tg) : status;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

/* The last stage of an FSAL pair moves no direction, unless a cost or an interpolant asks for it: none does
 * here. */
static sens_status create_rows(struct sens_ctx *ctx, struct tangent *tg)
{
    const struct sens_tableau *tb = tg->task->tableau;
    tg->stages = tb->fsal ? tb->stages - 1 : tb->stages;
    tg->a = SENS_NEW(ctx, struct sens_terms, (size_t)tg->stages);
    if (!tg->a) return SENS_NO_MEMORY;
    sens_status status = sens_terms_create(ctx, tg->stages, tb->b, &tg->b);
    for (int i = 0; i < tg->stages && status == SENS_OK; i++)
        status = sens_terms_create(ctx, i, tb->a + i * (tb->stages + tb->extra_stages), &tg->a[i]);
    return status;
}

/* What is kept at each stage of a step. */
static sens_status create_stages(struct sens_ctx *ctx, struct tangent *tg)
{
    const struct sens_task *task = tg->task;
    const size_t stages = (size_t)tg->stages, points = task->cost->type->g_dx ? stages : 1;
    tg->products = SENS_NEW(ctx, struct sens_products *, stages);
    tg->gradient = SENS_NEW(ctx, struct sens_gradient, stages);
    if (!tg->products || !tg->gradient) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (size_t i = 0; i < stages && status == SENS_OK; i++)
        status = sens_products_create(ctx, task->problem, SENS_JVP, 1, tg->n_cols, &tg->products[i]);
    for (size_t i = 0; i < points && status == SENS_OK; i++)
        status = sens_gradient_create(ctx, task, true, &tg->gradient[i]);
    return status;
}

static sens_status create_vectors(struct sens_ctx *ctx, struct tangent *tg)
{
    const size_t stages = (size_t)tg->stages, block = tg->n * tg->L;
    tg->x0 = SENS_NEW(ctx, sens_real, tg->n);
    tg->x1 = SENS_NEW(ctx, sens_real, tg->n);
    tg->G = SENS_NEW(ctx, sens_real, tg->m);
    tg->s = SENS_NEW(ctx, sens_real, tg->blocks * block);
    tg->sigma = SENS_NEW(ctx, sens_real, block);
    tg->k = SENS_NEW(ctx, sens_real, stages * block);
    tg->column = SENS_NEW(ctx, sens_real, block);
    tg->weight = SENS_NEW(ctx, sens_real, stages + 1);
    tg->vector = SENS_NEW(ctx, const sens_real *, stages + 1);
    tg->dG = SENS_NEW(ctx, sens_real, tg->blocks * tg->m * tg->L);
    return tg->x0 && tg->x1 && tg->G && tg->s && tg->sigma && tg->k && tg->column && tg->weight &&
                   tg->vector && tg->dG
               ? SENS_OK
               : SENS_NO_MEMORY;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, bool tested, size_t n_cols,
                          const size_t *col, struct tangent **made)
{
    struct tangent *tg = SENS_NEW(ctx, struct tangent, 1);
    if (!tg) return SENS_NO_MEMORY;
    *tg = (struct tangent){.task = task, .n_cols = n_cols, .col = col};
    tg->n = task->problem->n;
    tg->np = task->problem->np;
    tg->m = task->cost->m;
    tg->L = sens_directions_lanes(task->lanes, n_cols, tg->n, (size_t)task->tableau->stages + 2);
    tg->blocks = (n_cols + tg->L - 1) / tg->L;
    sens_status status = create_rows(ctx, tg);
    if (status == SENS_OK) status = create_stages(ctx, tg);
    if (status == SENS_OK) status = create_vectors(ctx, tg);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &tg->stops);
    if (status == SENS_OK) status = sens_tangent_test_create(ctx, task, tested, &tg->test);
    if (status == SENS_OK)
        status = sens_traj_create(ctx, task, &tg->stops, sens_tangent_test_followers(tg->test), &tg->traj);
    if (status == SENS_OK) *made = tg;
    return status;
}

/* ---- selected columns ---------------------------------------------------------------------------------- */

sens_status sens_tangent_columns(struct sens_ctx *ctx, const struct sens_task *task, bool tested,
                                 size_t n_cols, const size_t *col, sens_real *OUT)
{
    struct tangent *tg;
    struct sens_solver_stats stats;
    sens_status status = create(ctx, task, tested, n_cols, col, &tg);
    if (status != SENS_OK) return status;
    status = solve(ctx, tg, &stats);
    for (size_t b = 0; b < tg->blocks && status == SENS_OK; b++)
        for (size_t c = 0; c < tg->m; c++)
            memcpy(OUT + c * n_cols + b * tg->L, tg->dG + b * tg->m * tg->L + c * block_lanes(tg, b),
                   block_count(tg, b) * sizeof *OUT);
    return status;
}

/* ---- the steps ------------------------------------------------------------------------------------------
 */

/* Of the problem's own solve. */
static sens_status count_steps(struct sens_ctx *ctx, const struct sens_task *task, bool tested, long *steps)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct sens_tangent_test *test;
    struct sens_stops stops;
    struct sens_traj *traj;
    struct sens_task lean = *task;
    lean.ckpt = (struct sens_ckpt){&sens_store_every.policy, 32}; /* few stages are kept */
    sens_status status = sens_stops_create(ctx, &lean, &stops);
    if (status == SENS_OK) status = sens_tangent_test_create(ctx, &lean, tested, &test);
    if (status == SENS_OK)
        status = sens_traj_create(ctx, &lean, &stops, sens_tangent_test_followers(test), &traj);
    if (status == SENS_OK) *steps = sens_traj_steps(traj);
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}

sens_status sens_tangent_steps(struct sens_ctx *ctx, const struct sens_task *task, long *state, long *tested)
{
    const sens_status status = count_steps(ctx, task, false, state);
    return status == SENS_OK ? count_steps(ctx, task, true, tested) : status;
}

/* ---- the method: every column -------------------------------------------------------------------------- */

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    const size_t np = task->wrt & SENS_WRT_P ? task->problem->np : 0;
    const size_t n = task->wrt & SENS_WRT_X0 ? task->problem->n : 0;
    size_t *col = SENS_NEW(ctx, size_t, np + n);
    if (!col) return SENS_NO_MEMORY;
    for (size_t k = 0; k < np; k++) col[k] = k;
    for (size_t i = 0; i < n; i++) col[np + i] = task->problem->np + i;
    struct tangent *tg;
    const bool tested = task->option[OPT_TANGENT_TEST].number == TEST_INSIDE;
    const sens_status status = create(ctx, task, tested, np + n, col, &tg);
    if (status == SENS_OK) *state = tg;
    return status;
}

static void write_columns(const struct tangent *tg, const struct sens_out *out)
{
    for (size_t k = 0; k < tg->n_cols; k++) {
        const size_t col = tg->col[k], b = k / tg->L, L = block_lanes(tg, b);
        const sens_real *dG = tg->dG + b * tg->m * tg->L + k % tg->L;
        sens_real *to = col < tg->np ? out->dGdp + col : out->dGdx0 + (col - tg->np);
        const size_t stride = col < tg->np ? tg->np : tg->n;
        for (size_t c = 0; c < tg->m; c++) to[c * stride] = dG[c * L];
    }
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct tangent *tg = state;
    struct sens_solver_stats stats;
    const double begin = sens_now(ctx);
    sens_status status = solve(ctx, tg, &stats);
    if (status == SENS_OK && !sens_finite(tg->m, tg->G)) status = SENS_DIVERGED;
    if (status == SENS_OK) write_columns(tg, out);
    if (status != SENS_OK) return status;
    sens_traj_report(tg->traj);
    memcpy(out->x, tg->x1, tg->n * sizeof *out->x);
    memcpy(out->G, tg->G, tg->m * sizeof *out->G);
    *work = (struct sens_work){.steps = stats.steps,
                               .rejects = stats.rejects,
                               .t_forward = sens_now(ctx) - begin,
                               .bytes_traj = sens_traj_bytes(tg->traj),
                               .lanes = (int)tg->L,
                               .threads = 1};
    size_t lanes = 0;
    for (size_t b = 0; b < tg->blocks; b++) lanes += block_lanes(tg, b);
    for (int i = 0; i < tg->stages; i++)
        sens_products_count(tg->products[i], lanes - tg->n_cols, lanes, work);
    sens_tangent_test_count(tg->test, work);
    return SENS_OK;
}

SENS_METHOD(discrete_tangent) = {
    .name = "discrete_tangent",
    .summary =
        "tangent linear model of the Runge-Kutta steps taken, directions in lanes; transpose of the adjoint",
    .reference = "Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.6; transpose of "
                 "discrete_adjoint",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_CKPT | SENS_CAP_LANES |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS,
    .options = sens_tangent_test_options,
    .prepare = prepare,
    .run = run,
};
