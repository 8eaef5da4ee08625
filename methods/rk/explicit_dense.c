/* Dense output of a step. Every interpolant of the scheme is continuously differentiable: the cubic Hermite
 * polynomial on (y, f, y1, f1), Hairer, Norsett, Wanner, Solving ODEs I, (II.6.7), plus, where the tableau
 * has one of degree D >= 4, a polynomial that vanishes with its derivative at both ends. With s = 1 - theta,
 *
 *     y(t + theta h) = y + theta (c1 + s (c2 + theta (c3 + s q(theta)))),   q = sum_d q_(d-4) theta^(d-4),
 *     c1 = y1 - y,  c2 = h f - c1,  c3 = c1 - h f1 - c2,
 *     q_(d-4) = h sum_i Q_id K_i,  Q_id = B_id + 2 Q_i,d+1 - Q_i,d+2   (d = D ... 4, B of sens/tableau.h),
 *
 * which is the sum of B_id theta^d without its cancellation: the ends are exact to an ulp, and the large
 * weights of a high order are multiplied by (theta s)^2 <= 1/16. */
#include "explicit.h"

enum { CUBIC = 4 /* numbers of a cubic */ };

static size_t bubble_terms(const struct sens_tableau *tableau)
{
    return tableau->dense_degree > 3 ? (size_t)tableau->dense_degree - 3 : 0;
}

static sens_status create(struct sens_ctx *ctx, struct sens_scheme *scheme, size_t *size)
{
    struct sens_explicit *ex = (struct sens_explicit *)scheme;
    const struct sens_tableau *tb = scheme->with.tableau;
    const size_t n = scheme->with.ode->n, all = (size_t)tb->stages + (size_t)tb->extra_stages;
    *size = (CUBIC + bubble_terms(tb)) * n;
    ex->dense = SENS_NEW(ctx, sens_real, (all + 1) * n);
    return ex->dense ? SENS_OK : SENS_NO_MEMORY;
}

/* K [stages + extra_stages][n], the extra ones through a stage state Y [n]. */
static sens_status extra_slopes(struct sens_explicit *ex, const struct sens_step *step, sens_real *K,
                                sens_real *Y)
{
    const struct sens_tableau *tb = ex->scheme.with.tableau;
    const struct sens_ode *ode = ex->scheme.with.ode;
    const size_t n = ode->n;
    const int all = tb->stages + tb->extra_stages;
    memcpy(K, step->K, (size_t)tb->stages * n * sizeof *K);
    for (int i = tb->stages; i < all; i++) {
        sens_explicit_sum(n, n, i, step->h, step->y, tb->a + i * all, K, Y);
        ex->scheme.did.slopes++;
        const sens_status status =
            sens_slope(ode, sens_stage_time(tb, step->t, step->h, i), Y, K + (size_t)i * n);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

/* The slope at the end: the last stage of an FSAL pair, else the first extra stage, else evaluated into
 * `work`. */
static sens_status end_slope(struct sens_explicit *ex, const struct sens_step *step, const sens_real *K,
                             sens_real *work, const sens_real **f1)
{
    const struct sens_tableau *tb = ex->scheme.with.tableau;
    const struct sens_ode *ode = ex->scheme.with.ode;
    const bool known = tb->fsal || tb->extra_stages > 0;
    const int stage = tb->fsal ? tb->stages - 1 : tb->stages;
    *f1 = known ? K + (size_t)stage * ode->n : work;
    if (known) return SENS_OK;
    ex->scheme.did.slopes++;
    return sens_slope(ode, step->t1, step->y1, work);
}

void sens_explicit_cubic(size_t n, const struct sens_step *step, const sens_real *f1, sens_real *coef)
{
    const sens_real *y = step->y, *y1 = step->y1, *f = step->K;
    const sens_real h = step->h;
    for (size_t q = 0; q < n; q++) {
        const sens_real rise = y1[q] - y[q], c2 = h * f[q] - rise;
        coef[q] = y[q];
        coef[n + q] = rise;
        coef[2 * n + q] = c2;
        coef[3 * n + q] = rise - h * f1[q] - c2;
    }
}

/* q [D - 3][n]. Three columns of Q at a time are needed: the one being made and the two of the next higher
 * powers. */
static void build_bubble(const struct sens_tableau *tableau, size_t n, sens_real h, const sens_real *K,
                         sens_real *q)
{
    const int D = tableau->dense_degree, all = tableau->stages + tableau->extra_stages;
    sens_real next[SENS_MAX_STAGES] = {0}, after[SENS_MAX_STAGES] = {0};
    for (int d = D; d >= 4; d--) {
        for (int i = 0; i < all; i++) {
            const sens_real Q = tableau->dense[i * D + d - 1] + 2 * next[i] - after[i];
            after[i] = next[i];
            next[i] = Q;
        }
        sens_explicit_sum(n, n, all, h, NULL, next, K, q + (size_t)(d - 4) * n);
    }
}

static sens_status build(struct sens_scheme *scheme, const struct sens_step *step, sens_real *coef)
{
    struct sens_explicit *ex = (struct sens_explicit *)scheme;
    const struct sens_tableau *tb = scheme->with.tableau;
    const size_t n = scheme->with.ode->n;
    const sens_real *K = step->K, *f1 = NULL;
    sens_status status = SENS_OK;
    if (tb->extra_stages > 0) {
        K = ex->dense;
        status = extra_slopes(ex, step, ex->dense, ex->dense + (size_t)(tb->stages + tb->extra_stages) * n);
    }
    if (status == SENS_OK) status = end_slope(ex, step, K, ex->dense, &f1);
    if (status != SENS_OK) return status;
    sens_explicit_cubic(n, step, f1, coef);
    if (bubble_terms(tb) > 0) build_bubble(tb, n, step->h, K, coef + CUBIC * n);
    return SENS_OK;
}

void sens_explicit_dense_eval(const struct sens_scheme *scheme, const sens_real *coef, sens_real theta,
                              sens_real *y)
{
    const size_t n = scheme->with.ode->n, terms = bubble_terms(scheme->with.tableau);
    const sens_real rest = 1 - theta;
    const sens_real *c1 = coef + n, *c2 = coef + 2 * n, *c3 = coef + 3 * n, *bubble = coef + CUBIC * n;
    for (size_t q = 0; q < n; q++) {
        sens_real sum = 0;
        for (size_t d = terms; d-- > 0;) sum = sum * theta + bubble[d * n + q];
        y[q] = coef[q] + theta * (c1[q] + rest * (c2[q] + theta * (c3[q] + rest * sum)));
    }
}

const struct sens_scheme_dense sens_explicit_dense = {
    .create = create, .build = build, .eval = sens_explicit_dense_eval};
