/* Photosynthesis by day: df/dp takes the light of the first day for that of all days, which the default interval does
 * not reach.
 *
 * verify: --quick --problem first_day
 * module: problem first_day
 * cause: product_window */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_real light(sens_real t)
{
    return exp(-(t - 12) * (t - 12) / 16);
}
static sens_real hour(sens_real t)
{
    return t - 24 * floor(t / 24);
}
static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real L = light(hour(at->t));
    dx[0] = at->p[0] * L - at->p[1] * at->x[0];
    dx[1] = at->p[1] * at->x[0] - at->p[2] * at->x[1] * at->x[1];
    return SENS_OK;
}
static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[1];
    J[1][0] = at->p[1];
    J[1][1] = -2 * at->p[2] * at->x[1];
}
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = light(at->t);
    F[0][1] = -at->x[0];
    F[1][1] = at->x[0];
    F[1][2] = -at->x[1] * at->x[1];
}
#include "dense_products.h"

static const struct sens_option options[] = {
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 20, .min = 0.001, .max = 200, .help = "final time, h"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)ctx, (void)option;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP + 1);
    if (!x0 || !p) return SENS_NO_MEMORY;
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->x0 = x0, pb->p = p;
    x0[0] = SENS_C(0.5), x0[1] = 1;
    p[0] = 1, p[1] = SENS_C(0.25), p[2] = SENS_C(0.125);
    pb->t1 = option[0].number;
    return SENS_OK;
}

static SENS_PROBLEM(first_day) = {
    .name = "first_day",
    .summary = "photosynthesis by day",
    .create = create,
    .rhs = rhs,
    .options = options,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_first_day, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "first_day", .problems = problems};
