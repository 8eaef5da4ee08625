/* A problem beside a faint copy of itself: what the copy computes is controlled by nothing that it does. */
#include <string.h>

#include "decorate.h"

enum { MOST = DECORATE_FAINT_MOST };
const double decorate_faintness = 0x1p-100; /* a power of two: the copy's numbers have the same bits */

/* ---- the problem --------------------------------------------------------------------------------------- */

struct half { /* a point of y, or of z / d */
    double x[MOST];
    struct sens_at at;
};

/* h = 0: y and p; 1: z / d and q. */
static void take_half(size_t n, size_t np, const struct sens_at *at, size_t h, struct half *half)
{
    for (size_t i = 0; i < n; i++) half->x[i] = at->x[h * n + i] / (h ? decorate_faintness : 1);
    half->at = (struct sens_at){at->t, half->x, at->p + h * np};
}

static double scale_of(size_t h)
{
    return h ? decorate_faintness : 1;
}

static sens_status faint_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct sens_problem *in = pb->inner;
    for (size_t h = 0; h < 2; h++) {
        struct half half;
        take_half(in->n, in->np, at, h, &half);
        const sens_status status = in->type->rhs(in, &half.at, dx + h * in->n);
        if (status != SENS_OK) return status;
        for (size_t i = 0; i < in->n; i++) dx[h * in->n + i] *= scale_of(h);
    }
    return SENS_OK;
}

static void faint_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    const struct sens_problem *in = pb->inner;
    for (size_t h = 0; h < 2; h++) {
        struct half half;
        take_half(in->n, in->np, at, h, &half);
        in->type->vjp(in, &half.at, L, W + h * in->n * L, OUT + h * in->n * L);
    }
}

static void faint_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    const struct sens_problem *in = pb->inner;
    for (size_t h = 0; h < 2; h++) {
        struct half half;
        take_half(in->n, in->np, at, h, &half);
        in->type->jvp(in, &half.at, L, V + h * in->n * L, OUT + h * in->n * L);
    }
}

static void faint_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                             double *OUT)
{
    const struct sens_problem *in = pb->inner;
    for (size_t l = 0; l < L; l++) {
        const size_t h = k0 + l < in->np ? 0 : 1;
        double column[MOST] = {0};
        struct half half;
        take_half(in->n, in->np, at, h, &half);
        in->type->jvp_p_cols(in, &half.at, k0 + l - h * in->np, 1, column);
        for (size_t i = 0; i < in->n; i++) OUT[(h * in->n + i) * L + l] += scale_of(h) * column[i];
    }
}

/* MU [np] += scale A^T w for lane l of half h, by a product of one lane. */
static void gather(size_t n, size_t L, size_t l, double scale, const double *W, double *w)
{
    for (size_t i = 0; i < n; i++) w[i] = scale * W[i * L + l];
}

static void scatter(size_t count, size_t L, size_t l, const double *mu, double *MU)
{
    for (size_t k = 0; k < count; k++) MU[k * L + l] += mu[k];
}

static void faint_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                              const double *p, size_t L, const double *W, double *MU)
{
    const struct sens_problem *in = pb->inner;
    const size_t n = in->n, np = in->np;
    for (size_t place = 0; place < 2 * K * L; place++) {
        const size_t h = place % 2, l = place / 2 % L, k = place / 2 / L;
        double w[MOST], mu[MOST] = {0};
        struct half half;
        take_half(n, np, &(struct sens_at){t[k], X + k * pb->n, p}, h, &half);
        gather(n, L, l, scale_of(h), W + (k * pb->n + h * n) * L, w);
        in->type->vjp_p_batch(in, 1, &t[k], half.x, half.at.p, 1, w, mu);
        scatter(np, L, l, mu, MU + h * np * L);
    }
}

static void faint_rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    const struct sens_problem *in = pb->inner;
    for (size_t h = 0; h < 2; h++) {
        struct half half;
        take_half(in->n, in->np, at, h, &half);
        in->type->rhs_t(in, &half.at, OUT + h * in->n);
        for (size_t i = 0; i < in->n; i++) OUT[h * in->n + i] *= scale_of(h);
    }
}

enum { LANES = 8 }; /* of hvp at once */

/* Lanes from l on, and as many: to [count][lanes]. */
static void gather_lanes(size_t count, size_t L, size_t l, size_t lanes, double scale, const double *W,
                         double *to)
{
    for (size_t i = 0; W && i < count; i++)
        for (size_t k = 0; k < lanes; k++) to[i * lanes + k] = scale * W[i * L + l + k];
}

/* Along (dt, dy, dp), and along (dt, dz / d, dq). */
static void faint_second(const struct sens_problem *in, const struct half *half, size_t h, size_t L, size_t l,
                         const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    const size_t n = in->n, np = in->np, lanes = L - l < LANES ? L - l : LANES;
    double w[MOST * LANES], dx[MOST * LANES], dp[MOST * LANES], out[MOST * LANES], mu[MOST * LANES] = {0};
    gather_lanes(n, L, l, lanes, 1, W + h * n * L, w);
    gather_lanes(n, L, l, lanes, 1 / scale_of(h), v->x ? v->x + h * n * L : NULL, dx);
    gather_lanes(np, L, l, lanes, 1, v->p ? v->p + h * np * L : NULL, dp);
    const struct sens_direction along = {v->t ? v->t + l : NULL, v->x ? dx : NULL, v->p ? dp : NULL};
    in->type->hvp(in, &half->at, lanes, &along, w, out, MU ? mu : NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < lanes; k++) OUT[(h * n + i) * L + l + k] = out[i * lanes + k];
    for (size_t q = 0; MU && q < np; q++)
        for (size_t k = 0; k < lanes; k++) MU[(h * np + q) * L + l + k] += scale_of(h) * mu[q * lanes + k];
}

static void faint_hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                      const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    const struct sens_problem *in = pb->inner;
    for (size_t h = 0; h < 2; h++) {
        struct half half;
        take_half(in->n, in->np, at, h, &half);
        for (size_t l = 0; l < L; l += LANES) faint_second(in, &half, h, L, l, v, W, OUT, MU);
    }
}

static void faint_x0(const struct sens_problem *pb, const double *p, double *x)
{
    const struct sens_problem *in = pb->inner;
    for (size_t h = 0; h < 2; h++) {
        in->type->x0(in, p + h * in->np, x + h * in->n);
        for (size_t i = 0; i < in->n; i++) x[h * in->n + i] *= scale_of(h);
    }
}

static void faint_x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W,
                         double *MU)
{
    const struct sens_problem *in = pb->inner;
    for (size_t place = 0; place < 2 * L; place++) {
        const size_t h = place % 2, l = place / 2;
        double w[MOST], mu[MOST] = {0};
        gather(in->n, L, l, scale_of(h), W + h * in->n * L, w);
        in->type->x0_vjp(in, p + h * in->np, 1, w, mu);
        scatter(in->np, L, l, mu, MU + h * in->np * L);
    }
}

static void faint_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L,
                              double *OUT)
{
    const struct sens_problem *in = pb->inner;
    for (size_t l = 0; l < L; l++) {
        const size_t h = k0 + l < in->np ? 0 : 1;
        double column[MOST] = {0};
        in->type->x0_jvp_cols(in, p + h * in->np, k0 + l - h * in->np, 1, column);
        for (size_t i = 0; i < in->n; i++) OUT[(h * in->n + i) * L + l] += scale_of(h) * column[i];
    }
}

/* Twice the array, the second time scaled. */
static double *doubled(struct verify *v, size_t count, const double *from, double scale)
{
    double *made = verify_array(v, 2 * count);
    for (size_t i = 0; i < count; i++) made[i] = from[i], made[count + i] = scale * from[i];
    return made;
}

void decorate_faint(struct verify *v, const struct sens_problem *inner, struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {.type = {.rhs = faint_rhs,
                                                                 .vjp = faint_vjp,
                                                                 .jvp = faint_jvp,
                                                                 .jvp_p_cols = faint_jvp_p_cols,
                                                                 .vjp_p_batch = faint_vjp_p_batch,
                                                                 .rhs_t = faint_rhs_t,
                                                                 .hvp = faint_hvp,
                                                                 .x0 = faint_x0,
                                                                 .x0_vjp = faint_x0_vjp,
                                                                 .x0_jvp_cols = faint_x0_jvp_cols},
                                                        .another = true};
    decorate_wrap(v, inner, &with, NULL, problem);
    problem->n = 2 * inner->n;
    problem->np = 2 * inner->np;
    problem->p = doubled(v, inner->np, inner->p, 1);
    problem->x0 = doubled(v, inner->n, inner->x0, decorate_faintness);
}

/* ---- its cost: that of the copy ------------------------------------------------------------------------ */

/* The copy's rows of OUT [2n][L], lane l: the derivative by z is that by z / d, over d. */
static void add_lane(const struct sens_cost *cost, size_t L, size_t l, const double *column, double *OUT)
{
    const size_t n = cost->inner->n;
    for (size_t i = 0; i < n; i++) OUT[(n + i) * L + l] += column[i] / decorate_faintness;
}

static void of_copy(const struct sens_cost *cost, const struct cost_call *call)
{
    const size_t n = cost->inner->n, np = cost->inner->np;
    struct cost_call inner = *call;
    struct half half;
    take_half(n, np, call->at, 1, &half);
    inner.at = &half.at;
    if (cost_call_is_by_p(call)) inner.out = call->out + np * call->L;
    if (cost_call_is_by_p(call) || cost_call_is_value(call)) {
        cost_call(cost->inner, &inner);
        return;
    }
    for (size_t l = 0; l < call->L && call->c0 + l < cost->m; l++) {
        double column[MOST] = {0};
        inner.c0 = call->c0 + l, inner.L = 1;
        inner.out = column;
        cost_call(cost->inner, &inner);
        add_lane(cost, call->L, l, column, call->out);
    }
}

void decorate_faint_cost(struct verify *v, const struct sens_cost *inner, struct sens_cost *cost)
{
    decorate_wrap_cost(v, inner, of_copy, NULL, cost);
    cost->n = 2 * inner->n;
    cost->np = 2 * inner->np;
}
