/* A problem as a system, see system.h. */
#include "system.h"

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
