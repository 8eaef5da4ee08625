/* Costs around an inner one: later, with parameters in other units, or with outputs that are zero. */
#include "decorate.h"

#include <string.h>

void decorate_wrap_cost(struct verify *v, const struct sens_cost *inner, const struct sens_cost_type *with,
                        const void *data, struct sens_cost *cost)
{
    sens_cost_decorate(inner, with, data, verify_memory(v, 1, sizeof(struct sens_decorated_cost)), cost);
}

/* ---- later, and parameters in other units -------------------------------------------------------------- */

struct around {
    double shift;
    const int *exponent; /* [np]; NULL: the parameters are the inner ones */
    double *p;           /* [np] in the inner units */
};

static const double *units(const struct sens_cost *cost, const double *q)
{
    const struct around *a = cost->data;
    if (!a->exponent) return q;
    for (size_t k = 0; k < cost->np; k++) a->p[k] = ldexp(q[k], -a->exponent[k]);
    return a->p;
}

static void scale_rows(const struct sens_cost *cost, int sign, size_t L, double *MU)
{
    const struct around *a = cost->data;
    for (size_t q = 0; a->exponent && q < cost->np; q++)
        for (size_t l = 0; l < L; l++) MU[q * L + l] = ldexp(MU[q * L + l], sign * a->exponent[q]);
}

static struct sens_at point(const struct sens_cost *cost, const struct sens_at *at)
{
    const struct around *a = cost->data;
    return (struct sens_at){at->t - a->shift, at->x, units(cost, at->p)};
}

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    cost->inner->type->phi(cost->inner, j, x, units(cost, p), G);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    cost->inner->type->phi_dx(cost->inner, j, x, units(cost, p), c0, L, OUT);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *MU)
{
    scale_rows(cost, 1, L, MU);
    cost->inner->type->phi_dp(cost->inner, j, x, units(cost, p), c0, L, MU);
    scale_rows(cost, -1, L, MU);
}

static void g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    const struct sens_at inner_at = point(cost, at);
    cost->inner->type->g(cost->inner, &inner_at, w, G);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *OUT)
{
    const struct sens_at inner_at = point(cost, at);
    cost->inner->type->g_dx(cost->inner, &inner_at, w, c0, L, OUT);
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *MU)
{
    scale_rows(cost, 1, L, MU);
    const struct sens_at inner_at = point(cost, at);
    cost->inner->type->g_dp(cost->inner, &inner_at, w, c0, L, MU);
    scale_rows(cost, -1, L, MU);
}

static void wrap(struct verify *v, const struct sens_cost *inner, struct around around,
                 struct sens_cost *cost)
{
    static const struct sens_cost_type with = {
        .phi = phi, .phi_dx = phi_dx, .phi_dp = phi_dp, .g = g, .g_dx = g_dx, .g_dp = g_dp};
    struct around *kept = verify_memory(v, 1, sizeof *kept);
    *kept = around;
    decorate_wrap_cost(v, inner, &with, kept, cost);
}

void decorate_shift_cost(struct verify *v, const struct sens_cost *inner, double shift,
                         struct sens_cost *cost)
{
    double *t_obs = verify_copy(v, inner->n_obs, inner->t_obs);
    for (size_t j = 0; j < inner->n_obs; j++) t_obs[j] += shift;
    wrap(v, inner, (struct around){.shift = shift}, cost);
    cost->t_obs = t_obs;
}

void decorate_scale_cost(struct verify *v, const struct sens_cost *inner, const int *exponent,
                         struct sens_cost *cost)
{
    int *kept = verify_memory(v, inner->np, sizeof *kept);
    if (inner->np) memcpy(kept, exponent, inner->np * sizeof *kept);
    wrap(v, inner, (struct around){.exponent = kept, .p = verify_array(v, inner->np)}, cost);
}

/* ---- in another unit ----------------------------------------------------------------------------------- */

/* What is added to is taken into the inner unit and back, which rounds nothing. */
static void turn(size_t count, int exponent, double *v)
{
    for (size_t q = 0; q < count; q++) v[q] = ldexp(v[q], exponent);
}

static int unit_of(const struct sens_cost *cost)
{
    return *(const int *)cost->data;
}

static void unit_phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    turn(cost->m, -unit_of(cost), G);
    cost->inner->type->phi(cost->inner, j, x, p, G);
    turn(cost->m, unit_of(cost), G);
}

static void unit_phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                        size_t L, double *OUT)
{
    turn(cost->n * L, -unit_of(cost), OUT);
    cost->inner->type->phi_dx(cost->inner, j, x, p, c0, L, OUT);
    turn(cost->n * L, unit_of(cost), OUT);
}

static void unit_phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                        size_t L, double *MU)
{
    turn(cost->np * L, -unit_of(cost), MU);
    cost->inner->type->phi_dp(cost->inner, j, x, p, c0, L, MU);
    turn(cost->np * L, unit_of(cost), MU);
}

static void unit_g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    cost->inner->type->g(cost->inner, at, ldexp(w, unit_of(cost)), G);
}

static void unit_g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                      double *OUT)
{
    cost->inner->type->g_dx(cost->inner, at, ldexp(w, unit_of(cost)), c0, L, OUT);
}

static void unit_g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                      double *MU)
{
    cost->inner->type->g_dp(cost->inner, at, ldexp(w, unit_of(cost)), c0, L, MU);
}

void decorate_multiply_cost(struct verify *v, const struct sens_cost *inner, int exponent,
                            struct sens_cost *cost)
{
    static const struct sens_cost_type with = {.phi = unit_phi,
                                               .phi_dx = unit_phi_dx,
                                               .phi_dp = unit_phi_dp,
                                               .g = unit_g,
                                               .g_dx = unit_g_dx,
                                               .g_dp = unit_g_dp};
    int *const kept = verify_memory(v, 1, sizeof *kept);
    *kept = exponent;
    decorate_wrap_cost(v, inner, &with, kept, cost);
}

/* Lanes past the inner m are left alone by every function of the contract: more outputs need nothing else. */
void decorate_pad_cost(struct verify *v, const struct sens_cost *inner, size_t extra, struct sens_cost *cost)
{
    static const struct sens_cost_type as_inner;
    decorate_wrap_cost(v, inner, &as_inner, NULL, cost);
    cost->m += extra;
}
