/* Discrete tangent of a Runge-Kutta solve: the transpose of the discrete adjoint, line by line.
 *
 * For every accepted step, forwards, and every lane of s = dx/dq, where q is a parameter or an initial state,
 * the family of the scheme says what becomes of s and dG/dq (tangent_family.h; Runge-Kutta
 * pairs: tangent_runge_kutta.c), on the grid of the problem's own solve, whose stages come from the trajectory.
 *
 * Directions travel in lanes: a block of them shares every stage. Time is the outer loop and blocks the inner
 * one, so that the Jacobian of a stage is formed once for all of them, and a block does all stages of a step
 * while it is in cache. Because s is carried in full, this method shares no product with the adjoint (J v and
 * df/dp columns against J^T w), and is its oracle. */
#include <string.h>

#include "directions.h"
#include "rules.h"
#include "sens/method.h"
#include "store.h"
#include "tangent.h"
#include "tangent_along.h"
#include "tangent_test.h"

struct tangent {
    const struct sens_task *task;
    const struct tangent_family *family;
    void *own; /* the family's */
    size_t n, np, m, L, blocks, n_cols;
    const size_t *col;           /* [n_cols] as in a block */
    struct tangent_block *block; /* [blocks] */
    struct sens_stops stops;
    struct sens_tangent_test *test; /* NULL: the state alone chooses the steps */
    struct sens_traj *traj;
    struct sens_gradient observed; /* of the observation at hand */
    sens_real *x0, *x1;            /* [n] */
    sens_real *G;                  /* [m] */
};

/* ---- along a block ------------------------------------------------------------------------------------- */

static void start_block(const struct tangent *tg, const struct tangent_block *block)
{
    const size_t *col = block->col, L = block->L;
    memset(block->s, 0, tg->n * L * sizeof *block->s);
    memset(block->dG, 0, tg->m * L * sizeof *block->dG);
    for (size_t l = 0; l < block->count; l++)
        if (col[l] >= tg->np) block->s[(col[l] - tg->np) * L + l] = 1;
    if (sens_problem_x0_depends(tg->task->problem)) tangent_add_columns(block, NULL, block->s);
}

static void observe(struct tangent *tg, size_t j, const sens_real *x)
{
    sens_gradient_observed(&tg->observed, j, x, tg->task->problem->p);
    for (size_t b = 0; b < tg->blocks; b++) tangent_add_cost(&tg->block[b], &tg->observed, tg->block[b].s);
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

static sens_status advance(const struct tangent *tg, const struct sens_step *step)
{
    sens_status status = tg->family->linearise(tg->own, step);
    for (size_t b = 0; b < tg->blocks && status == SENS_OK; b++)
        status = tg->family->advance(tg->own, step, &tg->block[b]);
    return status;
}

static bool finite(const struct tangent *tg)
{
    for (size_t b = 0; b < tg->blocks; b++)
        if (!sens_finite(tg->m * tg->block[b].L, tg->block[b].dG)) return false;
    return true;
}

static sens_status propagate(struct sens_ctx *ctx, struct tangent *tg)
{
    for (size_t b = 0; b < tg->blocks; b++) start_block(tg, &tg->block[b]);
    if (tg->stops.obs_at_t0 >= 0) observe(tg, (size_t)tg->stops.obs_at_t0, tg->x0);
    for (long k = 0; k < sens_traj_steps(tg->traj); k++) {
        struct sens_step step;
        sens_status status = sens_traj_load(tg->traj, k, &step);
        if (status != SENS_OK) return status;
        const long stop = step.stop;
        const sens_real t = step.t, h = step.h;
        status = advance(tg, &step);
        if (status != SENS_OK) return sens_traj_refuse(ctx, status, t, h);
        if (stop >= 0 && tg->stops.obs[stop] >= 0) {
            const sens_real *x;
            status = state_after(tg, k, &x);
            if (status != SENS_OK) return status;
            observe(tg, (size_t)tg->stops.obs[stop], x);
        }
    }
    return finite(tg) ? SENS_OK : SENS_DIVERGED;
}

/* The problem's solve, and every direction along it. */
static sens_status solve(struct sens_ctx *ctx, struct tangent *tg, struct sens_solver_stats *stats)
{
    const struct sens_problem *pb = tg->task->problem;
    sens_problem_x0(pb, pb->p, tg->x0);
    sens_status status = sens_traj_solve(ctx, tg->traj, tg->x0, pb->p, tg->x1, tg->G, stats);
    return status == SENS_OK ? propagate(ctx, tg) : status;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_blocks(struct sens_ctx *ctx, struct tangent *tg)
{
    const size_t L = tg->L;
    sens_real *s = SENS_NEW(ctx, sens_real, tg->blocks * tg->n * L);
    sens_real *dG = SENS_NEW(ctx, sens_real, tg->blocks * tg->m * L);
    sens_real *column = SENS_NEW(ctx, sens_real, tg->n * (L > TANGENT_COLUMNS ? L : TANGENT_COLUMNS));
    tg->block = SENS_NEW(ctx, struct tangent_block, tg->blocks);
    if (!s || !dG || !column || !tg->block) return SENS_NO_MEMORY;
    for (size_t b = 0; b < tg->blocks; b++) {
        const size_t left = tg->n_cols - b * L;
        tg->block[b] = (struct tangent_block){.pb = tg->task->problem,
                                              .col = tg->col + b * L,
                                              .count = left < L ? left : L,
                                              .L = sens_directions_width(L, left),
                                              .s = s + b * tg->n * L,
                                              .dG = dG + b * tg->m * L,
                                              .column = column};
    }
    return SENS_OK;
}

static sens_status create_vectors(struct sens_ctx *ctx, struct tangent *tg)
{
    tg->x0 = SENS_NEW(ctx, sens_real, tg->n);
    tg->x1 = SENS_NEW(ctx, sens_real, tg->n);
    tg->G = SENS_NEW(ctx, sens_real, tg->m);
    if (!tg->x0 || !tg->x1 || !tg->G) return SENS_NO_MEMORY;
    return sens_gradient_create(ctx, tg->task, true, &tg->observed);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_task *task, bool tested,
                          enum sens_traj_keep keep, size_t n_cols, const size_t *col, struct tangent **made)
{
    struct tangent *tg = SENS_NEW(ctx, struct tangent, 1);
    if (!tg) return SENS_NO_MEMORY;
    *tg = (struct tangent){
        .task = task, .family = tangent_family_of(ctx, task->tableau), .n_cols = n_cols, .col = col};
    if (!tg->family) return SENS_UNSUPPORTED;
    tg->n = task->problem->n;
    tg->np = task->problem->np;
    tg->m = task->cost->m;
    tg->L = sens_directions_lanes(task->lanes, n_cols, tg->n, (size_t)task->tableau->stages + 2);
    tg->blocks = (n_cols + tg->L - 1) / tg->L;
    sens_status status = create_blocks(ctx, tg);
    if (status == SENS_OK) status = create_vectors(ctx, tg);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &tg->stops);
    if (status == SENS_OK) status = sens_tangent_test_create(ctx, task, tested, &tg->test);
    if (status == SENS_OK)
        status =
            sens_traj_create(ctx, task, &tg->stops, sens_tangent_test_followers(tg->test), keep, &tg->traj);
    if (status == SENS_OK) status = tg->family->create(ctx, task, tg->L, n_cols, NULL, &tg->own);
    if (status == SENS_OK) *made = tg;
    return status;
}

/* ---- selected columns ---------------------------------------------------------------------------------- */

sens_status sens_tangent_columns(struct sens_ctx *ctx, const struct sens_task *task, bool tested,
                                 size_t n_cols, const size_t *col, sens_real *OUT)
{
    struct tangent *tg;
    struct sens_solver_stats stats;
    sens_status status = create(ctx, task, tested, SENS_TRAJ_NO_FACTORS, n_cols, col, &tg);
    if (status != SENS_OK) return status;
    status = solve(ctx, tg, &stats);
    for (size_t b = 0; b < tg->blocks && status == SENS_OK; b++)
        for (size_t c = 0; c < tg->m; c++)
            memcpy(OUT + c * n_cols + b * tg->L, tg->block[b].dG + c * tg->block[b].L,
                   tg->block[b].count * sizeof *OUT);
    return status;
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

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
        status = sens_traj_create(ctx, &lean, &stops, sens_tangent_test_followers(test), SENS_TRAJ_NO_FACTORS,
                                  &traj);
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

static bool keeps(const struct sens_task *task)
{
    return task->option[OPT_FACTORS].number == FACTORS_KEPT;
}

/* What the method's options ask for, beside the test. */
static sens_status set_options(struct sens_ctx *ctx, const struct sens_task *task, struct tangent *tg)
{
    const struct tangent_family *family = tg->family;
    const bool iterates = task->option[OPT_STAGE_SOLVE].number == SOLVE_NEWTON;
    const sens_status status = iterates && family->iterate ? family->iterate(ctx, tg->own) : SENS_OK;
    return status == SENS_OK && keeps(task) && family->keep ? family->keep(ctx, tg->own) : status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    const size_t np = task->parts & SENS_IN_DGDP ? task->problem->np : 0;
    const size_t n = task->parts & SENS_IN_DGDX0 ? task->problem->n : 0;
    size_t *col = SENS_NEW(ctx, size_t, np + n);
    if (!col) return SENS_NO_MEMORY;
    for (size_t k = 0; k < np; k++) col[k] = k;
    for (size_t i = 0; i < n; i++) col[np + i] = task->problem->np + i;
    struct tangent *tg;
    ctx->linear = (enum sens_kernel_choice)task->option[OPT_LINEAR].number;
    const bool tested = task->option[OPT_TANGENT_TEST].number == TEST_INSIDE;
    sens_status status =
        create(ctx, task, tested, keeps(task) ? SENS_TRAJ_FACTORS : SENS_TRAJ_NO_FACTORS, np + n, col, &tg);
    if (status == SENS_OK) status = set_options(ctx, task, tg);
    if (status == SENS_OK) *state = tg;
    return status;
}

static void write_columns(const struct tangent *tg, const struct sens_out *out)
{
    for (size_t k = 0; k < tg->n_cols; k++) {
        const struct tangent_block *block = &tg->block[k / tg->L];
        const size_t col = tg->col[k];
        const sens_real *dG = block->dG + k % tg->L;
        sens_real *to = col < tg->np ? out->dGdp + col : out->dGdx0 + (col - tg->np);
        const size_t stride = col < tg->np ? tg->np : tg->n;
        for (size_t c = 0; c < tg->m; c++) to[c * stride] = dG[c * block->L];
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
    for (size_t b = 0; b < tg->blocks; b++) lanes += tg->block[b].L;
    tg->family->count(tg->own, lanes - tg->n_cols, lanes, work);
    sens_tangent_test_count(tg->test, work);
    sens_traj_count(tg->traj, work);
    sens_traj_count_solve(tg->traj, work);
    sens_traj_count_factors(tg->traj, work);
    return SENS_OK;
}

SENS_METHOD(discrete_tangent) = {
    .name = "discrete_tangent",
    .summary =
        "tangent linear model of the Runge-Kutta steps taken, directions in lanes; transpose of the adjoint",
    .reference = "Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.6; transpose of "
                 "discrete_adjoint",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_COMPONENTS | SENS_CAP_TABLEAU | SENS_CAP_IMPLICIT | SENS_CAP_MASS |
            SENS_CAP_CONTROLLER | SENS_CAP_CKPT | SENS_CAP_LANES | SENS_CAP_RUNNING_COST |
            SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS,
    .options = sens_tangent_test_options,
    .prepare = prepare,
    .run = run,
};
