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
    if (head->along) head->along->f_known = false;
}

void sens_implicit_accept(struct sens_scheme *scheme, sens_real t1, sens_real *place)
{
    const struct sens_implicit *head = (struct sens_implicit *)scheme;
    if (head->along) sens_along_accept(head->along, scheme);
    sens_implicit_start(scheme, t1, scheme->y1, place);
}

sens_status sens_implicit_follow(struct sens_ctx *ctx, struct sens_scheme *scheme,
                                 const struct sens_followers *followers)
{
    return sens_along_create(ctx, scheme, followers, &((struct sens_implicit *)scheme)->along);
}

sens_status sens_implicit_slope(struct sens_scheme *scheme, const sens_real **f)
{
    struct sens_implicit *head = (struct sens_implicit *)scheme;
    const struct sens_ode *ode = scheme->with.ode;
    *f = head->f;
    if (head->f_known) return SENS_OK;
    scheme->did.slopes++;
    const sens_status status = sens_slope(ode, scheme->t, scheme->Y, head->f);
    head->f_known = status == SENS_OK;
    return status;
}

sens_status sens_implicit_derivative(struct sens_scheme *scheme, const sens_real **f)
{
    struct sens_implicit *const head = (struct sens_implicit *)scheme;
    const sens_status status = sens_implicit_slope(scheme, f);
    if (status != SENS_OK || !head->M) return status;
    memcpy(head->rate, *f, scheme->with.ode->n * sizeof **f);
    sens_mass_rate(&head->mass, head->rate);
    *f = head->rate;
    return SENS_OK;
}

sens_status sens_implicit_create_mass(struct sens_ctx *ctx, struct sens_implicit *head)
{
    const struct sens_problem *const pb = head->scheme.with.ode->problem;
    if (!pb->mass) return SENS_OK;
    head->M = pb->mass;
    head->rate = SENS_NEW(ctx, sens_real, pb->n);
    return head->rate ? sens_mass_matrix_create(ctx, pb, &head->mass) : SENS_NO_MEMORY;
}

const sens_real *sens_implicit_rate(struct sens_implicit *head, sens_real h)
{
    const struct sens_scheme *const scheme = &head->scheme;
    if (!head->M) return head->f;
    for (size_t q = 0; q < scheme->with.ode->n; q++) head->rate[q] = (scheme->y1[q] - scheme->Y[q]) / h;
    return head->rate;
}
