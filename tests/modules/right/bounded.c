/* The classic Runge-Kutta formula, which gives up where a state is larger than an option says. 0, the default, sets no
 * bound: what is beside it is another method than what is at it.
 *
 * verify: --quick --seed 2 --method bounded */
#define NAME    "bounded"
#define SUMMARY "the classic Runge-Kutta formula, with a bound on the state"
#define STEPS   64
#define STAGES  4
#define OPTION                                                                                               \
    {                                                                                                        \
        .name = "bound", .kind = SENS_OPT_REAL, .fallback = 0, .min = 0, .max = 1e300,                       \
        .help = "largest |x_i| that is taken for a solution, 0: any",                                        \
    }
#include "runge_kutta.h"

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    static const struct formula classic = {.a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                                           .b = {SENS_Q(1, 6), SENS_Q(1, 3), SENS_Q(1, 3), SENS_Q(1, 6)}};
    const double bound = st->task->option[1].number;
    const sens_status status = runge_kutta(st, &classic, t, h);
    if (status != SENS_OK) return status;
    for (size_t i = 0; i < st->n && bound > 0; i++)
        if (fabs(st->x[i]) > bound)
            return sens_fail(ctx, SENS_DIVERGED, "a state is beyond %g at t = %g", bound, (double)(t + h));
    return SENS_OK;
}
