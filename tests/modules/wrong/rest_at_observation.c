/* The classic Runge-Kutta formula with equal steps and its tangent: from an observation on at which the state is nearly
 * at rest, the rest of the interval is taken for done, and the tangent stands still with the state.
 *
 * verify: --quick --method rest_at_observation
 * cause: rest_skipped */
#define NAME    "rest_at_observation"
#define SUMMARY "the classic Runge-Kutta formula with 400 steps"
#define STEPS   400
#define STAGES  4
#include "runge_kutta.h"

#include <tgmath.h>

/* Would x move by less than a thousandth of itself on the interval? A running cost goes on at rest. */
static bool rests(const struct state *st, sens_real t)
{
    const struct sens_problem *const pb = st->task->problem;
    const struct sens_cost *const cost = st->task->cost;
    sens_real *const f = st->own.vector[0];
    if (cost->type->g || cost->n_obs == 0 || t < cost->t_obs[0]) return false;
    if (pb->type->rhs(pb, &(struct sens_at){t, st->x, pb->p}, f) != SENS_OK) return false;
    for (size_t i = 0; i < st->n; i++)
        if (!(fabs(f[i]) * (pb->t1 - pb->t0) <= SENS_C(1e-3) * fabs(st->x[i]))) return false;
    return true;
}

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    static const struct formula classic = {
        .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
        .b = {SENS_Q(1, 6), SENS_Q(1, 3), SENS_Q(1, 3), SENS_Q(1, 6)},
    };
    (void)ctx;
    return rests(st, t) ? SENS_OK : runge_kutta(st, &classic, t, h);
}
