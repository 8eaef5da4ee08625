/* methods/rk/system.h - what a solver integrates: any first-order system, and a task's own as one. */
#ifndef SENS_SYSTEM_H
#define SENS_SYSTEM_H

#include "sens/controller.h"
#include "sens/method.h"

struct sens_ode { /* integrated forward or backward in t */
    size_t n;
    sens_status (*f)(void *self, sens_real t, const sens_real *y /*[n]*/, sens_real *dy /*[n]*/);
    void *self;
    size_t n_parts; /* parts cover the state in order; counts sum to n */
    const struct sens_ode_part *part;
};

/* The system x' = f(t, x, p) of a problem for parameters p (NULL: the nominal ones). Storage for both structs
 * is the caller's; ode->self points to *self. */
struct sens_problem_ode {
    const struct sens_problem *pb;
    const sens_real *p;
    struct sens_ode_part part;
};
void sens_problem_ode(const struct sens_task *task, const sens_real *p, struct sens_problem_ode *self,
                      struct sens_ode *ode);

#endif
