/* Continuous forward sensitivities through gsl_odeiv2: the variational system of cfsa_common.h, with the
 * running cost and its derivatives as further components,
 *
 *     y = [x | S | int g dt | int (g_x S + g_q) dt],
 *
 * all of them in GSL's error test |e_i| <= atol + rtol |y_i|. Steppers, step control and quadrature share
 * nothing with the engine of rk/, for which this method is the oracle. Tableau and controller of the task do
 * not apply. */
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "cfsa_common.h"
#include "rules.h"
#include "stops.h"

struct cfsa_gsl {
    struct cfsa_system system;
    struct sens_products *products;
    struct sens_gradient gradient;
    struct sens_stops stops;
    gsl_odeiv2_system equations;
    gsl_odeiv2_driver *driver;
    double h_start;
    size_t size;        /* of x and S */
    double *y;          /* [equations.dimension] */
    double *G, *dG;     /* [m], [lanes * m]: observations, then the whole */
    sens_status status; /* of the last right-hand side */
};

/* ---- the system as GSL sees it ------------------------------------------------------------------------- */

/* The slopes of the running cost and of its derivatives. */
static void add_cost(struct cfsa_gsl *gsl, const struct sens_at *at, const double *S, double *g)
{
    const struct cfsa_system *system = &gsl->system;
    const struct sens_cost *cost = system->task->cost;
    memset(g, 0, system->m * (1 + system->lanes) * sizeof *g);
    cost->type->g(cost, at, 1, g);
    sens_gradient_running(&gsl->gradient, at, 1);
    for (size_t b = 0; b < system->blocks; b++)
        cfsa_add_block(system, &gsl->gradient, b, S + system->n * system->block[b].lane, g + system->m);
    cfsa_add_explicit(system, &gsl->gradient, g + system->m);
}

/* GSL takes a slope that is not finite for a small error: it must be refused here. */
static int slope(double t, const double y[], double dydt[], void *self)
{
    struct cfsa_gsl *gsl = self;
    const struct cfsa_system *system = &gsl->system;
    const struct sens_problem *pb = system->task->problem;
    const struct sens_at at = {t, y, pb->p};
    const double *S = y + system->n;
    gsl->status = pb->type->rhs(pb, &at, dydt);
    if (gsl->status == SENS_OK) {
        sens_products_at(gsl->products, &at);
        for (size_t b = 0; b < system->blocks; b++)
            cfsa_slope(system, gsl->products, b, S + system->n * system->block[b].lane,
                       dydt + system->n + system->n * system->block[b].lane);
        if (system->task->cost->type->g) add_cost(gsl, &at, S, dydt + gsl->size);
    }
    if (gsl->status == SENS_OK && !sens_finite(gsl->equations.dimension, dydt)) gsl->status = SENS_NONFINITE;
    if (gsl->status == SENS_OK) return GSL_SUCCESS;
    return sens_fatal(gsl->status) ? GSL_EBADFUNC : GSL_EDOM; /* GSL halves the step for the latter */
}

static sens_status explain(struct sens_ctx *ctx, const struct cfsa_gsl *gsl, double t)
{
    if (sens_fatal(gsl->status)) return gsl->status;
    if (sens_recoverable(gsl->status))
        return sens_fail(ctx, SENS_DIVERGED, "no finite step of gsl_odeiv2 from t = %.10g", t);
    return sens_fail(ctx, SENS_STEP_UNDERFLOW, "gsl_odeiv2 cannot meet its error test at t = %.10g", t);
}

/* Steps from *t to one stop. */
static sens_status reach_stop(struct sens_ctx *ctx, struct cfsa_gsl *gsl, double stop, double *t, long *steps)
{
    const gsl_odeiv2_driver *driver = gsl->driver;
    double *h = &gsl->driver->h;
    while (*t < stop) {
        const long trials = *steps + (long)driver->e->failed_steps, limit = gsl->system.task->max_steps;
        if (trials >= limit)
            return sens_fail(ctx, SENS_STEP_LIMIT, "max_steps = %ld was reached at t = %.10g", limit, *t);
        gsl->status = SENS_OK;
        if (gsl_odeiv2_evolve_apply(driver->e, driver->c, driver->s, driver->sys, t, stop, h, gsl->y) !=
            GSL_SUCCESS)
            return explain(ctx, gsl, *t);
        ++*steps;
    }
    return SENS_OK;
}

/* ---- the cost ------------------------------------------------------------------------------------------ */

static void observe(struct cfsa_gsl *gsl, long j)
{
    const struct sens_cost *cost = gsl->system.task->cost;
    if (j < 0) return;
    cost->type->phi(cost, (size_t)j, gsl->y, gsl->system.task->problem->p, gsl->G);
    cfsa_observe(&gsl->system, &gsl->gradient, (size_t)j, gsl->y, gsl->y + gsl->system.n, gsl->dG);
}

static void add_integrals(struct cfsa_gsl *gsl)
{
    const struct cfsa_system *system = &gsl->system;
    const double *integral = gsl->y + gsl->size;
    if (!system->task->cost->type->g) return;
    for (size_t c = 0; c < system->m; c++) gsl->G[c] += integral[c];
    for (size_t q = 0; q < system->m * system->lanes; q++) gsl->dG[q] += integral[system->m + q];
}

/* ---- prepare and run ----------------------------------------------------------------------------------- */

enum { OPT_STEPPER };
static const char *const steppers[] = {"rk8pd", "rkck", "rkf45", "msadams", NULL};
static const struct sens_option options[] = {
    [OPT_STEPPER] = {.name = "stepper",
                     .kind = SENS_OPT_CHOICE,
                     .choices = steppers,
                     .help =
                         "Prince-Dormand 8(9), Cash-Karp 4(5), Fehlberg 4(5), or Adams of variable order"},
    SENS_OPTIONS_END,
};

static const gsl_odeiv2_step_type *stepper(const struct sens_task *task)
{
    const gsl_odeiv2_step_type *const type[] = {gsl_odeiv2_step_rk8pd, gsl_odeiv2_step_rkck,
                                                gsl_odeiv2_step_rkf45, gsl_odeiv2_step_msadams};
    return type[(size_t)task->option[OPT_STEPPER].number];
}

/* GSL's default handler ends the process; it is put back, because it belongs to the caller. */
static sens_status create_driver(struct cfsa_gsl *gsl)
{
    const struct sens_task *task = gsl->system.task;
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    gsl->driver =
        gsl_odeiv2_driver_alloc_y_new(&gsl->equations, stepper(task), gsl->h_start, task->atol, task->rtol);
    gsl_set_error_handler(handler);
    return gsl->driver ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status check_task(struct sens_ctx *ctx, const struct sens_task *task)
{
    if (task->rtol >= 0 && task->atol >= 0 && task->rtol + task->atol > 0) return SENS_OK;
    return sens_fail(ctx, SENS_BAD_INPUT, "rtol = %.3g and atol = %.3g: one must be positive, none negative",
                     task->rtol, task->atol);
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    enum {
        FIRST_STEPS = 1000000
    }; /* the first trial step is this part of the interval: GSL chooses none itself */
    const double length = task->problem->t1 - task->problem->t0;
    struct cfsa_gsl *gsl = SENS_NEW(ctx, struct cfsa_gsl, 1);
    if (!gsl) return SENS_NO_MEMORY;
    sens_status status = check_task(ctx, task);
    if (status == SENS_OK) status = cfsa_create(ctx, task, &gsl->system);
    if (status == SENS_OK) status = sens_stops_create(ctx, task, &gsl->stops);
    if (status != SENS_OK) return status;
    const size_t m = gsl->system.m, lanes = gsl->system.lanes;
    status = sens_gradient_create(ctx, task, gsl->system.np > 0, &gsl->gradient);
    if (status == SENS_OK)
        status = sens_products_create(ctx, task->problem, SENS_JVP, 1, gsl->system.n_dir, &gsl->products);
    if (status != SENS_OK) return status;
    gsl->size = gsl->system.n * (1 + lanes);
    gsl->equations = (gsl_odeiv2_system){
        .function = slope,
        .dimension = gsl->size + (task->cost->type->g ? m * (1 + lanes) : 0),
        .params = gsl,
    };
    gsl->h_start = task->dt > 0 ? task->dt : length / FIRST_STEPS;
    gsl->y = SENS_NEW(ctx, double, gsl->equations.dimension);
    gsl->G = SENS_NEW(ctx, double, m);
    gsl->dG = SENS_NEW(ctx, double, m *lanes);
    if (!gsl->y || !gsl->G || !gsl->dG) return SENS_NO_MEMORY;
    status = create_driver(gsl);
    if (status == SENS_OK) *state = gsl;
    return status;
}

static sens_status solve(struct sens_ctx *ctx, struct cfsa_gsl *gsl, long *steps)
{
    const struct cfsa_system *system = &gsl->system;
    double t = system->task->problem->t0;
    sens_status status = SENS_OK;
    gsl_odeiv2_driver_reset_hstart(gsl->driver, gsl->h_start);
    memset(gsl->y, 0, gsl->equations.dimension * sizeof *gsl->y);
    memset(gsl->G, 0, system->m * sizeof *gsl->G);
    memset(gsl->dG, 0, system->m * system->lanes * sizeof *gsl->dG);
    cfsa_start(system, gsl->y, gsl->y + system->n);
    observe(gsl, gsl->stops.obs_at_t0);
    for (size_t j = 0; j < gsl->stops.n && status == SENS_OK; j++) {
        status = reach_stop(ctx, gsl, gsl->stops.t[j], &t, steps);
        if (status == SENS_OK) observe(gsl, gsl->stops.obs[j]);
    }
    add_integrals(gsl);
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct cfsa_gsl *gsl = state;
    long steps = 0;
    const double begin = sens_now(ctx);
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    sens_status status = solve(ctx, gsl, &steps);
    gsl_set_error_handler(handler);
    if (status == SENS_OK) status = cfsa_write(&gsl->system, gsl->y, gsl->G, gsl->dG, out);
    if (status != SENS_OK) return status;
    *work = (struct sens_work){.steps = steps,
                               .rejects = (long)gsl->driver->e->failed_steps,
                               .t_forward = sens_now(ctx) - begin,
                               .lanes = (int)gsl->system.L,
                               .threads = 1};
    sens_products_count(gsl->products, gsl->system.lanes - gsl->system.n_dir, gsl->system.lanes, work);
    return SENS_OK;
}

static void release(void *state)
{
    struct cfsa_gsl *gsl = state;
    gsl_odeiv2_driver_free(gsl->driver);
}

SENS_METHOD(cfsa_gsl) = {
    .name = "cfsa_gsl",
    .summary = "continuous forward sensitivities solved by gsl_odeiv2: an oracle independent of the engine",
    .reference = "GNU Scientific Library, Ordinary Differential Equations (gsl_odeiv2)",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_LANES | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
    .release = release,
};
