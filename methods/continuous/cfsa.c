/* Continuous forward sensitivities: the variational equations solved along with the state, as one system,
 *
 *     x' = f(t, x, p),   S' = (df/dx) S + df/dq,   (x, S)(t0) = (x0, dx0/dq)
 *
 * (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, I.14; layout in cfsa_common.h). S
 * takes part in the choice of steps, with the tolerances of the state, unless sens_test = outside: the steps
 * are then those of the state alone, and the result is that of discrete_tangent to rounding.
 *
 * x is the leader of the system and the blocks of S follow it (rk/followers.h): the Jacobian at each stage
 * is formed once a step for all of them, and a block does all its stages while it is in cache. Where steps are implicit
 * the blocks go through a trial when its stages are known (rk/along.h): a staggered corrector.
 *
 * Running costs and their derivatives are the quadrature of the pair itself, h sum_i b_i (g_x S + g_p)(t_i,
 * Y_i), as the cost is everywhere in this folder; of Rosenbrock steps that of rk/rosenbrock.h. */
#include <string.h>

#include "cfsa_common.h"
#include "cost_sum.h"
#include "error_test.h"
#include "followers.h"
#include "linear_option.h"
#include "solver.h"
#include "tangent_along.h"

struct cfsa {
    struct cfsa_system system;
    struct sens_stops stops;
    struct sens_ode_part whole;
    struct sens_ode ode;
    struct sens_solver_settings settings;
    struct sens_followers followers;
    size_t *offset, *count; /* [blocks + 1], [blocks] of the followers */
    struct sens_solver *solver;
    const struct sens_tableau *explicit; /* the tableau, or its explicit part; NULL: there is none */
    int points; /* at which slopes may be asked for: its stages, and two for the first step */
    struct sens_products **products; /* [points] */
    struct sens_gradient *gradient;  /* [points] of the running cost; the first one also of observations */
    struct tangent_along along;      /* through implicit steps; family NULL: there are none */
    struct sens_cost_sum cost;
    sens_real *x;    /* [n] */
    sens_real *G;    /* [m] */
    sens_real *dG;   /* [lanes * m] */
    sens_real *gain; /* of dG over the step at hand; NULL without a running cost */
};

/* ---- the blocks of S as followers ---------------------------------------------------------------------- */

static void move_to(void *self, int i, sens_real t, const sens_real *x)
{
    const struct cfsa *cfsa = self;
    sens_products_at(cfsa->products[i], &(struct sens_at){t, x, cfsa->system.task->problem->p});
}

static void slope(void *self, int i, size_t b, const sens_real *S, sens_real *dS)
{
    const struct cfsa *cfsa = self;
    cfsa_slope(&cfsa->system, cfsa->products[i], b, S, dS);
}

/* ---- the cost ------------------------------------------------------------------------------------------ */

/* The running cost's gradient at every stage of a trial step, and what needs no S. */
static void begin_quadrature(void *self, sens_real t, sens_real h, const sens_real *Y)
{
    const struct cfsa *cfsa = self;
    const struct cfsa_system *system = &cfsa->system;
    const struct sens_tableau *tb = cfsa->explicit;
    memset(cfsa->gain, 0, system->m * system->lanes * sizeof *cfsa->gain);
    for (int i = 0; i < tb->stages; i++) {
        const struct sens_at at = {sens_stage_time(tb, t, h, i), Y + (size_t)i * system->n,
                                   system->task->problem->p};
        if (tb->b[i] == 0) continue;
        sens_gradient_running(&cfsa->gradient[i], &at, h * tb->b[i]);
        cfsa_add_explicit(system, &cfsa->gradient[i], cfsa->gain);
    }
}

static void add_stage(void *self, int i, size_t b, const sens_real *S)
{
    const struct cfsa *cfsa = self;
    if (cfsa->explicit->b[i] != 0) cfsa_add_block(&cfsa->system, &cfsa->gradient[i], b, S, cfsa->gain);
}

/* ---- implicit steps ------------------------------------------------------------------------------------ */

static sens_status step_along(void *self, const struct sens_step *step, const sens_real *S,
                              const sens_real *slopes, sens_real *S1, sens_real *e)
{
    struct cfsa *cfsa = self;
    if (cfsa->gain) memset(cfsa->gain, 0, cfsa->system.m * cfsa->system.lanes * sizeof *cfsa->gain);
    return tangent_along_step(&cfsa->along, step, S, slopes, S1, e);
}

/* The directions of a block as the tangent counts them. */
static size_t *columns_of(struct sens_ctx *ctx, const struct cfsa_system *system,
                          const struct cfsa_block *block)
{
    const size_t past = block->first < system->np ? 0 : system->task->problem->np - system->np;
    size_t *const col = SENS_NEW(ctx, size_t, block->count);
    for (size_t l = 0; col && l < block->count; l++) col[l] = past + block->first + l;
    return col;
}

static sens_status create_along(struct sens_ctx *ctx, const struct sens_task *task, struct cfsa *cfsa)
{
    const struct cfsa_system *system = &cfsa->system;
    const size_t n = system->n, width = system->L > TANGENT_COLUMNS ? system->L : TANGENT_COLUMNS;
    if (task->tableau->family == SENS_FAMILY_EXPLICIT) return SENS_OK;
    struct tangent_block *const block = SENS_NEW(ctx, struct tangent_block, system->blocks);
    sens_real *const column = SENS_NEW(ctx, sens_real, n * width);
    if (!block || !column) return SENS_NO_MEMORY;
    for (size_t b = 0; b < system->blocks; b++) {
        const struct cfsa_block *from = &system->block[b];
        const size_t *const col = columns_of(ctx, system, from);
        if (!col) return SENS_NO_MEMORY;
        block[b] = (struct tangent_block){.pb = task->problem,
                                          .col = col,
                                          .count = from->count,
                                          .L = from->width,
                                          .dG = cfsa->gain ? cfsa->gain + system->m * from->lane : NULL,
                                          .column = column};
    }
    cfsa->along = (struct tangent_along){.blocks = system->blocks, .block = block, .offset = cfsa->offset};
    return tangent_along_create(ctx, task, system->L, system->n_dir, &cfsa->along);
}

/* ---- the cost along the way ---------------------------------------------------------------------------- */

static void observe(struct cfsa *cfsa, size_t j, const sens_real *x, const sens_real *S)
{
    cfsa_observe(&cfsa->system, &cfsa->gradient[0], j, x, S, cfsa->dG);
}

/* The cost and its derivatives over an accepted step. */
static sens_status add_step(void *self, const struct sens_step *step)
{
    struct cfsa *cfsa = self;
    const sens_status status = sens_cost_sum_step(&cfsa->cost, step);
    if (status != SENS_OK) return status;
    const size_t size = cfsa->gain ? cfsa->system.m * cfsa->system.lanes : 0;
    for (size_t q = 0; q < size; q++) cfsa->dG[q] += cfsa->gain[q];
    if (step->stop >= 0 && cfsa->stops.obs[step->stop] >= 0)
        observe(cfsa, (size_t)cfsa->stops.obs[step->stop], step->y1, step->z1);
    return SENS_OK;
}

/* ---- prepare and run ----------------------------------------------------------------------------------- */

enum { OPT_SENS_TEST, OPT_LINEAR };
static const struct sens_option options[] = {
    [OPT_SENS_TEST] = SENS_TEST_OPTION(TEST_INSIDE, "sensitivities inside or outside the error test"),
    [OPT_LINEAR] = SENS_LINEAR_OPTION,
    SENS_OPTIONS_END,
};

static void describe_system(struct cfsa *cfsa, const struct sens_task *task)
{
    const struct cfsa_system *system = &cfsa->system;
    const bool inside = (int)task->option[OPT_SENS_TEST].number == TEST_INSIDE;
    const bool running = task->cost->type->g;
    sens_problem_ode(task, NULL, &cfsa->whole, &cfsa->ode);
    cfsa->settings = sens_solver_settings(task);
    cfsa->followers =
        (struct sens_followers){.blocks = system->blocks,
                                .offset = cfsa->offset,
                                .count = cfsa->count,
                                .part = {.rtol = task->rtol, .atol = task->atol, .tested = inside},
                                .rows = task->n_tolerances ? &cfsa->ode : NULL,
                                .at = move_to,
                                .slope = slope,
                                .begin = running ? begin_quadrature : NULL,
                                .look = running ? add_stage : NULL,
                                .step = cfsa->along.family ? step_along : NULL,
                                .self = cfsa};
    cfsa->cost = (struct sens_cost_sum){.cost = task->cost,
                                        .tableau = task->tableau,
                                        .stops = &cfsa->stops,
                                        .p = task->problem->p,
                                        .n_state = system->n,
                                        .G = cfsa->G};
}

/* What is kept at each stage of a step. The gradients' explicit parts are used up one stage after the other,
 * and share their memory. */
static sens_status create_stages(struct sens_ctx *ctx, struct cfsa *cfsa)
{
    const struct sens_task *task = cfsa->system.task;
    const size_t points = (size_t)cfsa->points, costs = cfsa->explicit && task->cost->type->g ? points : 1;
    cfsa->products = SENS_NEW(ctx, struct sens_products *, points);
    cfsa->gradient = SENS_NEW(ctx, struct sens_gradient, points);
    if (!cfsa->products || !cfsa->gradient) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (size_t i = 0; i < points && status == SENS_OK; i++)
        status =
            sens_products_create(ctx, task->problem, SENS_JVP, 1, cfsa->system.n_dir, &cfsa->products[i]);
    for (size_t i = 0; i < costs && status == SENS_OK; i++) {
        status = sens_gradient_create(ctx, task, i == 0 && cfsa->system.np > 0, &cfsa->gradient[i]);
        if (i > 0) cfsa->gradient[i].dp = cfsa->gradient[0].dp;
    }
    return status;
}

static sens_status create_offsets(struct sens_ctx *ctx, struct cfsa *cfsa)
{
    const struct cfsa_system *system = &cfsa->system;
    cfsa->offset = SENS_NEW(ctx, size_t, system->blocks + 1);
    cfsa->count = SENS_NEW(ctx, size_t, system->blocks);
    if (!cfsa->offset || !cfsa->count) return SENS_NO_MEMORY;
    for (size_t b = 0; b < system->blocks; b++) {
        cfsa->offset[b + 1] = cfsa->offset[b] + system->n * system->block[b].width;
        cfsa->count[b] = system->n * system->block[b].count;
    }
    return SENS_OK;
}

static void find_explicit(struct cfsa *cfsa, const struct sens_tableau *tableau)
{
    const struct sens_tableau *const tb =
        tableau->family == SENS_FAMILY_SWITCHED ? tableau->part[0] : tableau;
    cfsa->explicit = tb->family == SENS_FAMILY_EXPLICIT ? tb : NULL;
    cfsa->points = cfsa->explicit && tb->stages > 2 ? tb->stages : 2;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct cfsa *cfsa = SENS_NEW(ctx, struct cfsa, 1);
    if (!cfsa) return SENS_NO_MEMORY;
    sens_status status = cfsa_create(ctx, task, &cfsa->system);
    if (status != SENS_OK) return status;
    const size_t m = cfsa->system.m, lanes = cfsa->system.lanes;
    const bool running = task->cost->type->g;
    cfsa->x = SENS_NEW(ctx, sens_real, cfsa->system.n);
    cfsa->G = SENS_NEW(ctx, sens_real, m);
    cfsa->dG = SENS_NEW(ctx, sens_real, m * lanes);
    cfsa->gain = running ? SENS_NEW(ctx, sens_real, m * lanes) : NULL;
    if (!cfsa->x || !cfsa->G || !cfsa->dG || (running && !cfsa->gain)) return SENS_NO_MEMORY;
    find_explicit(cfsa, task->tableau);
    ctx->linear = (enum sens_kernel_choice)task->option[OPT_LINEAR].number;
    status = create_stages(ctx, cfsa);
    if (status == SENS_OK) status = create_offsets(ctx, cfsa);
    if (status == SENS_OK) status = create_along(ctx, task, cfsa);
    describe_system(cfsa, task);
    if (status == SENS_OK) status = sens_cost_sum_prepare(ctx, &cfsa->cost);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &cfsa->stops);
    if (status == SENS_OK) status = sens_solver_create(ctx, &cfsa->ode, &cfsa->settings, &cfsa->solver);
    if (status == SENS_OK) status = sens_solver_follow(ctx, cfsa->solver, &cfsa->followers);
    if (status == SENS_OK) *state = cfsa;
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct cfsa *cfsa = state;
    const struct cfsa_system *system = &cfsa->system;
    const struct sens_step_watcher watcher = {add_step, cfsa};
    struct sens_solver_stats stats;
    const double begin = sens_now(ctx);
    sens_real *S = sens_solver_followers(cfsa->solver);
    cfsa_start(system, cfsa->x, S);
    memset(cfsa->dG, 0, system->m * system->lanes * sizeof *cfsa->dG);
    sens_cost_sum_start(&cfsa->cost, cfsa->x);
    if (cfsa->stops.obs_at_t0 >= 0) observe(cfsa, (size_t)cfsa->stops.obs_at_t0, cfsa->x, S);
    sens_status status = sens_solver_solve(ctx, cfsa->solver, system->task->problem->t0, cfsa->x,
                                           cfsa->stops.n, cfsa->stops.t, &watcher, cfsa->x, &stats);
    if (status == SENS_OK) status = cfsa_write(system, cfsa->x, cfsa->G, cfsa->dG, out);
    if (status != SENS_OK) return status;
    *work = (struct sens_work){.steps = stats.steps,
                               .rejects = stats.rejects,
                               .t_forward = sens_now(ctx) - begin,
                               .lanes = (int)system->L,
                               .threads = 1};
    for (int i = 0; i < cfsa->points; i++)
        sens_products_count(cfsa->products[i], system->lanes - system->n_dir, system->lanes, work);
    if (cfsa->along.family) tangent_along_count(&cfsa->along, system->lanes - system->n_dir, work);
    sens_scheme_count(sens_solver_scheme(cfsa->solver), work);
    return SENS_OK;
}

static const struct sens_limit limits[] = {MEAN_NORM_LIMIT, {.check = NULL}};

SENS_METHOD(cfsa) = {
    .name = "cfsa",
    .summary = "continuous forward sensitivity: the variational equations as one system, directions in lanes",
    .reference = "Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, I.14; Martins & "
                 "Lakshtanov, arXiv 2410.01911",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_COMPONENTS | SENS_CAP_TABLEAU | SENS_CAP_IMPLICIT | SENS_CAP_MASS |
            SENS_CAP_CONTROLLER | SENS_CAP_LANES | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
    .limits = limits,
};
