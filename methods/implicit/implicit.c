/* The current state of an implicit scheme, see implicit.h. */
#include "implicit.h"

#include <string.h>

void sens_implicit_start(struct sens_scheme *scheme, sens_real t, const sens_real *y, sens_real *place)
{
    struct sens_implicit *head = (struct sens_implicit *)scheme;
    scheme->Y = place ? place : head->own_Y;
    if (scheme->Y != y) memmove(scheme->Y, y, scheme->with.ode->n * sizeof *y);
    scheme->t = t;
    head->f_known = head->J_known = false;
}

sens_status sens_implicit_slope(struct sens_scheme *scheme, const sens_real **f)
{
    struct sens_implicit *head = (struct sens_implicit *)scheme;
    const struct sens_ode *ode = scheme->with.ode;
    *f = head->f;
    if (head->f_known) return SENS_OK;
    scheme->did.slopes++;
    const sens_status status = ode->f(ode->self, scheme->t, scheme->Y, head->f);
    head->f_known = status == SENS_OK;
    return status;
}
