/* A problem's linear part: what is right for it alone takes its products at another place than is due. */
#include <string.h>

#include "decorate.h"

enum { MOST = DECORATE_FAINT_MOST };

/* Where the linear part is taken: (t, y(t), p0), y = x0 (1 + sin(t) / 4), or y = x0. */
static struct sens_at centre(const struct sens_problem *pb, double t, double y[MOST])
{
    const struct sens_problem *in = pb->inner;
    const bool moving = *(const bool *)pb->data;
    const double factor = moving ? 1 + sin(t) / 4 : 1;
    for (size_t i = 0; i < in->n; i++) y[i] = factor * in->x0[i];
    return (struct sens_at){moving ? t : in->t0, y, in->p};
}

/* f(c) + J(c) (x - y) + f_p(c) (p - p0) */
static sens_status linear_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct sens_problem_type *type = pb->inner->type;
    double y[MOST], away[MOST], product[MOST], column[MOST];
    const struct sens_at c = centre(pb, at->t, y);
    const sens_status status = type->rhs(pb->inner, &c, dx);
    if (status != SENS_OK) return status;
    for (size_t i = 0; i < pb->n; i++) away[i] = at->x[i] - y[i];
    type->jvp(pb->inner, &c, 1, away, product);
    for (size_t i = 0; i < pb->n; i++) dx[i] += product[i];
    for (size_t k = 0; k < pb->np; k++) {
        memset(column, 0, sizeof column);
        type->jvp_p_cols(pb->inner, &c, k, 1, column);
        for (size_t i = 0; i < pb->n; i++) dx[i] += column[i] * (at->p[k] - pb->inner->p[k]);
    }
    return SENS_OK;
}

static void linear_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    double y[MOST];
    const struct sens_at c = centre(pb, at->t, y);
    pb->inner->type->jvp(pb->inner, &c, L, V, OUT);
}

static void linear_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                       double *OUT)
{
    double y[MOST];
    const struct sens_at c = centre(pb, at->t, y);
    pb->inner->type->vjp(pb->inner, &c, L, W, OUT);
}

static void linear_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    double y[MOST];
    const struct sens_at c = centre(pb, at->t, y);
    pb->inner->type->jvp_p_cols(pb->inner, &c, k0, L, OUT);
}

static void linear_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                               const double *p, size_t L, const double *W, double *MU)
{
    (void)X, (void)p;
    for (size_t k = 0; k < K; k++) {
        double y[MOST];
        const struct sens_at c = centre(pb, t[k], y);
        pb->inner->type->vjp_p_batch(pb->inner, 1, &c.t, c.x, c.p, L, W + k * pb->n * L, MU);
    }
}

void decorate_linear(struct verify *v, const struct sens_problem *inner, bool moving,
                     struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {.type = {.rhs = linear_rhs,
                                                                 .vjp = linear_vjp,
                                                                 .jvp = linear_jvp,
                                                                 .jvp_p_cols = linear_jvp_p_cols,
                                                                 .vjp_p_batch = linear_vjp_p_batch},
                                                        .another = true};
    bool *kept = verify_memory(v, 1, sizeof *kept);
    *kept = moving;
    decorate_wrap(v, inner, &with, kept, problem);
}
