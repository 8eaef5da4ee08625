/* A problem as a system, and the norm of its parts, see system.h. */
#include "system.h"

void sens_problem_ode(const struct sens_task *task, const sens_real *p, struct sens_ode_part *part,
                      struct sens_ode *ode)
{
    const struct sens_problem *pb = task->problem;
    const bool each = task->n_tolerances > 0;
    *part = (struct sens_ode_part){.count = pb->n, .rtol = task->rtol, .atol = task->atol, .tested = true};
    *ode = (struct sens_ode){.n = pb->n,
                             .problem = pb,
                             .p = p ? p : pb->p,
                             .engine = sens_problem_engine(pb, task->tableau),
                             .n_parts = each ? task->n_tolerances : 1,
                             .part = each ? task->tolerance : part};
}

void sens_error_norm_add_parts(const struct sens_controller *controller, const struct sens_ode *ode,
                               size_t width, const struct sens_trial *trial, struct sens_error_norm *norm)
{
    struct sens_trial rest = *trial;
    for (size_t k = 0; k < ode->n_parts; k++) {
        struct sens_ode_part part = ode->part[k];
        part.count *= width;
        if (part.tested) controller->add(&part, &rest, norm);
        rest.y += part.count, rest.f += part.count, rest.y1 += part.count, rest.e += part.count;
        if (rest.e3) rest.e3 += part.count;
    }
}
