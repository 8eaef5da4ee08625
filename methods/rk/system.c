/* A task as the solver sees it: the problem's equations, the times to stop at, and its cost along a solve,
 *
 *     G = sum_j phi(j, x(t_j), p) + sum_steps h sum_i b_i g(t_i, Y_i, p). */
#include <string.h>

#include "workspace.h"

static sens_status problem_f(void *self, sens_real t, const sens_real *y, sens_real *dy)
{
    const struct sens_problem_ode *system = self;
    const struct sens_at at = {t, y, system->p};
    return system->pb->type->rhs(system->pb, &at, dy);
}

void sens_problem_ode(const struct sens_task *task, const sens_real *p, struct sens_problem_ode *self,
                      struct sens_ode *ode)
{
    const struct sens_problem *pb = task->problem;
    *self = (struct sens_problem_ode){
        .pb = pb,
        .p = p ? p : pb->p,
        .part = {.count = pb->n, .rtol = task->rtol, .atol = task->atol, .tested = true},
    };
    *ode = (struct sens_ode){.n = pb->n, .f = problem_f, .self = self, .n_parts = 1, .part = &self->part};
}

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
