/* Parameters and outputs that are there and do nothing: what a method must not notice. */
#include <string.h>

#include "decorate.h"

/* ---- parameters ---------------------------------------------------------------------------------------- */

struct padded {
    struct sens_problem inner;
    double *column; /* [n]: one column at a time, so one thread at a time */
};

static sens_status pad_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct padded *padded = pb->data;
    return padded->inner.type->rhs(&padded->inner, at, dx);
}

static void pad_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                    double *OUT)
{
    const struct padded *padded = pb->data;
    padded->inner.type->vjp(&padded->inner, at, L, W, OUT);
}

static void pad_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                    double *OUT)
{
    const struct padded *padded = pb->data;
    padded->inner.type->jvp(&padded->inner, at, L, V, OUT);
}

static void pad_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                           double *OUT)
{
    const struct padded *padded = pb->data;
    const size_t n = pb->n;
    for (size_t l = 0; l < L && k0 + l < padded->inner.np; l++) {
        memset(padded->column, 0, n * sizeof *padded->column);
        padded->inner.type->jvp_p_cols(&padded->inner, at, k0 + l, 1, padded->column);
        for (size_t i = 0; i < n; i++) OUT[i * L + l] += padded->column[i];
    }
}

/* The rows of the inner parameters come first in MU. */
static void pad_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                            const double *p, size_t L, const double *W, double *MU)
{
    const struct padded *padded = pb->data;
    padded->inner.type->vjp_p_batch(&padded->inner, K, t, X, p, L, W, MU);
}

static void pad_x0(const struct sens_problem *pb, const double *p, double *x)
{
    const struct padded *padded = pb->data;
    padded->inner.type->x0(&padded->inner, p, x);
}

static void pad_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W, double *MU)
{
    const struct padded *padded = pb->data;
    padded->inner.type->x0_vjp(&padded->inner, p, L, W, MU);
}

static void pad_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L, double *OUT)
{
    const struct padded *padded = pb->data;
    const size_t n = pb->n;
    for (size_t l = 0; l < L && k0 + l < padded->inner.np; l++) {
        memset(padded->column, 0, n * sizeof *padded->column);
        padded->inner.type->x0_jvp_cols(&padded->inner, p, k0 + l, 1, padded->column);
        for (size_t i = 0; i < n; i++) OUT[i * L + l] += padded->column[i];
    }
}

void decorate_pad_parameters(struct verify *v, const struct sens_problem *inner, size_t extra,
                             struct sens_problem *problem)
{
    static const struct sens_problem_type with = {.rhs = pad_rhs,
                                                  .vjp = pad_vjp,
                                                  .jvp = pad_jvp,
                                                  .jvp_p_cols = pad_jvp_p_cols,
                                                  .vjp_p_batch = pad_vjp_p_batch,
                                                  .x0 = pad_x0,
                                                  .x0_vjp = pad_x0_vjp,
                                                  .x0_jvp_cols = pad_x0_jvp_cols};
    struct padded *padded = verify_memory(v, 1, sizeof *padded);
    double *p = verify_array(v, inner->np + extra);
    *padded = (struct padded){*inner, verify_array(v, inner->n)};
    memcpy(p, inner->p, inner->np * sizeof *p);
    for (size_t k = 0; k < extra; k++) p[inner->np + k] = 1;
    decorate_wrap(v, inner, &with, padded, problem);
    problem->np += extra;
    problem->p = p;
}
