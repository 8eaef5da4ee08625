/* methods/tableaux/controllers.h - the step-size controllers on offer. */
#ifndef SENS_CONTROLLERS_H
#define SENS_CONTROLLERS_H

#include "sens/controller.h"

/* NULL-terminated: odeint hairer-pi petsc gustafsson fixed */
extern const struct sens_controller *const sens_controllers[];

#endif
