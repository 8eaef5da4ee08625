/* Continuous adjoint with the state integrated back from its end, so that nothing is stored:
 *
 *     x' = f,   -lambda' = (df/dx)^T lambda + g_x,   -mu' = (df/dp)^T lambda + g_p
 *
 * from t1 to t0 as one system (Chen, Rubanova, Bettencourt & Duvenaud, NeurIPS 2018, algorithm 1; the variant
 * of Martins & Lakshtanov, arXiv 2410.01911). Outside the error test (the seminorm of Kidger, Chen & Lyons, "Hey,
 * that's not an ODE", ICML 2021) mu costs less; inside, as the method was published, it is one more witness of a state
 * that went wrong on its way back.
 *
 * A mode of x that decays forwards grows backwards: with rate k, errors of size tol at t1 become tol e^(k (t1 - t0))
 * at t0, whatever the steps. That is the method's own error; it is reported as a number while it is one, and as the
 * backward solver's status when the state overflows or the steps shrink to nothing. Jumps see the state as it was
 * integrated back, too. */
#include "casa_common.h"

enum { OPT_SENS_TEST, OPT_QUAD_TEST };
static const struct sens_option options[] = {
    [OPT_SENS_TEST] =
        SENS_TEST_OPTION(TEST_INSIDE, "lambda inside or outside the error test of the backward solve"),
    [OPT_QUAD_TEST] = CASA_QUAD_TEST_OPTION,
    SENS_OPTIONS_END,
};

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct casa *casa = SENS_NEW(ctx, struct casa, 1);
    if (!casa) return SENS_NO_MEMORY;
    const struct sens_value *option = task->option;
    const struct casa_tolerances lambda = {task->rtol, task->atol,
                                           (int)option[OPT_SENS_TEST].number == TEST_INSIDE},
                                 mu = {task->rtol, task->atol,
                                       (int)option[OPT_QUAD_TEST].number == TEST_INSIDE};
    sens_status status = casa_create_forward(ctx, task, casa);
    casa->carried = true;
    if (status == SENS_OK) status = casa_create_backward(ctx, casa, lambda, mu);
    if (status == SENS_OK) *state = casa;
    return status;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct casa *casa = state;
    const struct sens_step_watcher watcher = {sens_cost_sum_step, &casa->cost};
    double time[3] = {sens_now(ctx), 0, 0};
    sens_status status = casa_solve_forward(ctx, casa, &watcher);
    time[1] = sens_now(ctx);
    if (status == SENS_OK) status = casa_solve_backward(ctx, casa);
    if (status == SENS_OK) status = casa_write(casa, out);
    if (status != SENS_OK) return status;
    time[2] = sens_now(ctx);
    *work = casa_work(casa, time);
    return SENS_OK;
}

/* On any problem with a rate k for which k (t1 - t0) is large, as 1000 ... 3000 for vdp, 900 for robertson,
 * 65 and more for heat with n = 9 ... 12, and so for conduction. On the probe of `verify`,
 * which is mild, it is held to everything. */
static const char BACKWARD[] = "the state is integrated back: with rate k, what decays forwards grows "
                               "backwards by exp(k (t1 - t0)), which no step size mends";
static const struct sens_limit limits[] = {
    MEAN_NORM_LIMIT,
    {"pair.exact", "*", BACKWARD, .always = false},
    {"pair.identity", "*", BACKWARD, .always = false},
    {"cross.discrete", "*", BACKWARD, .always = false},
    {"cross.continuous", "*", BACKWARD, .always = false},
    {"cross.difference", "*", BACKWARD, .always = false},
    {.check = NULL},
};

SENS_METHOD(casa_reverse) = {
    .name = "casa_reverse",
    .summary =
        "continuous (backsolve) adjoint, state integrated back: stores nothing, unstable for decaying modes",
    .reference =
        "Chen, Rubanova, Bettencourt & Duvenaud, NeurIPS 2018; Martins & Lakshtanov, arXiv 2410.01911",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_LANES |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
    .limits = limits,
};
