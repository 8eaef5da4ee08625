/* Problems and costs around an inner one: every call is handed on, with one thing changed. */
#include "decorate.h"

#include <string.h>

/* ---- what every decorated problem has in common -------------------------------------------------------- */

void decorate_wrap(struct verify *v, const struct sens_problem *inner,
                   const struct sens_problem_decoration *with, const void *data, struct sens_problem *problem)
{
    sens_problem_decorate(inner, with, data, verify_memory(v, 1, sizeof(struct sens_decorated_problem)),
                          problem);
    problem->structure = NULL; /* what is declared is of the inner problem */
}

/* ---- later --------------------------------------------------------------------------------------------- */

static double shift_of(const struct sens_problem *pb)
{
    return *(const double *)pb->data;
}

static struct sens_at earlier(const struct sens_problem *pb, const struct sens_at *at)
{
    return (struct sens_at){at->t - shift_of(pb), at->x, at->p};
}

static sens_status shift_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct sens_at inner_at = earlier(pb, at);
    return pb->inner->type->rhs(pb->inner, &inner_at, dx);
}

static void shift_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    const struct sens_at inner_at = earlier(pb, at);
    pb->inner->type->vjp(pb->inner, &inner_at, L, W, OUT);
}

static void shift_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    const struct sens_at inner_at = earlier(pb, at);
    pb->inner->type->jvp(pb->inner, &inner_at, L, V, OUT);
}

static void shift_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                             double *OUT)
{
    const struct sens_at inner_at = earlier(pb, at);
    pb->inner->type->jvp_p_cols(pb->inner, &inner_at, k0, L, OUT);
}

static void shift_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                              const double *p, size_t L, const double *W, double *MU)
{
    for (size_t k = 0; k < K; k++) {
        const double then = t[k] - shift_of(pb);
        pb->inner->type->vjp_p_batch(pb->inner, 1, &then, X + k * pb->n, p, L, W + k * pb->n * L, MU);
    }
}

void decorate_shift(struct verify *v, const struct sens_problem *inner, double shift,
                    struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {.type = {.rhs = shift_rhs,
                                                                 .vjp = shift_vjp,
                                                                 .jvp = shift_jvp,
                                                                 .jvp_p_cols = shift_jvp_p_cols,
                                                                 .vjp_p_batch = shift_vjp_p_batch},
                                                        .another = true};
    decorate_wrap(v, inner, &with, verify_copy(v, 1, &shift), problem);
    problem->t0 += shift;
    problem->t1 += shift;
}

/* ---- parameters in other units ------------------------------------------------------------------------- */

struct scaled {
    const int *exponent; /* [np] */
    double *p;           /* [np] in the inner units: one thread at a time */
};

static const double *inner_units(const struct sens_problem *pb, const double *q)
{
    const struct scaled *s = pb->data;
    for (size_t k = 0; k < pb->np; k++) s->p[k] = ldexp(q[k], -s->exponent[k]);
    return s->p;
}

static struct sens_at inner_point(const struct sens_problem *pb, const struct sens_at *at)
{
    return (struct sens_at){at->t, at->x, inner_units(pb, at->p)};
}

static sens_status scale_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct sens_at inner_at = inner_point(pb, at);
    return pb->inner->type->rhs(pb->inner, &inner_at, dx);
}

static void scale_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    const struct sens_at inner_at = inner_point(pb, at);
    pb->inner->type->vjp(pb->inner, &inner_at, L, W, OUT);
}

static void scale_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    const struct sens_at inner_at = inner_point(pb, at);
    pb->inner->type->jvp(pb->inner, &inner_at, L, V, OUT);
}

/* Rows of MU (or columns of OUT) in the inner units while `inner` adds to them: powers of two
 * change no bit. */
static void scale_rows(const struct sens_problem *pb, int sign, size_t L, double *MU)
{
    const struct scaled *s = pb->data;
    for (size_t q = 0; q < pb->np; q++)
        for (size_t l = 0; l < L; l++) MU[q * L + l] = ldexp(MU[q * L + l], sign * s->exponent[q]);
}

static void scale_columns(const struct sens_problem *pb, int sign, size_t k0, size_t L, double *OUT)
{
    const struct scaled *s = pb->data;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] = ldexp(OUT[i * L + l], sign * s->exponent[k0 + l]);
}

static void scale_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                             double *OUT)
{
    scale_columns(pb, 1, k0, L, OUT);
    const struct sens_at inner_at = inner_point(pb, at);
    pb->inner->type->jvp_p_cols(pb->inner, &inner_at, k0, L, OUT);
    scale_columns(pb, -1, k0, L, OUT);
}

static void scale_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                              const double *p, size_t L, const double *W, double *MU)
{
    scale_rows(pb, 1, L, MU);
    pb->inner->type->vjp_p_batch(pb->inner, K, t, X, inner_units(pb, p), L, W, MU);
    scale_rows(pb, -1, L, MU);
}

static void scale_x0(const struct sens_problem *pb, const double *p, double *x)
{
    pb->inner->type->x0(pb->inner, inner_units(pb, p), x);
}

static void scale_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W,
                         double *MU)
{
    scale_rows(pb, 1, L, MU);
    pb->inner->type->x0_vjp(pb->inner, inner_units(pb, p), L, W, MU);
    scale_rows(pb, -1, L, MU);
}

static void scale_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L,
                              double *OUT)
{
    scale_columns(pb, 1, k0, L, OUT);
    pb->inner->type->x0_jvp_cols(pb->inner, inner_units(pb, p), k0, L, OUT);
    scale_columns(pb, -1, k0, L, OUT);
}

void decorate_scale(struct verify *v, const struct sens_problem *inner, const int *exponent,
                    struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {.type = {.rhs = scale_rhs,
                                                                 .vjp = scale_vjp,
                                                                 .jvp = scale_jvp,
                                                                 .jvp_p_cols = scale_jvp_p_cols,
                                                                 .vjp_p_batch = scale_vjp_p_batch,
                                                                 .x0 = scale_x0,
                                                                 .x0_vjp = scale_x0_vjp,
                                                                 .x0_jvp_cols = scale_x0_jvp_cols},
                                                        .another = true};
    struct scaled *s = verify_memory(v, 1, sizeof *s);
    int *kept = verify_memory(v, inner->np, sizeof *kept);
    double *q = verify_array(v, inner->np);
    if (inner->np) memcpy(kept, exponent, inner->np * sizeof *kept);
    *s = (struct scaled){kept, verify_array(v, inner->np)};
    for (size_t k = 0; k < inner->np; k++) q[k] = ldexp(inner->p[k], exponent[k]);
    decorate_wrap(v, inner, &with, s, problem);
    problem->p = q;
}

/* ---- fault injection ----------------------------------------------------------------------------------- */

struct planned { /* the decoration's own data, which is const: what it counts is the caller's */
    struct injection *injection;
};

static struct injection *plan_of(const struct sens_problem *pb)
{
    return ((const struct planned *)pb->data)->injection;
}

/* Counts a call; does the fault fall on it? */
static bool falls(struct injection *plan, enum inject_where where, size_t vectors)
{
    const unsigned long call = ++plan->calls[where];
    plan->vectors[where] += vectors;
    return plan->at && plan->where == where && (call == plan->at || (plan->stays && call > plan->at));
}

static double spoilt(const struct injection *plan)
{
    return plan->how == INJECT_INFINITY ? (double)INFINITY : (double)NAN;
}

static sens_status inject_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_RHS, 1);
    if (now && plan->how == INJECT_RECOVERABLE) return SENS_OUT_OF_DOMAIN;
    if (now && plan->how == INJECT_FATAL) return SENS_RHS_FAILED;
    const sens_status status = pb->inner->type->rhs(pb->inner, at, dx);
    if (now) dx[0] = spoilt(plan);
    return status;
}

static void inject_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                       double *OUT)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_VJP, L);
    pb->inner->type->vjp(pb->inner, at, L, W, OUT);
    if (now && L) OUT[0] = spoilt(plan);
}

static void inject_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_JVP, L);
    pb->inner->type->jvp(pb->inner, at, L, V, OUT);
    if (now && L) OUT[0] = spoilt(plan);
}

static void inject_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_JVP_P, L);
    pb->inner->type->jvp_p_cols(pb->inner, at, k0, L, OUT);
    if (now && L) OUT[0] = spoilt(plan);
}

static void inject_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                               const double *p, size_t L, const double *W, double *MU)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_VJP_P, K * L);
    pb->inner->type->vjp_p_batch(pb->inner, K, t, X, p, L, W, MU);
    if (now && L && pb->np) MU[0] = spoilt(plan);
}

void decorate_inject(struct verify *v, const struct sens_problem *inner, struct injection *injection,
                     struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {.type = {.rhs = inject_rhs,
                                                                 .vjp = inject_vjp,
                                                                 .jvp = inject_jvp,
                                                                 .jvp_p_cols = inject_jvp_p_cols,
                                                                 .vjp_p_batch = inject_vjp_p_batch}};
    struct planned *plan = verify_memory(v, 1, sizeof *plan);
    plan->injection = injection;
    decorate_wrap(v, inner, &with, plan, problem);
}
