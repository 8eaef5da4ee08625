/* Continuous forward sensitivities: the variational equations solved along with the state, as one system,
 *
 *     x' = f(t, x, p),   S' = (df/dx) S + df/dq,   (x, S)(t0) = (x0, dx0/dq)
 *
 * (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, I.14; layout in cfsa_common.h). S
 * takes part in the choice of steps, with the tolerances of the state, unless sens_test = outside: the steps
 * are then those of the state alone, and the result is that of discrete_tangent to rounding.
 *
 * Running costs and their derivatives are the quadrature of the pair itself, h sum_i b_i (g_x S + g_p)(t_i,
 * Y_i), as the cost is everywhere in this folder. */
#include <string.h>

#include "cfsa_common.h"
#include "erk/erk.h"
#include "error_test.h"

struct cfsa {
    struct cfsa_system system;
    struct sens_stops stops;
    struct sens_ode_part part[2]; /* x and S */
    struct sens_ode ode;
    struct sens_erk_settings settings;
    struct sens_erk *erk;
    struct sens_cost_sum cost;
    sens_real *y;  /* [system.size] */
    sens_real *G;  /* [m] */
    sens_real *dG; /* [m][n_dir] */
};

static sens_status slope(void *self, sens_real t, const sens_real *y, sens_real *dy)
{
    return cfsa_slope(self, t, y, dy);
}

/* The cost and its derivatives over one step. */
static sens_status add_step(void *self, const struct sens_step *step)
{
    struct cfsa *cfsa = self;
    const struct cfsa_system *system = &cfsa->system;
    const struct sens_tableau *tb = cfsa->settings.tableau;
    const sens_status status = sens_cost_sum_step(&cfsa->cost, step);
    if (status != SENS_OK) return status;
    for (int i = 0; system->task->cost->type->g && i < tb->stages; i++)
        if (tb->b[i] != 0)
            cfsa_add_running(system, sens_stage_time(tb, step->t, step->h, i),
                             step->Y + (size_t)i * system->size, step->h * tb->b[i], cfsa->dG);
    if (step->stop >= 0 && cfsa->stops.obs[step->stop] >= 0)
        cfsa_observe(system, (size_t)cfsa->stops.obs[step->stop], step->y1, cfsa->dG);
    return SENS_OK;
}

/* ---- prepare and run ----------------------------------------------------------------------------------- */

enum { OPT_SENS_TEST };
static const struct sens_option options[] = {
    [OPT_SENS_TEST] = {.name = "sens_test",
                       .kind = SENS_OPT_CHOICE,
                       .fallback = TEST_INSIDE,
                       .choices = error_test_choices,
                       .help = "sensitivities inside or outside the error test"},
    SENS_OPTIONS_END,
};

static void describe_system(struct cfsa *cfsa, const struct sens_task *task)
{
    const struct cfsa_system *system = &cfsa->system;
    const bool inside = (int)task->option[OPT_SENS_TEST].number == TEST_INSIDE;
    cfsa->part[0] = (struct sens_ode_part){system->n, task->rtol, task->atol, true};
    cfsa->part[1] = (struct sens_ode_part){system->size - system->n, task->rtol, task->atol, inside};
    cfsa->ode = (struct sens_ode){
        .n = system->size, .f = slope, .self = &cfsa->system, .n_parts = 2, .part = cfsa->part};
    cfsa->settings = (struct sens_erk_settings){.tableau = task->tableau,
                                                .controller = task->controller,
                                                .dt = task->dt,
                                                .max_steps = task->max_steps};
    cfsa->cost = (struct sens_cost_sum){.cost = task->cost,
                                        .tableau = task->tableau,
                                        .stops = &cfsa->stops,
                                        .p = task->problem->p,
                                        .n_state = system->size,
                                        .G = cfsa->G};
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct cfsa *cfsa = SENS_NEW(ctx, struct cfsa, 1);
    if (!cfsa) return SENS_NO_MEMORY;
    sens_status status = cfsa_create(ctx, task, &cfsa->system);
    if (status != SENS_OK) return status;
    cfsa->y = SENS_NEW(ctx, sens_real, cfsa->system.size);
    cfsa->G = SENS_NEW(ctx, sens_real, cfsa->system.m);
    cfsa->dG = SENS_NEW(ctx, sens_real, cfsa->system.m * cfsa->system.n_dir);
    if (!cfsa->y || !cfsa->G || !cfsa->dG) return SENS_NO_MEMORY;
    describe_system(cfsa, task);
    status = sens_stops_create(ctx, task, &cfsa->stops);
    if (status == SENS_OK) status = sens_erk_create(ctx, &cfsa->ode, &cfsa->settings, &cfsa->erk);
    if (status == SENS_OK) *state = cfsa;
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct cfsa *cfsa = state;
    const struct cfsa_system *system = &cfsa->system;
    const struct sens_erk_observer observer = {add_step, cfsa};
    struct sens_erk_stats stats;
    const double begin = sens_now(ctx);
    cfsa_start(system, cfsa->y);
    memset(cfsa->dG, 0, system->m * system->n_dir * sizeof *cfsa->dG);
    sens_cost_sum_start(&cfsa->cost, cfsa->y);
    if (cfsa->stops.obs_at_t0 >= 0) cfsa_observe(system, (size_t)cfsa->stops.obs_at_t0, cfsa->y, cfsa->dG);
    sens_status status = sens_erk_solve(ctx, cfsa->erk, system->task->problem->t0, cfsa->y, cfsa->stops.n,
                                        cfsa->stops.t, &observer, cfsa->y, &stats);
    if (status == SENS_OK) status = cfsa_write(system, cfsa->y, cfsa->G, cfsa->dG, out);
    if (status != SENS_OK) return status;
    *work = (struct sens_work){.steps = stats.steps,
                               .rejects = stats.rejects,
                               .t_forward = sens_now(ctx) - begin,
                               .lanes = (int)system->L,
                               .threads = 1};
    return SENS_OK;
}

SENS_METHOD(cfsa) = {
    .name = "cfsa",
    .summary =
        "continuous forward sensitivities: the variational equations as one system, directions in lanes",
    .reference = "Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, I.14; Martins & "
                 "Lakshtanov, arXiv 2410.01911",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_LANES |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
