/* A cost along a solve, see cost_sum.h. */
#include "cost_sum.h"

#include <string.h>

void sens_cost_sum_start(const struct sens_cost_sum *sum, const sens_real *x0)
{
    memset(sum->G, 0, sum->cost->m * sizeof *sum->G);
    if (sum->stops->obs_at_t0 >= 0)
        sum->cost->type->phi(sum->cost, (size_t)sum->stops->obs_at_t0, x0, sum->p, sum->G);
}

sens_status sens_cost_sum_step(void *self, const struct sens_step *step)
{
    const struct sens_cost_sum *sum = self;
    const struct sens_cost *cost = sum->cost;
    const struct sens_tableau *tb = sum->tableau;
    if (cost->type->g)
        for (int i = 0; i < tb->stages; i++) {
            if (tb->b[i] == 0) continue;
            const struct sens_at at = {sens_stage_time(tb, step->t, step->h, i),
                                       step->Y + (size_t)i * sum->n_state, sum->p};
            cost->type->g(cost, &at, step->h * tb->b[i], sum->G);
        }
    if (step->stop >= 0 && sum->stops->obs[step->stop] >= 0)
        cost->type->phi(cost, (size_t)sum->stops->obs[step->stop], step->y1, sum->p, sum->G);
    return SENS_OK;
}
