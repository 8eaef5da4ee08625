/* methods/rk/cost_sum.h - a task's cost along a solve,
 *
 *     G = sum_j phi(j, x(t_j), p) + sum_steps h sum_i b_i g(t_i, Y_i, p);
 *
 * of Rosenbrock steps, g at nodes of their dense output (rosenbrock.h). */
#ifndef SENS_COST_SUM_H
#define SENS_COST_SUM_H

#include "rosenbrock.h"
#include "stops.h"

/* Of a solve whose state begins with the problem's: phi at t0 and at the stops that are observations, the sum
 * of g over the stages of every step. G [m] belongs to the caller. */
struct sens_cost_sum {
    const struct sens_cost *cost;
    const struct sens_tableau *tableau;
    const struct sens_stops *stops;
    const sens_real *p;
    size_t n_state; /* components of the solve's state, >= cost->n */
    sens_real *G;
    struct sens_rosenbrock
        *rosenbrock; /* made by sens_cost_sum_prepare, with room [n_state] for a node; or NULL */
    sens_real *node;
};
/* What the tableau's family takes, once all else is set. Memory from the arena; SENS_NO_MEMORY, SENS_UNSUPPORTED. */
sens_status sens_cost_sum_prepare(struct sens_ctx *ctx, struct sens_cost_sum *sum);
/* G = 0, plus the observation at t0 where there is one. */
void sens_cost_sum_start(const struct sens_cost_sum *sum, const sens_real *x0);
/* Whether a step adds anything: most do not where the cost is of the final state alone. */
static inline bool sens_cost_sum_adds(const struct sens_cost_sum *sum, const struct sens_step *step)
{
    return step->stop >= 0 || sum->cost->type->g;
}
/* Adds one step; the `step` of a struct sens_step_watcher, self a struct sens_cost_sum. Always SENS_OK. */
sens_status sens_cost_sum_step(void *self, const struct sens_step *step);

#endif
