/* Costs around an inner one: in another unit, or with outputs that are zero. */
#include "decorate.h"

void decorate_wrap_cost(struct verify *v, const struct sens_cost *inner, const struct sens_cost_type *with,
                        const void *data, struct sens_cost *cost)
{
    sens_cost_decorate(inner, with, data, verify_memory(v, 1, sizeof(struct sens_decorated_cost)), cost);
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
