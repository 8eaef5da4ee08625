/* A problem's linear part: what is right for it alone takes its products at another place than is due. */
#include <string.h>

#include "decorate.h"

enum { MOST = DECORATE_FAINT_MOST };

struct linear {
    struct sens_problem inner;
    bool moving;
};

/* Where the linear part is taken: (t, y(t), p0), y = x0 (1 + sin(t) / 4), or y = x0. */
static struct sens_at centre(const struct linear *linear, double t, double y[MOST])
{
    const double factor = linear->moving ? 1 + sin(t) / 4 : 1;
    for (size_t i = 0; i < linear->inner.n; i++) y[i] = factor * linear->inner.x0[i];
    return (struct sens_at){linear->moving ? t : linear->inner.t0, y, linear->inner.p};
}

/* f(c) + J(c) (x - y) + f_p(c) (p - p0) */
static sens_status linear_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct linear *linear = pb->data;
    const struct sens_problem_type *type = linear->inner.type;
    double y[MOST], away[MOST], product[MOST], column[MOST];
    const struct sens_at c = centre(linear, at->t, y);
    const sens_status status = type->rhs(&linear->inner, &c, dx);
    if (status != SENS_OK) return status;
    for (size_t i = 0; i < pb->n; i++) away[i] = at->x[i] - y[i];
    type->jvp(&linear->inner, &c, 1, away, product);
    for (size_t i = 0; i < pb->n; i++) dx[i] += product[i];
    for (size_t k = 0; k < pb->np; k++) {
        memset(column, 0, sizeof column);
        type->jvp_p_cols(&linear->inner, &c, k, 1, column);
        for (size_t i = 0; i < pb->n; i++) dx[i] += column[i] * (at->p[k] - linear->inner.p[k]);
    }
    return SENS_OK;
}

static void linear_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    const struct linear *linear = pb->data;
    double y[MOST];
    const struct sens_at c = centre(linear, at->t, y);
    linear->inner.type->jvp(&linear->inner, &c, L, V, OUT);
}

static void linear_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                       double *OUT)
{
    const struct linear *linear = pb->data;
    double y[MOST];
    const struct sens_at c = centre(linear, at->t, y);
    linear->inner.type->vjp(&linear->inner, &c, L, W, OUT);
}

static void linear_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    const struct linear *linear = pb->data;
    double y[MOST];
    const struct sens_at c = centre(linear, at->t, y);
    linear->inner.type->jvp_p_cols(&linear->inner, &c, k0, L, OUT);
}

static void linear_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                               const double *p, size_t L, const double *W, double *MU)
{
    const struct linear *linear = pb->data;
    (void)X, (void)p;
    for (size_t k = 0; k < K; k++) {
        double y[MOST];
        const struct sens_at c = centre(linear, t[k], y);
        linear->inner.type->vjp_p_batch(&linear->inner, 1, &c.t, c.x, c.p, L, W + k * pb->n * L, MU);
    }
}

static void linear_x0(const struct sens_problem *pb, const double *p, double *x)
{
    const struct linear *linear = pb->data;
    linear->inner.type->x0(&linear->inner, p, x);
}

static void linear_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W,
                          double *MU)
{
    const struct linear *linear = pb->data;
    linear->inner.type->x0_vjp(&linear->inner, p, L, W, MU);
}

static void linear_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L,
                               double *OUT)
{
    const struct linear *linear = pb->data;
    linear->inner.type->x0_jvp_cols(&linear->inner, p, k0, L, OUT);
}

void decorate_linear(struct verify *v, const struct sens_problem *inner, bool moving,
                     struct sens_problem *problem)
{
    static const struct sens_problem_type with = {.rhs = linear_rhs,
                                                  .vjp = linear_vjp,
                                                  .jvp = linear_jvp,
                                                  .jvp_p_cols = linear_jvp_p_cols,
                                                  .vjp_p_batch = linear_vjp_p_batch,
                                                  .x0 = linear_x0,
                                                  .x0_vjp = linear_x0_vjp,
                                                  .x0_jvp_cols = linear_x0_jvp_cols};
    struct linear *linear = verify_memory(v, 1, sizeof *linear);
    *linear = (struct linear){*inner, moving};
    decorate_wrap(v, inner, &with, linear, problem);
}
