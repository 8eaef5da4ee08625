/* Dense output by the cubic Hermite polynomial of explicit_dense.c, see scheme.h. */
#include "explicit.h"

static sens_status create(struct sens_ctx *ctx, struct sens_scheme *scheme, size_t *size)
{
    const size_t n = scheme->with.ode->n;
    if (scheme->with.ode->problem && scheme->with.ode->problem->mass)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "with a mass matrix steps have no interpolant: stop where the state "
                         "is wanted");
    *size = 4 * n;
    scheme->f1 = SENS_NEW(ctx, sens_real, n);
    return scheme->f1 ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status build(struct sens_scheme *scheme, const struct sens_step *step, sens_real *coef)
{
    const struct sens_ode *ode = scheme->with.ode;
    scheme->did.slopes++;
    const sens_status status = sens_slope(ode, step->t1, step->y1, scheme->f1);
    if (status == SENS_OK) sens_explicit_cubic(ode->n, step, scheme->f1, coef);
    return status;
}

const struct sens_scheme_dense sens_scheme_cubic = {
    .create = create, .build = build, .eval = sens_explicit_dense_eval};
