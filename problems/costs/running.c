/* Quadratic running cost, discounted at rate delta, with the form Q of quadratic.h:
 *
 *     G_c = int_{t0}^{t1} e^(-delta (t - t0)) Q_c(x(t), p) dt.
 *
 * By hand: its gradient, called at every stage (quadratic.h says why).
 * delta > 0 makes the integrand depend on t itself, so that a quadrature node at the wrong time shows. */
#include <tgmath.h>

#include "quadratic.h"

struct running {
    struct quadratic form;
    sens_real delta, t0;
};

static sens_real discount(const struct running *running, sens_real t)
{
    return running->delta > 0 ? exp(-running->delta * (t - running->t0)) : 1;
}

static void g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    const struct running *running = cost->data;
    quadratic_add(cost, &running->form, at->x, at->p, w * discount(running, at->t), G);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *OUT)
{
    const struct running *running = cost->data;
    quadratic_add_dx(cost, &running->form, at->x, w * discount(running, at->t), c0, L, OUT);
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *MU)
{
    const struct running *running = cost->data;
    quadratic_add_dp(cost, &running->form, at->p, w * discount(running, at->t), c0, L, MU);
}

enum { OPT_M, OPT_RHO, OPT_DISCOUNT };
static const struct sens_option options[] = {
    {.name = "m",
     .kind = SENS_OPT_INT,
     .fallback = 1,
     .min = 1,
     .max = 10000,
     .help = "number of functionals"},
    {.name = "rho", .kind = SENS_OPT_REAL, .min = 0, .max = 1e6, .help = "weight of |p|^2/2"},
    {.name = "discount",
     .kind = SENS_OPT_REAL,
     .min = 0,
     .max = 1e6,
     .help = "rate delta of e^(-delta t), 1/time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    struct running *running = SENS_NEW(ctx, struct running, 1);
    if (!running) return SENS_NO_MEMORY;
    running->delta = option[OPT_DISCOUNT].number;
    running->t0 = pb->t0;
    cost->m = (size_t)option[OPT_M].number;
    cost->data = running;
    return quadratic_create(ctx, pb->n, cost->m, option[OPT_RHO].number, &running->form);
}

SENS_COST(running) = {
    .name = "running",
    .summary = "quadratic running cost: G_c = int 1/2 sum_i w_ci x_i^2 + rho/2 |p|^2 dt",
    .options = options,
    .create = create,
    .g = g,
    .g_dx = g_dx,
    .g_dp = g_dp,
};
