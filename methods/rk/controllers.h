/* methods/rk/controllers.h - the step-size controllers on offer, and the error norm of a whole state. */
#ifndef SENS_CONTROLLERS_H
#define SENS_CONTROLLERS_H

#include "system.h"

/* NULL-terminated: odeint hairer-pi petsc fixed */
extern const struct sens_controller *const sens_controllers[];

/* Adds the tested parts of a whole state. */
void sens_error_norm_add_parts(const struct sens_controller *controller, const struct sens_ode *ode,
                               struct sens_trial trial, struct sens_error_norm *norm);
static inline void sens_error_norm_add(const struct sens_controller *controller, const struct sens_ode *ode,
                                       const struct sens_trial *trial, struct sens_error_norm *norm)
{
    if (ode->n_parts == 1 && ode->part->tested) /* the usual system; spares a copy of the trial */
        controller->add(ode->part, trial, norm);
    else
        sens_error_norm_add_parts(controller, ode, *trial, norm);
}

/* fmax where b is a number; one instruction, where fmax is a call. */
static inline sens_real sens_larger(sens_real a, sens_real b)
{
    return a > b ? a : b;
}

#endif
