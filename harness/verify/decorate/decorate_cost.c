/* Costs around an inner one: later, with parameters in other units, or with outputs that are zero. */
#include "decorate.h"

#include <string.h>

struct around {
    struct sens_cost inner;
    double shift;
    const int *exponent; /* [np]; NULL: the parameters are the inner ones */
    double *p;           /* [np] in the inner units */
};

static const double *units(const struct around *a, const double *q)
{
    if (!a->exponent) return q;
    for (size_t k = 0; k < a->inner.np; k++) a->p[k] = ldexp(q[k], -a->exponent[k]);
    return a->p;
}

static void scale_rows(const struct around *a, int sign, size_t L, double *MU)
{
    for (size_t q = 0; a->exponent && q < a->inner.np; q++)
        for (size_t l = 0; l < L; l++) MU[q * L + l] = ldexp(MU[q * L + l], sign * a->exponent[q]);
}

static struct sens_at point(const struct around *a, const struct sens_at *at)
{
    return (struct sens_at){at->t - a->shift, at->x, units(a, at->p)};
}

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    const struct around *a = cost->data;
    a->inner.type->phi(&a->inner, j, x, units(a, p), G);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    const struct around *a = cost->data;
    a->inner.type->phi_dx(&a->inner, j, x, units(a, p), c0, L, OUT);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *MU)
{
    const struct around *a = cost->data;
    scale_rows(a, 1, L, MU);
    a->inner.type->phi_dp(&a->inner, j, x, units(a, p), c0, L, MU);
    scale_rows(a, -1, L, MU);
}

static void g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    const struct around *a = cost->data;
    const struct sens_at inner_at = point(a, at);
    a->inner.type->g(&a->inner, &inner_at, w, G);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *OUT)
{
    const struct around *a = cost->data;
    const struct sens_at inner_at = point(a, at);
    a->inner.type->g_dx(&a->inner, &inner_at, w, c0, L, OUT);
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *MU)
{
    const struct around *a = cost->data;
    scale_rows(a, 1, L, MU);
    const struct sens_at inner_at = point(a, at);
    a->inner.type->g_dp(&a->inner, &inner_at, w, c0, L, MU);
    scale_rows(a, -1, L, MU);
}

/* The functions above where the inner cost has them. */
static const struct sens_cost_type *wrap_type(struct verify *v, const struct sens_cost_type *inner)
{
    struct sens_cost_type *type = verify_memory(v, 1, sizeof *type);
    *type = *inner;
    if (inner->phi) type->phi = phi, type->phi_dx = phi_dx;
    if (inner->phi_dp) type->phi_dp = phi_dp;
    if (inner->g) type->g = g, type->g_dx = g_dx;
    if (inner->g_dp) type->g_dp = g_dp;
    return type;
}

static void wrap_cost(struct verify *v, const struct around *around, struct sens_cost *cost)
{
    struct around *a = verify_memory(v, 1, sizeof *a);
    *a = *around;
    *cost = around->inner;
    cost->type = wrap_type(v, around->inner.type);
    cost->data = a;
}

void decorate_shift_cost(struct verify *v, const struct sens_cost *inner, double shift,
                         struct sens_cost *cost)
{
    double *t_obs = verify_copy(v, inner->n_obs, inner->t_obs);
    const struct around around = {.inner = *inner, .shift = shift};
    for (size_t j = 0; j < inner->n_obs; j++) t_obs[j] += shift;
    wrap_cost(v, &around, cost);
    cost->t_obs = t_obs;
}

void decorate_scale_cost(struct verify *v, const struct sens_cost *inner, const int *exponent,
                         struct sens_cost *cost)
{
    int *kept = verify_memory(v, inner->np, sizeof *kept);
    if (inner->np) memcpy(kept, exponent, inner->np * sizeof *kept);
    const struct around around = {.inner = *inner, .exponent = kept, .p = verify_array(v, inner->np)};
    wrap_cost(v, &around, cost);
}

/* Lanes past the inner m are left alone by every function of the contract: more outputs need nothing else. */
void decorate_pad_cost(struct verify *v, const struct sens_cost *inner, size_t extra, struct sens_cost *cost)
{
    const struct around around = {.inner = *inner};
    wrap_cost(v, &around, cost);
    cost->m += extra;
}
