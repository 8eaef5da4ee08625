/* Discrete tangent of an explicit Runge-Kutta solve: the transpose of the discrete adjoint, line by line.
 *
 * For every accepted step, forwards, and every lane of s = dx/dq, where q is a parameter or an initial state:
 *
 *     sigma_i = s + h sum_{j<i} a_ij k_j,      k_i = (df/dx)(t_i, Y_i) sigma_i + (df/dq)(t_i, Y_i)
 *     dG/dq  += h b_i ((dg/dx)(t_i, Y_i) sigma_i + (dg/dq)(t_i, Y_i)),      s += h sum_i b_i k_i
 *
 * on the grid of the problem's own solve, whose stage states come from the trajectory. Directions travel in
 * lanes: a block of them shares every stage state. Because s is carried in full, this method shares no
 * product with the adjoint (J v and df/dp columns against J^T w), and is its oracle. */
#include <string.h>

#include "blocks.h"
#include "erk/erk.h"
#include "sens/method.h"
#include "tangent.h"

enum { COST_LANES = 8 };

struct tangent {
    const struct sens_task *task;
    size_t n, np, m, L, n_cols;
    const size_t *col; /* [n_cols] directions: col < np is p_col, np + i is x0_i */
    int stages;
    struct sens_stops stops;
    struct sens_traj *traj;
    sens_real *x0, *x1;   /* [n] */
    sens_real *G;         /* [m] */
    sens_real *s, *sigma; /* [n][L] */
    sens_real *k;         /* [stages][n][L] */
    sens_real *column;    /* [n][L], columns of df/dp before they are put into their lanes */
    sens_real *weight;    /* [stages + 1] coefficients, with their vectors below */
    const sens_real **vector;
    sens_real *dG;      /* [m][L] */
    sens_real *cost_dx; /* [n][COST_LANES] */
    sens_real *cost_dp; /* [np][COST_LANES]; NULL where the cost does not depend on p */
};

/* ---- columns of df/dp and dx0/dp in their lanes -------------------------------------------------------- */

typedef void column_product(const struct tangent *tg, struct sens_at at, size_t k0, size_t L, sens_real *OUT);

static void rhs_columns(const struct tangent *tg, struct sens_at at, size_t k0, size_t L, sens_real *OUT)
{
    tg->task->problem->type->jvp_p_cols(tg->task->problem, at, k0, L, OUT);
}

static void x0_columns(const struct tangent *tg, struct sens_at at, size_t k0, size_t L, sens_real *OUT)
{
    tg->task->problem->type->x0_jvp_cols(tg->task->problem, at.p, k0, L, OUT);
}

/* Number of directions from col[0] that are consecutive parameters; 0 when col[0] is an initial state. */
static size_t run_length(const struct tangent *tg, const size_t *col, size_t width)
{
    size_t length = 0;
    while (length < width && col[length] < tg->np && col[length] == col[0] + length) length++;
    return length;
}

/* OUT [n][L] += the columns of `product` for the parameters among col[0 .. width). */
static void add_columns(const struct tangent *tg, column_product *product, struct sens_at at,
                        const size_t *col, size_t width, sens_real *OUT)
{
    for (size_t l = 0; l < width;) {
        const size_t length = run_length(tg, col + l, width - l);
        if (length == tg->L) {
            product(tg, at, col[l], length, OUT);
        } else if (length > 0) {
            memset(tg->column, 0, tg->n * length * sizeof *tg->column);
            product(tg, at, col[l], length, tg->column);
            for (size_t i = 0; i < tg->n; i++)
                for (size_t q = 0; q < length; q++) OUT[i * tg->L + l + q] += tg->column[i * length + q];
        }
        l += length > 0 ? length : 1;
    }
}

static void start_block(const struct tangent *tg, const size_t *col, size_t width)
{
    const struct sens_problem *pb = tg->task->problem;
    memset(tg->s, 0, tg->n * tg->L * sizeof *tg->s);
    memset(tg->dG, 0, tg->m * tg->L * sizeof *tg->dG);
    for (size_t l = 0; l < width; l++)
        if (col[l] >= tg->np) tg->s[(col[l] - tg->np) * tg->L + l] = 1;
    if (sens_problem_x0_depends(pb))
        add_columns(tg, x0_columns, (struct sens_at){pb->t0, tg->x0, pb->p}, col, width, tg->s);
}

/* ---- the cost along a block ---------------------------------------------------------------------------- */

/* dG[c0 + c][l] += sum_i cost_dx[i][c] V[i][l], and the explicit dependence on the parameters of the block.
 */
static void contract(const struct tangent *tg, size_t c0, const size_t *col, size_t width, const sens_real *V)
{
    const size_t lanes = tg->m - c0 < COST_LANES ? tg->m - c0 : COST_LANES;
    for (size_t c = 0; c < lanes; c++) {
        sens_real *restrict dG = tg->dG + (c0 + c) * tg->L;
        for (size_t i = 0; i < tg->n; i++) {
            const sens_real weight = tg->cost_dx[i * COST_LANES + c];
            if (weight != 0)
                for (size_t l = 0; l < tg->L; l++) dG[l] += weight * V[i * tg->L + l];
        }
        for (size_t l = 0; tg->cost_dp && l < width; l++)
            if (col[l] < tg->np) dG[l] += tg->cost_dp[col[l] * COST_LANES + c];
    }
}

static void clear_cost(const struct tangent *tg)
{
    memset(tg->cost_dx, 0, tg->n * COST_LANES * sizeof *tg->cost_dx);
    if (tg->cost_dp) memset(tg->cost_dp, 0, tg->np * COST_LANES * sizeof *tg->cost_dp);
}

static void add_running(const struct tangent *tg, struct sens_at at, sens_real w, const size_t *col,
                        size_t width)
{
    const struct sens_cost *cost = tg->task->cost;
    for (size_t c0 = 0; c0 < tg->m; c0 += COST_LANES) {
        clear_cost(tg);
        cost->type->g_dx(cost, at, w, c0, COST_LANES, tg->cost_dx);
        if (cost->type->g_dp) cost->type->g_dp(cost, at, w, c0, COST_LANES, tg->cost_dp);
        contract(tg, c0, col, width, tg->sigma);
    }
}

static void observe(const struct tangent *tg, size_t j, const sens_real *x, const size_t *col, size_t width)
{
    const struct sens_cost *cost = tg->task->cost;
    const sens_real *p = tg->task->problem->p;
    for (size_t c0 = 0; c0 < tg->m; c0 += COST_LANES) {
        clear_cost(tg);
        cost->type->phi_dx(cost, j, x, p, c0, COST_LANES, tg->cost_dx);
        if (cost->type->phi_dp) cost->type->phi_dp(cost, j, x, p, c0, COST_LANES, tg->cost_dp);
        contract(tg, c0, col, width, tg->s);
    }
}

/* ---- one block, from t0 to t1 -------------------------------------------------------------------------- */

/* out = s + h sum_j w_j k_j over the nonzero w_j, j < stages. */
static void combine(const struct tangent *tg, sens_real h, const sens_real *w, int stages, sens_real *out)
{
    int terms = 0;
    for (int j = 0; j < stages; j++)
        if (w[j] != 0) {
            tg->weight[terms] = h * w[j];
            tg->vector[terms++] = tg->k + (size_t)j * tg->n * tg->L;
        }
    sens_blocks_combine(tg->n * tg->L, 1, tg->s, terms, tg->weight, tg->vector, out);
}

static void advance_block(const struct tangent *tg, const struct sens_step *step, const size_t *col,
                          size_t width)
{
    const struct sens_problem *pb = tg->task->problem;
    const struct sens_tableau *tb = tg->task->tableau;
    const int row = tb->stages + tb->extra_stages;
    for (int i = 0; i < tg->stages; i++) {
        const struct sens_at at = {sens_stage_time(tb, step->t, step->h, i), step->Y + (size_t)i * tg->n,
                                   pb->p};
        sens_real *k = tg->k + (size_t)i * tg->n * tg->L;
        combine(tg, step->h, tb->a + i * row, i, tg->sigma);
        pb->type->jvp(pb, at, tg->L, tg->sigma, k);
        add_columns(tg, rhs_columns, at, col, width, k);
        if (tg->task->cost->type->g_dx && tb->b[i] != 0) add_running(tg, at, step->h * tb->b[i], col, width);
    }
    combine(tg, step->h, tb->b, tg->stages, tg->sigma);
    memcpy(tg->s, tg->sigma, tg->n * tg->L * sizeof *tg->s);
}

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

static sens_status propagate_block(const struct tangent *tg, const size_t *col, size_t width)
{
    start_block(tg, col, width);
    if (tg->stops.obs_at_t0 >= 0) observe(tg, (size_t)tg->stops.obs_at_t0, tg->x0, col, width);
    for (long k = 0; k < sens_traj_steps(tg->traj); k++) {
        struct sens_step step;
        sens_status status = sens_traj_load(tg->traj, k, &step);
        if (status != SENS_OK) return status;
        const long stop = step.stop;
        advance_block(tg, &step, col, width);
        if (stop >= 0 && tg->stops.obs[stop] >= 0) {
            const sens_real *x;
            status = state_after(tg, k, &x);
            if (status != SENS_OK) return status;
            observe(tg, (size_t)tg->stops.obs[stop], x, col, width);
        }
    }
    return sens_blocks_finite(tg->m * tg->L, tg->dG) ? SENS_OK : SENS_DIVERGED;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status allocate(struct sens_ctx *ctx, struct tangent *tg)
{
    const struct sens_cost_type *cost = tg->task->cost->type;
    const bool explicit_p = cost->phi_dp || cost->g_dp;
    const size_t stages = (size_t)tg->stages, block = tg->n * tg->L;
    tg->x0 = SENS_NEW(ctx, sens_real, tg->n);
    tg->x1 = SENS_NEW(ctx, sens_real, tg->n);
    tg->G = SENS_NEW(ctx, sens_real, tg->m);
    tg->s = SENS_NEW(ctx, sens_real, block);
    tg->sigma = SENS_NEW(ctx, sens_real, block);
    tg->k = SENS_NEW(ctx, sens_real, stages * block);
    tg->column = SENS_NEW(ctx, sens_real, block);
    tg->weight = SENS_NEW(ctx, sens_real, stages + 1);
    tg->vector = SENS_NEW(ctx, const sens_real *, stages + 1);
    tg->dG = SENS_NEW(ctx, sens_real, tg->m * tg->L);
    tg->cost_dx = SENS_NEW(ctx, sens_real, tg->n * COST_LANES);
    tg->cost_dp = explicit_p ? SENS_NEW(ctx, sens_real, tg->np * COST_LANES) : NULL;
    const bool complete = tg->x0 && tg->x1 && tg->G && tg->s && tg->sigma && tg->k && tg->column &&
                          tg->weight && tg->vector && tg->dG && tg->cost_dx && (tg->cost_dp || !explicit_p);
    return complete ? SENS_OK : SENS_NO_MEMORY;
}

/* The last stage of an FSAL pair moves no direction, unless a cost or an interpolant asks for it: none does
 * here. */
static int live_stages(const struct sens_tableau *tb)
{
    return tb->fsal ? tb->stages - 1 : tb->stages;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, size_t n_cols,
                          const size_t *col, struct tangent **made)
{
    struct tangent *tg = SENS_NEW(ctx, struct tangent, 1);
    if (!tg) return SENS_NO_MEMORY;
    *tg = (struct tangent){.task = task, .n_cols = n_cols, .col = col};
    tg->n = task->problem->n;
    tg->np = task->problem->np;
    tg->m = task->cost->m;
    tg->L = sens_blocks_lanes(task->lanes, n_cols);
    tg->stages = live_stages(task->tableau);
    sens_status status = allocate(ctx, tg);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &tg->stops);
    if (status == SENS_OK) status = sens_traj_create(ctx, task, &tg->stops, &tg->traj);
    if (status == SENS_OK) *made = tg;
    return status;
}

/* ---- selected columns ---------------------------------------------------------------------------------- */

sens_status sens_tangent_columns(struct sens_ctx *ctx, const struct sens_task *task, size_t n_cols,
                                 const size_t *col, sens_real *OUT)
{
    struct tangent *tg;
    struct sens_erk_stats stats;
    sens_status status = create(ctx, task, n_cols, col, &tg);
    if (status != SENS_OK) return status;
    sens_problem_x0(task->problem, task->problem->p, tg->x0);
    status = sens_traj_solve(ctx, tg->traj, tg->x0, task->problem->p, tg->x1, tg->G, &stats);
    for (size_t k0 = 0; k0 < n_cols && status == SENS_OK; k0 += tg->L) {
        const size_t width = n_cols - k0 < tg->L ? n_cols - k0 : tg->L;
        status = propagate_block(tg, col + k0, width);
        for (size_t c = 0; c < tg->m && status == SENS_OK; c++)
            memcpy(OUT + c * n_cols + k0, tg->dG + c * tg->L, width * sizeof *OUT);
    }
    return status;
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
    const sens_status status = create(ctx, task, np + n, col, &tg);
    if (status == SENS_OK) *state = tg;
    return status;
}

static void write_columns(const struct tangent *tg, size_t k0, size_t width, const struct sens_out *out)
{
    for (size_t l = 0; l < width; l++) {
        const size_t col = tg->col[k0 + l];
        sens_real *to = col < tg->np ? out->dGdp + col : out->dGdx0 + (col - tg->np);
        const size_t stride = col < tg->np ? tg->np : tg->n;
        for (size_t c = 0; c < tg->m; c++) to[c * stride] = tg->dG[c * tg->L + l];
    }
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct tangent *tg = state;
    const struct sens_problem *pb = tg->task->problem;
    struct sens_erk_stats stats;
    const double begin = sens_now(ctx);
    sens_problem_x0(pb, pb->p, tg->x0);
    sens_status status = sens_traj_solve(ctx, tg->traj, tg->x0, pb->p, tg->x1, tg->G, &stats);
    if (status == SENS_OK && !sens_blocks_finite(tg->m, tg->G)) status = SENS_DIVERGED;
    for (size_t k0 = 0; k0 < tg->n_cols && status == SENS_OK; k0 += tg->L) {
        const size_t width = tg->n_cols - k0 < tg->L ? tg->n_cols - k0 : tg->L;
        status = propagate_block(tg, tg->col + k0, width);
        if (status == SENS_OK) write_columns(tg, k0, width, out);
    }
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
    return SENS_OK;
}

SENS_METHOD(discrete_tangent) = {
    .name = "discrete_tangent",
    .summary =
        "forward derivative of the Runge-Kutta steps taken, directions in lanes; transpose of the adjoint",
    .reference = "Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.6; transpose of "
                 "discrete_adjoint",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_CKPT | SENS_CAP_LANES |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS,
    .prepare = prepare,
    .run = run,
};
