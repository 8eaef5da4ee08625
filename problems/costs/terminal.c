/* Quadratic in the final state: G_c = Q_c(x(t1), p), with the form Q of quadratic.h.
 * By hand: its gradient (quadratic.h says why). */
#include "quadratic.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j;
    quadratic_add(cost, cost->data, x, p, 1, G);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)p;
    quadratic_add_dx(cost, cost->data, x, 1, c0, L, OUT);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU)
{
    (void)j, (void)x;
    quadratic_add_dp(cost, cost->data, p, 1, c0, L, MU);
}

enum { OPT_M, OPT_RHO };
static const struct sens_option options[] = {
    {.name = "m",
     .kind = SENS_OPT_INT,
     .fallback = 1,
     .min = 1,
     .max = 10000,
     .help = "number of functionals"},
    {.name = "rho", .kind = SENS_OPT_REAL, .min = 0, .max = 1e6, .help = "weight of |p|^2/2"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    struct quadratic *form = SENS_NEW(ctx, struct quadratic, 1);
    sens_real *t_obs = SENS_NEW(ctx, sens_real, 1);
    if (!form || !t_obs) return SENS_NO_MEMORY;
    t_obs[0] = pb->t1;
    cost->m = (size_t)option[OPT_M].number;
    cost->n_obs = 1;
    cost->t_obs = t_obs;
    cost->data = form;
    return quadratic_create(ctx, pb->n, cost->m, option[OPT_RHO].number, form);
}

SENS_COST(terminal) = {
    .name = "terminal",
    .summary = "quadratic in the final state: G_c = 1/2 sum_i w_ci x_i(t1)^2 + rho/2 |p|^2",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
    .phi_dp = phi_dp,
};
