/* A problem and its cost later, or with their parameters in other units: the inner ones at (t - shift, x, p),
 * p_k = q_k 2^-e_k. */
#include <string.h>

#include "decorate.h"

struct around {
    double shift;
    size_t np;
    const int *exponent; /* [np]; NULL: the parameters are the inner ones */
    double *p;           /* [np] in the inner units: one thread at a time */
};

static const double *units(const struct around *a, const double *q)
{
    if (!a->exponent) return q;
    for (size_t k = 0; k < a->np; k++) a->p[k] = ldexp(q[k], -a->exponent[k]);
    return a->p;
}

static struct sens_at point(const struct around *a, const struct sens_at *at)
{
    return (struct sens_at){at->t - a->shift, at->x, units(a, at->p)};
}

/* Rows of MU (or columns of OUT) in the inner units while the inner function adds to them: powers of two change no
 * bit. */
static void scale_rows(const struct around *a, int sign, size_t L, double *MU)
{
    for (size_t q = 0; a->exponent && q < a->np; q++)
        for (size_t l = 0; l < L; l++) MU[q * L + l] = ldexp(MU[q * L + l], sign * a->exponent[q]);
}

static void scale_columns(const struct sens_problem *pb, int sign, size_t k0, size_t L, double *OUT)
{
    const struct around *a = pb->data;
    for (size_t i = 0; a->exponent && i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] = ldexp(OUT[i * L + l], sign * a->exponent[k0 + l]);
}

static const struct around *kept(struct verify *v, size_t np, double shift, const int *exponent)
{
    struct around *a = verify_memory(v, 1, sizeof *a);
    int *copy = verify_memory(v, np, sizeof *copy);
    if (exponent && np) memcpy(copy, exponent, np * sizeof *copy);
    *a = (struct around){shift, np, exponent ? copy : NULL, verify_array(v, np)};
    return a;
}

/* ---- problems ------------------------------------------------------------------------------------------ */

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct sens_at inner_at = point(pb->data, at);
    return pb->inner->type->rhs(pb->inner, &inner_at, dx);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    const struct sens_at inner_at = point(pb->data, at);
    pb->inner->type->vjp(pb->inner, &inner_at, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    const struct sens_at inner_at = point(pb->data, at);
    pb->inner->type->jvp(pb->inner, &inner_at, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    const struct sens_at inner_at = point(pb->data, at);
    scale_columns(pb, 1, k0, L, OUT);
    pb->inner->type->jvp_p_cols(pb->inner, &inner_at, k0, L, OUT);
    scale_columns(pb, -1, k0, L, OUT);
}

/* Points at other times are handed on one by one. */
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const struct around *a = pb->data;
    const double *const inner_p = units(a, p);
    scale_rows(a, 1, L, MU);
    if (a->shift == 0) pb->inner->type->vjp_p_batch(pb->inner, K, t, X, inner_p, L, W, MU);
    for (size_t k = 0; a->shift != 0 && k < K; k++) {
        const double then = t[k] - a->shift;
        const double *const w = W + k * pb->n * L;
        pb->inner->type->vjp_p_batch(pb->inner, 1, &then, X + k * pb->n, inner_p, L, w, MU);
    }
    scale_rows(a, -1, L, MU);
}

static void x0(const struct sens_problem *pb, const double *p, double *x)
{
    pb->inner->type->x0(pb->inner, units(pb->data, p), x);
}

static void x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W, double *MU)
{
    scale_rows(pb->data, 1, L, MU);
    pb->inner->type->x0_vjp(pb->inner, units(pb->data, p), L, W, MU);
    scale_rows(pb->data, -1, L, MU);
}

static void x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L, double *OUT)
{
    scale_columns(pb, 1, k0, L, OUT);
    pb->inner->type->x0_jvp_cols(pb->inner, units(pb->data, p), k0, L, OUT);
    scale_columns(pb, -1, k0, L, OUT);
}

static const struct sens_problem_decoration around_problem = {.type = {.rhs = rhs,
                                                                       .vjp = vjp,
                                                                       .jvp = jvp,
                                                                       .jvp_p_cols = jvp_p_cols,
                                                                       .vjp_p_batch = vjp_p_batch,
                                                                       .x0 = x0,
                                                                       .x0_vjp = x0_vjp,
                                                                       .x0_jvp_cols = x0_jvp_cols},
                                                              .another = true};

void decorate_shift(struct verify *v, const struct sens_problem *inner, double shift,
                    struct sens_problem *problem)
{
    decorate_wrap(v, inner, &around_problem, kept(v, inner->np, shift, NULL), problem);
    problem->t0 += shift;
    problem->t1 += shift;
}

void decorate_scale(struct verify *v, const struct sens_problem *inner, const int *exponent,
                    struct sens_problem *problem)
{
    double *q = verify_array(v, inner->np);
    for (size_t k = 0; k < inner->np; k++) q[k] = ldexp(inner->p[k], exponent[k]);
    decorate_wrap(v, inner, &around_problem, kept(v, inner->np, 0, exponent), problem);
    problem->p = q;
}

/* ---- costs --------------------------------------------------------------------------------------------- */

static void around(const struct sens_cost *cost, const struct cost_call *call)
{
    const struct around *a = decorate_own(cost);
    const struct sens_at at = point(a, call->at);
    struct cost_call inner = *call;
    inner.at = &at;
    if (cost_call_is_by_p(call)) scale_rows(a, 1, call->L, call->out);
    cost_call(cost->inner, &inner);
    if (cost_call_is_by_p(call)) scale_rows(a, -1, call->L, call->out);
}

void decorate_shift_cost(struct verify *v, const struct sens_cost *inner, double shift,
                         struct sens_cost *cost)
{
    double *t_obs = verify_copy(v, inner->n_obs, inner->t_obs);
    for (size_t j = 0; j < inner->n_obs; j++) t_obs[j] += shift;
    decorate_wrap_cost(v, inner, around, kept(v, inner->np, shift, NULL), cost);
    cost->t_obs = t_obs;
}

void decorate_scale_cost(struct verify *v, const struct sens_cost *inner, const int *exponent,
                         struct sens_cost *cost)
{
    decorate_wrap_cost(v, inner, around, kept(v, inner->np, 0, exponent), cost);
}
