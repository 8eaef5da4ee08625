/* Followers of an implicit scheme, see along.h. */
#include "along.h"

#include <string.h>

#include "mass.h"
#include "rules.h"

sens_status sens_along_create(struct sens_ctx *ctx, struct sens_scheme *scheme,
                              const struct sens_followers *who, struct sens_along **made)
{
    const struct sens_scheme_setup *const with = &scheme->with;
    struct sens_along *const along = SENS_NEW(ctx, struct sens_along, 1);
    if (!along) return SENS_NO_MEMORY;
    if (!who->step)
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s carries nothing along with the state",
                         with->tableau->name);
    *along = (struct sens_along){.who = who,
                                 .size = who->offset[who->blocks],
                                 .tested = who->part.tested && with->controller->adaptive && with->tableau->e,
                                 .has_rate = !with->ode->problem->mass};
    along->z = SENS_NEW(ctx, sens_real, along->size);
    along->z1 = SENS_NEW(ctx, sens_real, along->size);
    along->f = along->tested ? SENS_NEW(ctx, sens_real, along->size) : NULL;
    along->e = along->tested ? SENS_NEW(ctx, sens_real, along->size) : NULL;
    if (!along->z || !along->z1 || (along->tested && (!along->f || !along->e))) return SENS_NO_MEMORY;
    scheme->z = along->z;
    *made = along;
    return SENS_OK;
}

/* Algebraic equations hold along their solution, and so those of its derivatives do; a direction at the start of all
 * may not be among these, and the first step makes it one, however small that is. */
static void clear_algebraic(const struct sens_mass *mass, size_t n, size_t L, sens_real *f)
{
    for (size_t i = 0; mass && i < n; i++)
        if (sens_mass_row_zero(mass, i)) memset(f + i * L, 0, L * sizeof *f);
}

static void find_slopes(struct sens_along *along, const struct sens_scheme *scheme)
{
    const struct sens_problem *const pb = scheme->with.ode->problem;
    const struct sens_followers *const who = along->who;
    if (along->f_known) return;
    who->at(who->self, 0, scheme->t, scheme->Y);
    for (size_t b = 0; b < who->blocks; b++) {
        const size_t first = who->offset[b], L = (who->offset[b + 1] - first) / pb->n;
        who->slope(who->self, 0, b, along->z + first, along->f + first);
        clear_algebraic(pb->mass, pb->n, L, along->f + first);
    }
    along->f_known = true;
}

/* What a controller takes for z': with a mass matrix (z1 - z) / h, for which f is written over. */
static void find_rates(struct sens_along *along, sens_real h)
{
    if (along->has_rate) return;
    for (size_t q = 0; q < along->size; q++) along->f[q] = (along->z1[q] - along->z[q]) / h;
    along->f_known = false;
}

static void add_estimates(struct sens_along *along, struct sens_scheme *scheme, sens_real h,
                          sens_along_filter *filter)
{
    const struct sens_followers *const who = along->who;
    const size_t n = scheme->with.ode->n;
    for (size_t b = 0; filter && b < who->blocks; b++)
        filter(scheme, (who->offset[b + 1] - who->offset[b]) / n, along->e + who->offset[b]);
    find_rates(along, h);
    for (size_t b = 0; b < who->blocks; b++) {
        const size_t first = who->offset[b];
        const struct sens_trial trial = {.h = h,
                                         .y = along->z + first,
                                         .f = along->f + first,
                                         .y1 = along->z1 + first,
                                         .e = along->e + first};
        sens_followers_add(who, scheme->with.controller, b, &trial, &along->norm);
    }
}

sens_status sens_along_try(struct sens_along *along, struct sens_scheme *scheme, sens_real h, bool estimates,
                           const struct sens_shifted *const *factors, sens_along_filter *filter)
{
    if (!along) return SENS_OK;
    const struct sens_followers *const who = along->who;
    const struct sens_step step = {.t = scheme->t,
                                   .h = h,
                                   .t1 = scheme->t + h,
                                   .y = scheme->Y,
                                   .Y = scheme->Y,
                                   .K = scheme->K,
                                   .y1 = scheme->y1,
                                   .stop = -1,
                                   .factors = factors,
                                   .tableau = scheme->with.tableau};
    const bool tests = along->tested && estimates;
    along->norm = (struct sens_error_norm){0};
    if (tests) find_slopes(along, scheme);
    const sens_status status =
        who->step(who->self, &step, along->z, along->f, along->z1, tests ? along->e : NULL);
    if (status != SENS_OK) return status;
    if (!sens_finite(along->size, along->z1)) return SENS_NONFINITE;
    if (tests) add_estimates(along, scheme, h, filter);
    if (tests && !sens_finite(along->size, along->e)) return SENS_NONFINITE;
    scheme->z1 = along->z1;
    return SENS_OK;
}

void sens_along_accept(struct sens_along *along, struct sens_scheme *scheme)
{
    sens_real *const before = along->z;
    scheme->z = along->z = along->z1;
    along->z1 = before;
}
