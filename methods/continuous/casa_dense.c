/* Continuous adjoint with the state from the dense output of a stored forward solve:
 *
 *     -lambda' = (df/dx)(t, u)^T lambda + g_x,   -mu' = (df/dp)(t, u)^T lambda + g_p,   u(t) the interpolant,
 *
 * backwards with steps of their own (Cao, Li, Petzold & Serban, SIAM J. Sci. Comput. 24 (2003) 1076-1089).
 * lambda and mu have tolerances of their own; mu is a quadrature, and may be left out of the error test. The
 * interpolant's error stays in the gradient: with cubic Hermite it exceeds that of a pair of order five. */
#include "casa_common.h"
#include "store.h"

struct dense {
    struct casa casa;
    struct sens_scheme *scheme; /* of the forward solve */
    struct sens_grid grid;
    long current;     /* the interval that was read last */
    size_t step_size; /* numbers of one interpolant */
    sens_real *coef;  /* [steps][step_size] */
};

/* ---- the forward solve, recorded ----------------------------------------------------------------------- */

static sens_status record_step(void *self, const struct sens_step *step)
{
    struct dense *dense = self;
    struct sens_scheme *scheme = dense->scheme;
    sens_status status = sens_grid_keep(&dense->grid, step);
    if (status == SENS_OK)
        status = scheme->type->dense->build(scheme, step, dense->coef + (size_t)step->k * dense->step_size);
    return status == SENS_OK ? sens_cost_sum_step(&dense->casa.cost, step) : status;
}

static sens_status record_forward(struct sens_ctx *ctx, struct dense *dense)
{
    const struct sens_step_watcher watcher = {record_step, dense};
    sens_status status = casa_solve_forward(ctx, &dense->casa, &watcher);
    status = sens_grid_check(ctx, &dense->grid, status, dense->casa.forward_stats.steps);
    /* From an extra stage of the interpolant, which no smaller step was tried for. */
    if (sens_recoverable(status)) return sens_fail(ctx, SENS_DIVERGED, "no finite dense output");
    return status;
}

/* x = the interpolated state. Successive times are near each other: the interval is found by walking. */
static void interpolate(void *self, sens_real t, sens_real *x)
{
    struct dense *dense = self;
    const struct sens_grid *grid = &dense->grid;
    long k = dense->current;
    while (k > 0 && t < grid->t[k]) k--;
    while (k + 1 < grid->n_steps && t > grid->t[k + 1]) k++;
    dense->current = k;
    dense->scheme->type->dense->eval(dense->scheme, dense->coef + (size_t)k * dense->step_size,
                                     (t - grid->t[k]) / grid->h[k], x);
}

/* ---- prepare and run ----------------------------------------------------------------------------------- */

enum { OPT_RTOL_B, OPT_ATOL_B, OPT_RTOL_Q, OPT_ATOL_Q, OPT_QUAD_TEST };
static const struct sens_option options[] = {
    [OPT_RTOL_B] = {.name = "rtol_b",
                    .kind = SENS_OPT_REAL,
                    .max = 1,
                    .help = "relative tolerance of lambda; 0: rtol"},
    [OPT_ATOL_B] = {.name = "atol_b",
                    .kind = SENS_OPT_REAL,
                    .max = 1e300,
                    .help = "absolute tolerance of lambda; 0: atol"},
    [OPT_RTOL_Q] = {.name = "rtol_q",
                    .kind = SENS_OPT_REAL,
                    .max = 1,
                    .help = "relative tolerance of mu inside the error test; 0: that of lambda"},
    [OPT_ATOL_Q] = {.name = "atol_q",
                    .kind = SENS_OPT_REAL,
                    .max = 1e300,
                    .help = "absolute tolerance of mu inside the error test; 0: that of lambda"},
    [OPT_QUAD_TEST] = CASA_QUAD_TEST_OPTION,
    SENS_OPTIONS_END,
};

static sens_real given_or(const struct sens_value *value, sens_real otherwise)
{
    return value->number > 0 ? (sens_real)value->number : otherwise;
}

static sens_status create_steps(struct sens_ctx *ctx, struct dense *dense)
{
    struct casa *casa = &dense->casa;
    const struct sens_problem *pb = casa->task->problem;
    long steps = 0;
    dense->scheme = sens_solver_scheme(casa->forward);
    sens_problem_x0(pb, pb->p, casa->x0);
    sens_status status =
        sens_solver_count(ctx, casa->forward, pb->t0, casa->x0, &casa->stops, casa->x1, &steps);
    if (status == SENS_OK) status = dense->scheme->type->dense->create(ctx, dense->scheme, &dense->step_size);
    if (status == SENS_OK) status = sens_grid_create(ctx, steps, false, &dense->grid);
    if (status != SENS_OK) return status;
    dense->coef = sens_store_rows(ctx, (size_t)steps, dense->step_size);
    return dense->coef ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct dense *dense = SENS_NEW(ctx, struct dense, 1);
    if (!dense) return SENS_NO_MEMORY;
    struct casa *casa = &dense->casa;
    const struct sens_value *option = task->option;
    const struct casa_tolerances lambda = {given_or(&option[OPT_RTOL_B], task->rtol),
                                           given_or(&option[OPT_ATOL_B], task->atol), true};
    const struct casa_tolerances mu = {given_or(&option[OPT_RTOL_Q], lambda.rtol),
                                       given_or(&option[OPT_ATOL_Q], lambda.atol),
                                       (int)option[OPT_QUAD_TEST].number == TEST_INSIDE};
    sens_status status = casa_create_forward(ctx, task, casa);
    if (status == SENS_OK) status = create_steps(ctx, dense);
    casa->state = interpolate;
    casa->self = dense;
    if (status == SENS_OK) status = casa_create_backward(ctx, casa, lambda, mu);
    if (status == SENS_OK) *state = dense;
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct dense *dense = state;
    const size_t steps = (size_t)dense->grid.n_steps;
    double time[3] = {sens_now(ctx), 0, 0};
    sens_status status = record_forward(ctx, dense);
    time[1] = sens_now(ctx);
    if (status == SENS_OK) status = casa_solve_backward(ctx, &dense->casa);
    if (status == SENS_OK) status = casa_write(&dense->casa, out);
    if (status != SENS_OK) return status;
    time[2] = sens_now(ctx);
    *work = casa_work(&dense->casa, time);
    work->bytes_traj = (2 * steps + 1 + steps * dense->step_size) * sizeof(sens_real);
    return SENS_OK;
}

static const struct sens_limit limits[] = {MEAN_NORM_LIMIT, {.check = NULL}};

SENS_METHOD(casa_dense) = {
    .name = "casa_dense",
    .summary =
        "continuous (interpolating) adjoint: state from dense output of the forward solve, own steps back",
    .reference = "Cao, Li, Petzold & Serban, SIAM J. Sci. Comput. 24 (2003) 1076-1089",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_LANES |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
    .limits = limits,
};
