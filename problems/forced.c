/* Non-autonomous, one parameter p:
 *
 *     cosine:  y' = p cos(t) y:  y = y0 e^(p sin t),        dy/dp = sin(t) y,       dy/dy0 = e^(p sin t)
 *     power:   y' = p t^q:       y = y0 + p t^(q+1)/(q+1),  dy/dp = t^(q+1)/(q+1),  dy/dy0 = 1
 *
 * A stage evaluated at t instead of t + c_i h, or at another stage's time, shows as a wrong order. The
 * power form is a pure quadrature, which a Runge-Kutta method of order > q solves to rounding. */
#include <tgmath.h>

#include "small.h"

enum form { FORM_COSINE, FORM_POWER };

struct forced {
    struct small_jacobians jacobians;
    enum form form;
    sens_real q;
};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const struct forced *forced = pb->data;
    dx[0] = at->p[0] * (forced->form == FORM_COSINE ? cos(at->t) * at->x[0] : pow(at->t, forced->q));
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    const struct forced *forced = pb->data;
    J[0] = forced->form == FORM_COSINE ? at->p[0] * cos(at->t) : 0;
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *F)
{
    const struct forced *forced = pb->data;
    F[0] = forced->form == FORM_COSINE ? cos(at->t) * at->x[0] : pow(at->t, forced->q);
}

/* t^(q - 1) q */
static sens_real power_slope(const struct forced *forced, sens_real t)
{
    return forced->q > 0 ? forced->q * pow(t, forced->q - 1) : 0;
}

static void rhs_t(const struct sens_problem *pb, const struct sens_at *at, sens_real *OUT)
{
    const struct forced *forced = pb->data;
    OUT[0] = at->p[0] * (forced->form == FORM_COSINE ? -sin(at->t) * at->x[0] : power_slope(forced, at->t));
}

static void along(const struct sens_problem *pb, const struct sens_at *at, const struct sens_direction *v,
                  sens_real *dJ, sens_real *dF)
{
    const struct forced *forced = pb->data;
    const sens_real dt = v->t[0], c = cos(at->t), s = sin(at->t);
    const bool cosine = forced->form == FORM_COSINE;
    dJ[0] = cosine ? v->p[0] * c - at->p[0] * s * dt : 0;
    dF[0] = cosine ? v->x[0] * c - at->x[0] * s * dt : power_slope(forced, at->t) * dt;
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *query, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const struct forced *forced = pb->data;
    if (query->level != SENS_EXACT_ODE) return false;
    const bool cosine = forced->form == FORM_COSINE;
    const sens_real integral = cosine ? sin(query->t) : pow(query->t, forced->q + 1) / (forced->q + 1);
    const sens_real growth = cosine ? exp(p[0] * integral) : 1;
    x[0] = cosine ? pb->x0[0] * growth : pb->x0[0] + p[0] * integral;
    if (S) S[0] = cosine ? integral * x[0] : integral;
    if (S0) S0[0] = growth;
    return true;
}

enum { OPT_FORM, OPT_P, OPT_Q, OPT_Y0, OPT_T };
static const char *const forms[] = {"cosine", "power", NULL};
static const struct sens_option options[] = {
    {.name = "form", .kind = SENS_OPT_CHOICE, .choices = forms, .help = "y' = p cos(t) y, or y' = p t^q"},
    {.name = "p", .kind = SENS_OPT_REAL, .fallback = 1, .min = -1e3, .max = 1e3, .help = "the parameter"},
    {.name = "q",
     .kind = SENS_OPT_INT,
     .fallback = 2,
     .min = 0,
     .max = 20,
     .help = "exponent of the power form"},
    {.name = "y0", .kind = SENS_OPT_REAL, .fallback = 1, .min = -1e6, .max = 1e6, .help = "initial state"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 2, .min = 1e-9, .max = 1e6, .help = "final time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    const enum form form = (enum form)option[OPT_FORM].number;
    struct forced *forced = SENS_NEW(ctx, struct forced, 1);
    if (!forced) return SENS_NO_MEMORY;
    *forced = (struct forced){
        .jacobians = {form == FORM_COSINE ? 3 : 2, jacobian, jacobian_p, along},
        .form = form,
        .q = option[OPT_Q].number,
    };
    const sens_real x0[] = {option[OPT_Y0].number}, p[] = {option[OPT_P].number};
    return small_create(ctx, 1, x0, 1, p, option[OPT_T].number, &forced->jacobians, pb);
}

SENS_PROBLEM(forced) = {
    .name = "forced",
    .summary = "non-autonomous y' = p cos(t) y, or y' = p t^q",
    .reference = "closed forms y = y0 exp(p sin t) and y = y0 + p t^(q+1)/(q+1)",
    .options = options,
    .create = create,
    .rhs = rhs,
    SMALL_PRODUCTS,
    .rhs_t = rhs_t,
    .hvp = small_hvp,
    .exact = exact,
};
