/* Logistic growth, parameters p = (r, K):   y' = r y (1 - y/K).
 *
 * With E = e^(-r t) and D = y0 + (K - y0) E = K E + y0 (1 - E), which cancels nothing and loses no digits as y
 * approaches K:
 *
 *     y = K y0/D,   dy/dr = t y (K - y0) E/D,   dy/dK = (y0/D)^2 (1 - E),   dy/dy0 = (K/D)^2 E. */
#include <tgmath.h>

#include "small.h"

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real r = at->p[0], K = at->p[1], y = at->x[0];
    dx[0] = r * y * (1 - y / K);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    J[0] = at->p[0] * (1 - 2 * at->x[0] / at->p[1]);
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *F)
{
    (void)pb;
    const sens_real r = at->p[0], K = at->p[1], y = at->x[0];
    F[0] = y * (1 - y / K);
    F[1] = r * (y / K) * (y / K);
}

static void along(const struct sens_problem *pb, const struct sens_at *at, const struct sens_direction *v,
                  sens_real *dJ, sens_real *dF)
{
    (void)pb;
    const sens_real r = at->p[0], K = at->p[1], y = at->x[0];
    const sens_real dr = v->p[0], dK = v->p[1], dy = v->x[0];
    const sens_real part = y / K, change = (dy - part * dK) / K; /* of y/K */
    dJ[0] = dr * (1 - 2 * part) - 2 * r * change;
    dF[0] = dy * (1 - part) - y * change;
    dF[1] = dr * part * part + 2 * r * part * change;
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    if (q->level != SENS_EXACT_ODE) return false;
    const sens_real r = p[0], K = p[1], y0 = pb->x0[0], rt = r * q->t;
    const sens_real E = exp(-fabs(rt)), rest = -expm1(-fabs(rt)); /* rest = 1 - E */
    /* both of the form with e^(-rt), for rt < 0 times e^(rt): nothing cancels where y0 is far from K, or overflows */
    const bool falls = rt < 0;
    const sens_real D = falls ? K - y0 * rest : K * E + y0 * rest, e = falls ? E : 1;
    if (!(D / K > 0)) return false; /* behind a pole */
    x[0] = K * y0 * e / D;
    if (S) {
        S[0] = q->t * x[0] * (K - y0) * (falls ? 1 : E) / D;
        S[1] = (y0 / D) * (y0 / D) * (falls ? -E : 1) * rest;
    }
    if (S0) S0[0] = (K / D) * (K / D) * E;
    return true;
}

/* y -> c y, K -> c K solves the same equation, whatever the steps:   y0 dy/dy0 + K dy/dK = y. */
static void scaling(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                    const sens_real *S0, sens_real *residual, sens_real *size)
{
    const sens_real initial = pb->x0[0] * S0[0], capacity = pb->p[1] * S[1];
    residual[0] = initial + capacity - x1[0];
    size[0] = fabs(initial) + fabs(capacity) + fabs(x1[0]);
}

static const struct sens_identity identities[] = {
    {.name = "scaling",
     .summary = "y0 dy/dy0 + K dy/dK = y",
     .discrete = true,
     .rows = small_rows,
     .residual = scaling},
    {.name = NULL},
};

enum { OPT_R, OPT_K, OPT_Y0, OPT_T };
static const struct sens_option options[] = {
    {.name = "r",
     .kind = SENS_OPT_REAL,
     .fallback = 1,
     .min = -1e6,
     .max = 1e6,
     .help = "growth rate, 1/time"},
    {.name = "K", .kind = SENS_OPT_REAL, .fallback = 2, .min = 1e-6, .max = 1e6, .help = "carrying capacity"},
    {.name = "y0", .kind = SENS_OPT_REAL, .fallback = 0.5, .min = 0, .max = 1e6, .help = "initial state"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 3, .min = 1e-9, .max = 1e9, .help = "final time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const struct small_jacobians data = {4, jacobian, jacobian_p, along};
    const sens_real x0[] = {option[OPT_Y0].number}, p[] = {option[OPT_R].number, option[OPT_K].number};
    return small_create(ctx, 1, x0, 2, p, option[OPT_T].number, &data, pb);
}

SENS_PROBLEM(logistic) = {
    .name = "logistic",
    .summary = "logistic growth y' = r y (1 - y/K)",
    .reference = "P.-F. Verhulst, Corresp. Math. Phys. 10 (1838) 113-121; closed form",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    SMALL_PRODUCTS,
    .hvp = small_hvp,
    .exact = exact,
    .identities = identities,
};
