/* The tangent of Bogacki and Shampine's pair with a step control of its own: where max_steps are too few for the
 * tolerance, a looser one is taken, up to 64 times, and success is reported. What it tells of its steps is true.
 *
 * verify: --quick --method tolerance_relaxed
 * cause: limit_ignored */
#define NAME        "tolerance_relaxed"
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#define RUN         run_somehow
#include "own_control.h"

static sens_status run_somehow(struct sens_ctx *ctx, void *state, const struct sens_out *out,
                               struct sens_work *work)
{
    struct state *const st = state;
    const struct sens_task *const asked = st->task;
    struct sens_task task = *asked;
    sens_status status = SENS_STEP_LIMIT;
    st->task = &task;
    task.listener.step = NULL; /* nobody hears of what is given up */
    for (int k = 0; k < 4 && status == SENS_STEP_LIMIT; k++) {
        task.rtol = asked->rtol * (1 << 2 * k), task.atol = asked->atol * (1 << 2 * k);
        status = run(ctx, state, out, work);
    }
    task.listener = asked->listener;
    if (status == SENS_OK) status = run(ctx, state, out, work);
    st->task = asked;
    return status;
}
