/* methods/rk/system.h - what a solver integrates: any first-order system, and a task's own as one; the error
 * norm of its whole state. */
#ifndef SENS_SYSTEM_H
#define SENS_SYSTEM_H

#include "sens/controller.h"
#include "sens/method.h"

struct sens_ode { /* integrated forward or backward in t */
    size_t n;
    /* NULL: the problem's own, at parameters p. */
    sens_status (*f)(void *self, sens_real t, const sens_real *y /*[n]*/, sens_real *dy /*[n]*/);
    void *self;
    const struct sens_problem
        *problem; /* whose df/dx is that of f, at parameters p; NULL: df/dy is not known */
    const sens_real *p;
    const struct sens_step_engine *engine; /* of the problem's own steps by this tableau alone; NULL: none */
    size_t n_parts;                        /* parts cover the state in order; counts sum to n */
    const struct sens_ode_part *part;
};

/* dy = f(t, y). Any status of f. */
static inline sens_status sens_slope(const struct sens_ode *ode, sens_real t, const sens_real *y,
                                     sens_real *dy)
{
    if (!ode->problem || ode->f) return ode->f(ode->self, t, y, dy);
    const struct sens_at at = {t, y, ode->p};
    return ode->problem->type->rhs(ode->problem, &at, dy);
}

/* The system x' = f(t, x, p) of a problem, with the tolerances of the task, for parameters p (NULL: the nominal
 * ones). Storage for both structs is the caller's; *part, the whole state, is the system's where the task has no
 * tolerances for single components. */
void sens_problem_ode(const struct sens_task *task, const sens_real *p, struct sens_ode_part *part,
                      struct sens_ode *ode);

/* Adds the tested parts of what has `width` numbers for each component of the system, with its tolerances: 1 of
 * the state itself. */
void sens_error_norm_add_parts(const struct sens_controller *controller, const struct sens_ode *ode,
                               size_t width, const struct sens_trial *trial, struct sens_error_norm *norm);
static inline void sens_error_norm_add(const struct sens_controller *controller, const struct sens_ode *ode,
                                       const struct sens_trial *trial, struct sens_error_norm *norm)
{
    if (ode->n_parts == 1 && ode->part->tested) /* the usual system */
        controller->add(ode->part, trial, norm);
    else
        sens_error_norm_add_parts(controller, ode, 1, trial, norm);
}

#endif
