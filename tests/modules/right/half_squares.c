/* half_squares: cost functionals G_c(p) = sum_j phi_c(j, x(t_j), p) + int g_c(t, x, p) dt.
 *
 * A skeleton that works as it stands; here stand two functionals, one at the end and one along the way:
 *
 *     G_0 = 1/2 |x(t1)|^2 + rho/2 |p|^2,     G_1 = int_{t0}^{t1} 1/2 |x|^2 dt.
 *
 * The gradients are written by hand: wrong ones are edits of this module.
 *
 * verify: --quick --cost half_squares */
#include "sens/plugin.h"

enum { AT_END, ALONG, FUNCTIONALS };

/* Is functional c among the lanes c0 ... c0 + L - 1 ? */
static bool in_lanes(size_t c, size_t c0, size_t L)
{
    return c >= c0 && c - c0 < L;
}

static sens_real half_square(size_t count, const sens_real *v)
{
    sens_real sum = 0;
    for (size_t i = 0; i < count; i++) sum += v[i] * v[i];
    return sum / 2;
}

/* OUT[i][l] += w v_i in the lane of functional c */
static void add_in_lane(size_t c, size_t c0, size_t L, size_t count, sens_real w, const sens_real *v,
                        sens_real *OUT)
{
    if (!in_lanes(c, c0, L)) return;
    for (size_t i = 0; i < count; i++) OUT[i * L + (c - c0)] += w * v[i];
}

/* ---- the observation at t1 ----------------------------------------------------------------------------- */

static sens_real rho(const struct sens_cost *cost)
{
    return *(const sens_real *)cost->data;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j;
    G[AT_END] += half_square(cost->n, x) + rho(cost) * half_square(cost->np, p);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)p;
    add_in_lane(AT_END, c0, L, cost->n, 1, x, OUT);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU)
{
    (void)j, (void)x;
    add_in_lane(AT_END, c0, L, cost->np, rho(cost), p, MU);
}

/* ---- the integral -------------------------------------------------------------------------------------- */

static void g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    G[ALONG] += w * half_square(cost->n, at->x);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *OUT)
{
    add_in_lane(ALONG, c0, L, cost->n, w, at->x, OUT);
}

/* ---- what can be chosen, and the instance -------------------------------------------------------------- */

enum { OPT_RHO };
static const struct sens_option options[] = {
    {.name = "rho",
     .kind = SENS_OPT_REAL,
     .fallback = 0.5,
     .min = 0,
     .max = 1e6,
     .help = "weight of |p|^2/2"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    sens_real *const t_obs = SENS_NEW(ctx, sens_real, 1), *const weight = SENS_NEW(ctx, sens_real, 1);
    if (!t_obs || !weight) return SENS_NO_MEMORY;
    *t_obs = pb->t1;
    *weight = option[OPT_RHO].number;
    cost->m = FUNCTIONALS;
    cost->n_obs = 1;
    cost->t_obs = t_obs;
    cost->data = weight;
    return SENS_OK;
}

static SENS_COST(half_squares) = {
    .name = "half_squares",
    .summary = "G_0 = |x(t1)|^2/2 + rho/2 |p|^2, G_1 = int |x|^2/2 dt",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
    .phi_dp = phi_dp,
    .g = g,
    .g_dx = g_dx,
};

static const struct sens_cost_type *const costs[] = {&sens_cost_half_squares, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "half_squares", .costs = costs};
