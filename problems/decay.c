/* Exponential decay, one parameter p = k:
 *
 *     y' = -k y:   y = y0 e^(-k t),   dy/dk = -t y,   dy/dy0 = e^(-k t). */
#include <tgmath.h>

#include "small.h"

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    J[0] = -at->p[0];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *F)
{
    (void)pb;
    F[0] = -at->x[0];
}

static void along(const struct sens_problem *pb, const struct sens_at *at, const struct sens_direction *v,
                  sens_real *dJ, sens_real *dF)
{
    (void)pb, (void)at;
    dJ[0] = -v->p[0];
    dF[0] = -v->x[0];
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (q->level != SENS_EXACT_ODE) return false;
    const sens_real E = exp(-p[0] * q->t);
    x[0] = pb->x0[0] * E;
    if (S) S[0] = -q->t * x[0];
    if (S0) S0[0] = E;
    return true;
}

static const struct sens_identity identities[] = {
    {.name = "homogeneous",
     .summary = "x = dx/dx0 x0",
     .discrete = true,
     .rows = small_rows,
     .residual = small_homogeneous},
    {.name = "time scaling",
     .summary = "k dy/dk = T f(y(T))",
     .rows = small_rows,
     .residual = small_time_scaling},
    {.name = NULL},
};

enum { OPT_K, OPT_Y0, OPT_T };
static const struct sens_option options[] = {
    {.name = "k", .kind = SENS_OPT_REAL, .fallback = 1, .min = -1e6, .max = 1e6, .help = "rate, 1/time"},
    {.name = "y0", .kind = SENS_OPT_REAL, .fallback = 1, .min = -1e6, .max = 1e6, .help = "initial state"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 2, .min = 1e-9, .max = 1e9, .help = "final time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const struct small_jacobians data = {1, jacobian, jacobian_p, along};
    const sens_real x0[] = {option[OPT_Y0].number}, p[] = {option[OPT_K].number};
    return small_create(ctx, 1, x0, 1, p, option[OPT_T].number, &data, pb);
}

SENS_PROBLEM(decay) = {
    .name = "decay",
    .summary = "exponential decay y' = -k y",
    .reference = "closed form y = y0 exp(-k t)",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    SMALL_PRODUCTS,
    .hvp = small_hvp,
    .exact = exact,
    .identities = identities,
};
