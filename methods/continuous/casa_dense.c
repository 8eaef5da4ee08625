/* Continuous adjoint with the state from the dense output of a stored forward solve:
 *
 *     -lambda' = (df/dx)(t, u)^T lambda + g_x,   -mu' = (df/dp)(t, u)^T lambda + g_p,   u(t) the interpolant,
 *
 * backwards with steps of their own (Cao, Li, Petzold & Serban, SIAM J. Sci. Comput. 24 (2003) 1076-1089).
 * lambda and mu have tolerances of their own; mu is a quadrature, and may be left out of the error test. The
 * interpolant's error stays in the gradient: with cubic Hermite it exceeds that of a pair of order five. */
#include <stdint.h>

#include "casa_common.h"
#include "error_test.h"

struct dense {
    struct casa casa;
    long n_steps, current; /* steps recorded; the interval that was read last */
    size_t step_size;      /* numbers of one interpolant */
    sens_real *t, *h;      /* [n_steps + 1], [n_steps] */
    sens_real *coef;       /* [n_steps][step_size] */
    sens_real *work;       /* of sens_dense_build */
    sens_real *x;          /* [n] where it was read last */
};

/* ---- the forward solve, recorded ----------------------------------------------------------------------- */

static sens_status record_step(void *self, const struct sens_step *step)
{
    struct dense *dense = self;
    if (step->k >= dense->n_steps) return SENS_NOT_REPEATABLE;
    dense->t[step->k] = step->t;
    dense->h[step->k] = step->h;
    dense->t[step->k + 1] = step->t1;
    const sens_status status =
        sens_dense_build(dense->casa.task->tableau, &dense->casa.forward_ode, step, dense->work,
                         dense->coef + (size_t)step->k * dense->step_size);
    return status == SENS_OK ? sens_cost_sum_step(&dense->casa.cost, step) : status;
}

static sens_status record_forward(struct sens_ctx *ctx, struct dense *dense)
{
    const struct sens_erk_observer observer = {record_step, dense};
    sens_status status = casa_solve_forward(ctx, &dense->casa, &observer);
    if (status == SENS_OK && dense->casa.forward_stats.steps != dense->n_steps) status = SENS_NOT_REPEATABLE;
    if (status == SENS_NOT_REPEATABLE)
        return sens_fail(ctx, status, "the solve took other than the %ld steps it was prepared for",
                         dense->n_steps);
    if (status > SENS_OK) /* from an extra stage of the interpolant, which no smaller step was tried for */
        return sens_fail(ctx, SENS_DIVERGED, "no finite dense output");
    return status;
}

/* The interpolated state. Successive times are near each other: the interval is found by walking. */
static const sens_real *interpolated(void *self, sens_real t)
{
    struct dense *dense = self;
    long k = dense->current;
    while (k > 0 && t < dense->t[k]) k--;
    while (k + 1 < dense->n_steps && t > dense->t[k + 1]) k++;
    dense->current = k;
    sens_dense_eval(dense->casa.task->tableau, dense->casa.n, dense->coef + (size_t)k * dense->step_size,
                    (t - dense->t[k]) / dense->h[k], dense->x);
    return dense->x;
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
                    .help = "relative tolerance of mu; 0: that of lambda"},
    [OPT_ATOL_Q] = {.name = "atol_q",
                    .kind = SENS_OPT_REAL,
                    .max = 1e300,
                    .help = "absolute tolerance of mu; 0: that of lambda"},
    [OPT_QUAD_TEST] = {.name = "quad_test",
                       .kind = SENS_OPT_CHOICE,
                       .fallback = TEST_INSIDE,
                       .choices = error_test_choices,
                       .help = "mu inside or outside the error test of the backward solve"},
    SENS_OPTIONS_END,
};

static sens_real given_or(const struct sens_value *value, sens_real otherwise)
{
    return value->number > 0 ? (sens_real)value->number : otherwise;
}

static sens_status allocate_steps(struct sens_ctx *ctx, struct dense *dense)
{
    const struct sens_tableau *tb = dense->casa.task->tableau;
    const size_t steps = (size_t)dense->n_steps, n = dense->casa.n;
    dense->step_size = sens_dense_size(tb, n);
    if (steps > SIZE_MAX / sizeof(sens_real) / dense->step_size) return SENS_NO_MEMORY;
    dense->t = SENS_NEW(ctx, sens_real, steps + 1);
    dense->h = SENS_NEW(ctx, sens_real, steps);
    dense->coef = SENS_NEW(ctx, sens_real, steps * dense->step_size);
    dense->work = SENS_NEW(ctx, sens_real, (size_t)(tb->stages + tb->extra_stages + 1) * n);
    dense->x = SENS_NEW(ctx, sens_real, n);
    return dense->t && dense->h && dense->coef && dense->work && dense->x ? SENS_OK : SENS_NO_MEMORY;
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
    if (status == SENS_OK) status = casa_solve_forward(ctx, casa, NULL); /* to learn the number of steps */
    if (status != SENS_OK) return status;
    dense->n_steps = casa->forward_stats.steps;
    status = allocate_steps(ctx, dense);
    casa->state = interpolated;
    casa->self = dense;
    if (status == SENS_OK) status = casa_create_backward(ctx, casa, lambda, mu);
    if (status == SENS_OK) *state = dense;
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct dense *dense = state;
    const size_t steps = (size_t)dense->n_steps;
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
    .summary = "continuous adjoint, state from dense output of the forward solve, own backward steps",
    .reference = "Cao, Li, Petzold & Serban, SIAM J. Sci. Comput. 24 (2003) 1076-1089",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_LANES |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
    .limits = limits,
};
