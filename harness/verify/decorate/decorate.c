/* Problems and costs around an inner one: every call is handed on, with one thing changed. */
#include "decorate.h"

#include <string.h>

/* ---- what every decorated problem has in common -------------------------------------------------------- */

static struct sens_problem_type *copy_type(struct verify *v, const struct sens_problem *inner,
                                           const struct sens_problem_type *with)
{
    struct sens_problem_type *type = verify_memory(v, 1, sizeof *type);
    *type = *inner->type;
    type->exact = NULL;
    type->identities = NULL;
    type->operations = NULL;
    type->rhs = with->rhs;
    type->vjp = with->vjp;
    type->jvp = with->jvp;
    type->jvp_p_cols = with->jvp_p_cols;
    type->vjp_p_batch = with->vjp_p_batch;
    if (!inner->type->x0) return type;
    type->x0 = with->x0;
    type->x0_vjp = with->x0_vjp;
    type->x0_jvp_cols = with->x0_jvp_cols;
    return type;
}

void decorate_wrap(struct verify *v, const struct sens_problem *inner, const struct sens_problem_type *with,
                   const void *data, struct sens_problem *problem)
{
    *problem = *inner;
    problem->type = copy_type(v, inner, with);
    problem->data = data;
    problem->structure = NULL; /* what is declared is of the inner problem */
}

/* ---- later --------------------------------------------------------------------------------------------- */

struct shifted {
    struct sens_problem inner;
    double shift;
};

static struct sens_at earlier(const struct shifted *s, const struct sens_at *at)
{
    return (struct sens_at){at->t - s->shift, at->x, at->p};
}

static sens_status shift_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct shifted *s = pb->data;
    const struct sens_at inner_at = earlier(s, at);
    return s->inner.type->rhs(&s->inner, &inner_at, dx);
}

static void shift_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    const struct shifted *s = pb->data;
    const struct sens_at inner_at = earlier(s, at);
    s->inner.type->vjp(&s->inner, &inner_at, L, W, OUT);
}

static void shift_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    const struct shifted *s = pb->data;
    const struct sens_at inner_at = earlier(s, at);
    s->inner.type->jvp(&s->inner, &inner_at, L, V, OUT);
}

static void shift_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                             double *OUT)
{
    const struct shifted *s = pb->data;
    const struct sens_at inner_at = earlier(s, at);
    s->inner.type->jvp_p_cols(&s->inner, &inner_at, k0, L, OUT);
}

static void shift_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                              const double *p, size_t L, const double *W, double *MU)
{
    const struct shifted *s = pb->data;
    for (size_t k = 0; k < K; k++) {
        const double then = t[k] - s->shift;
        s->inner.type->vjp_p_batch(&s->inner, 1, &then, X + k * pb->n, p, L, W + k * pb->n * L, MU);
    }
}

static void shift_x0(const struct sens_problem *pb, const double *p, double *x)
{
    const struct shifted *s = pb->data;
    s->inner.type->x0(&s->inner, p, x);
}

static void shift_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W,
                         double *MU)
{
    const struct shifted *s = pb->data;
    s->inner.type->x0_vjp(&s->inner, p, L, W, MU);
}

static void shift_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L,
                              double *OUT)
{
    const struct shifted *s = pb->data;
    s->inner.type->x0_jvp_cols(&s->inner, p, k0, L, OUT);
}

void decorate_shift(struct verify *v, const struct sens_problem *inner, double shift,
                    struct sens_problem *problem)
{
    static const struct sens_problem_type with = {.rhs = shift_rhs,
                                                  .vjp = shift_vjp,
                                                  .jvp = shift_jvp,
                                                  .jvp_p_cols = shift_jvp_p_cols,
                                                  .vjp_p_batch = shift_vjp_p_batch,
                                                  .x0 = shift_x0,
                                                  .x0_vjp = shift_x0_vjp,
                                                  .x0_jvp_cols = shift_x0_jvp_cols};
    struct shifted *s = verify_memory(v, 1, sizeof *s);
    *s = (struct shifted){*inner, shift};
    decorate_wrap(v, inner, &with, s, problem);
    problem->t0 += shift;
    problem->t1 += shift;
}

/* ---- parameters in other units ------------------------------------------------------------------------- */

struct scaled {
    struct sens_problem inner;
    const int *exponent; /* [np] */
    double *p;           /* [np] in the inner units: one thread at a time */
};

static const double *inner_units(const struct scaled *s, const double *q)
{
    for (size_t k = 0; k < s->inner.np; k++) s->p[k] = ldexp(q[k], -s->exponent[k]);
    return s->p;
}

static struct sens_at inner_point(const struct scaled *s, const struct sens_at *at)
{
    return (struct sens_at){at->t, at->x, inner_units(s, at->p)};
}

static sens_status scale_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct scaled *s = pb->data;
    const struct sens_at inner_at = inner_point(s, at);
    return s->inner.type->rhs(&s->inner, &inner_at, dx);
}

static void scale_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    const struct scaled *s = pb->data;
    const struct sens_at inner_at = inner_point(s, at);
    s->inner.type->vjp(&s->inner, &inner_at, L, W, OUT);
}

static void scale_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    const struct scaled *s = pb->data;
    const struct sens_at inner_at = inner_point(s, at);
    s->inner.type->jvp(&s->inner, &inner_at, L, V, OUT);
}

/* Rows of MU (or columns of OUT) in the inner units while `inner` adds to them: powers of two change no bit.
 */
static void scale_rows(const struct scaled *s, int sign, size_t L, double *MU)
{
    for (size_t q = 0; q < s->inner.np; q++)
        for (size_t l = 0; l < L; l++) MU[q * L + l] = ldexp(MU[q * L + l], sign * s->exponent[q]);
}

static void scale_columns(const struct scaled *s, int sign, size_t k0, size_t L, double *OUT)
{
    for (size_t i = 0; i < s->inner.n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] = ldexp(OUT[i * L + l], sign * s->exponent[k0 + l]);
}

static void scale_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                             double *OUT)
{
    const struct scaled *s = pb->data;
    scale_columns(s, 1, k0, L, OUT);
    const struct sens_at inner_at = inner_point(s, at);
    s->inner.type->jvp_p_cols(&s->inner, &inner_at, k0, L, OUT);
    scale_columns(s, -1, k0, L, OUT);
}

static void scale_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                              const double *p, size_t L, const double *W, double *MU)
{
    const struct scaled *s = pb->data;
    scale_rows(s, 1, L, MU);
    s->inner.type->vjp_p_batch(&s->inner, K, t, X, inner_units(s, p), L, W, MU);
    scale_rows(s, -1, L, MU);
}

static void scale_x0(const struct sens_problem *pb, const double *p, double *x)
{
    const struct scaled *s = pb->data;
    s->inner.type->x0(&s->inner, inner_units(s, p), x);
}

static void scale_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W,
                         double *MU)
{
    const struct scaled *s = pb->data;
    scale_rows(s, 1, L, MU);
    s->inner.type->x0_vjp(&s->inner, inner_units(s, p), L, W, MU);
    scale_rows(s, -1, L, MU);
}

static void scale_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L,
                              double *OUT)
{
    const struct scaled *s = pb->data;
    scale_columns(s, 1, k0, L, OUT);
    s->inner.type->x0_jvp_cols(&s->inner, inner_units(s, p), k0, L, OUT);
    scale_columns(s, -1, k0, L, OUT);
}

static struct scaled make_scaled(struct verify *v, const struct sens_problem *inner, const int *exponent)
{
    int *kept = verify_memory(v, inner->np, sizeof *kept);
    if (inner->np) memcpy(kept, exponent, inner->np * sizeof *kept);
    return (struct scaled){*inner, kept, verify_array(v, inner->np)};
}

void decorate_scale(struct verify *v, const struct sens_problem *inner, const int *exponent,
                    struct sens_problem *problem)
{
    static const struct sens_problem_type with = {.rhs = scale_rhs,
                                                  .vjp = scale_vjp,
                                                  .jvp = scale_jvp,
                                                  .jvp_p_cols = scale_jvp_p_cols,
                                                  .vjp_p_batch = scale_vjp_p_batch,
                                                  .x0 = scale_x0,
                                                  .x0_vjp = scale_x0_vjp,
                                                  .x0_jvp_cols = scale_x0_jvp_cols};
    struct scaled *s = verify_memory(v, 1, sizeof *s);
    double *q = verify_array(v, inner->np);
    *s = make_scaled(v, inner, exponent);
    for (size_t k = 0; k < inner->np; k++) q[k] = ldexp(inner->p[k], exponent[k]);
    decorate_wrap(v, inner, &with, s, problem);
    problem->p = q;
}

/* ---- fault injection ----------------------------------------------------------------------------------- */

struct injected {
    struct sens_problem inner;
    struct injection *plan;
};

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
    const struct injected *in = pb->data;
    const bool now = falls(in->plan, INJECT_RHS, 1);
    if (now && in->plan->how == INJECT_RECOVERABLE) return SENS_OUT_OF_DOMAIN;
    if (now && in->plan->how == INJECT_FATAL) return SENS_RHS_FAILED;
    const sens_status status = in->inner.type->rhs(&in->inner, at, dx);
    if (now) dx[0] = spoilt(in->plan);
    return status;
}

static void inject_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                       double *OUT)
{
    const struct injected *in = pb->data;
    const bool now = falls(in->plan, INJECT_VJP, L);
    in->inner.type->vjp(&in->inner, at, L, W, OUT);
    if (now && L) OUT[0] = spoilt(in->plan);
}

static void inject_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    const struct injected *in = pb->data;
    const bool now = falls(in->plan, INJECT_JVP, L);
    in->inner.type->jvp(&in->inner, at, L, V, OUT);
    if (now && L) OUT[0] = spoilt(in->plan);
}

static void inject_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    const struct injected *in = pb->data;
    const bool now = falls(in->plan, INJECT_JVP_P, L);
    in->inner.type->jvp_p_cols(&in->inner, at, k0, L, OUT);
    if (now && L) OUT[0] = spoilt(in->plan);
}

static void inject_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                               const double *p, size_t L, const double *W, double *MU)
{
    const struct injected *in = pb->data;
    const bool now = falls(in->plan, INJECT_VJP_P, K * L);
    in->inner.type->vjp_p_batch(&in->inner, K, t, X, p, L, W, MU);
    if (now && L && pb->np) MU[0] = spoilt(in->plan);
}

static void inject_x0(const struct sens_problem *pb, const double *p, double *x)
{
    const struct injected *in = pb->data;
    in->inner.type->x0(&in->inner, p, x);
}

static void inject_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W,
                          double *MU)
{
    const struct injected *in = pb->data;
    in->inner.type->x0_vjp(&in->inner, p, L, W, MU);
}

static void inject_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L,
                               double *OUT)
{
    const struct injected *in = pb->data;
    in->inner.type->x0_jvp_cols(&in->inner, p, k0, L, OUT);
}

void decorate_inject(struct verify *v, const struct sens_problem *inner, struct injection *injection,
                     struct sens_problem *problem)
{
    static const struct sens_problem_type with = {.rhs = inject_rhs,
                                                  .vjp = inject_vjp,
                                                  .jvp = inject_jvp,
                                                  .jvp_p_cols = inject_jvp_p_cols,
                                                  .vjp_p_batch = inject_vjp_p_batch,
                                                  .x0 = inject_x0,
                                                  .x0_vjp = inject_x0_vjp,
                                                  .x0_jvp_cols = inject_x0_jvp_cols};
    struct injected *in = verify_memory(v, 1, sizeof *in);
    *in = (struct injected){*inner, injection};
    decorate_wrap(v, inner, &with, in, problem);
}
