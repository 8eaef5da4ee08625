/* Dense output of a step. Every interpolant of the engine is continuously differentiable: the cubic Hermite
 * polynomial on (y, f, y1, f1), Hairer, Norsett, Wanner, Solving ODEs I, (II.6.7), plus, where the tableau
 * has one of degree D >= 4, a polynomial that vanishes with its derivative at both ends. With s = 1 - theta,
 *
 *     y(t + theta h) = y + theta (c1 + s (c2 + theta (c3 + s q(theta)))),   q = sum_d q_(d-4) theta^(d-4),
 *     c1 = y1 - y,  c2 = h f - c1,  c3 = c1 - h f1 - c2,
 *     q_(d-4) = h sum_i Q_id K_i,  Q_id = B_id + 2 Q_i,d+1 - Q_i,d+2   (d = D ... 4, B of sens/tableau.h),
 *
 * which is the sum of B_id theta^d without its cancellation: the ends are exact to an ulp, and the large
 * weights of a high order are multiplied by (theta s)^2 <= 1/16. */
#include <string.h>

#include "workspace.h"

enum { MAX_STAGES = 32, CUBIC = 4 /* numbers of a cubic */ };

static size_t bubble_terms(const struct sens_tableau *tableau)
{
    return tableau->dense_degree > 3 ? (size_t)tableau->dense_degree - 3 : 0;
}

size_t sens_dense_size(const struct sens_tableau *tableau, size_t n)
{
    return (CUBIC + bubble_terms(tableau)) * n;
}

/* K [stages + extra_stages][n], the extra ones through a stage state Y [n]. */
static sens_status extra_slopes(const struct sens_tableau *tableau, const struct sens_ode *ode,
                                const struct sens_step *step, sens_real *K, sens_real *Y)
{
    const size_t n = ode->n;
    const int all = tableau->stages + tableau->extra_stages;
    memcpy(K, step->K, (size_t)tableau->stages * n * sizeof *K);
    for (int i = tableau->stages; i < all; i++) {
        sens_erk_sum(n, n, i, step->h, step->y, tableau->a + i * all, K, Y);
        const sens_status status =
            ode->f(ode->self, sens_stage_time(tableau, step->t, step->h, i), Y, K + (size_t)i * n);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

/* The slope at the end: the last stage of an FSAL pair, else the first extra stage, else evaluated into
 * `work`. */
static sens_status end_slope(const struct sens_tableau *tableau, const struct sens_ode *ode,
                             const struct sens_step *step, const sens_real *K, sens_real *work,
                             const sens_real **f1)
{
    const bool known = tableau->fsal || tableau->extra_stages > 0;
    const int stage = tableau->fsal ? tableau->stages - 1 : tableau->stages;
    *f1 = known ? K + (size_t)stage * ode->n : work;
    return known ? SENS_OK : ode->f(ode->self, step->t1, step->y1, work);
}

static void build_cubic(size_t n, const struct sens_step *step, const sens_real *f1, sens_real *coef)
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
    sens_real next[MAX_STAGES] = {0}, after[MAX_STAGES] = {0};
    for (int d = D; d >= 4; d--) {
        for (int i = 0; i < all; i++) {
            const sens_real Q = tableau->dense[i * D + d - 1] + 2 * next[i] - after[i];
            after[i] = next[i];
            next[i] = Q;
        }
        sens_erk_sum(n, n, all, h, NULL, next, K, q + (size_t)(d - 4) * n);
    }
}

sens_status sens_dense_build(const struct sens_tableau *tableau, const struct sens_ode *ode,
                             const struct sens_step *step, sens_real *work, sens_real *coef)
{
    const size_t n = ode->n;
    const int all = tableau->stages + tableau->extra_stages;
    const sens_real *K = step->K, *f1 = NULL;
    if (all > MAX_STAGES) return SENS_UNSUPPORTED;
    sens_status status = SENS_OK;
    if (tableau->extra_stages > 0) {
        status = extra_slopes(tableau, ode, step, work, work + (size_t)all * n);
        K = work;
    }
    if (status == SENS_OK) status = end_slope(tableau, ode, step, K, work, &f1);
    if (status != SENS_OK) return status;
    build_cubic(n, step, f1, coef);
    if (bubble_terms(tableau) > 0) build_bubble(tableau, n, step->h, K, coef + CUBIC * n);
    return SENS_OK;
}

void sens_dense_eval(const struct sens_tableau *tableau, size_t n, const sens_real *coef, sens_real theta,
                     sens_real *y)
{
    const size_t terms = bubble_terms(tableau);
    const sens_real rest = 1 - theta;
    const sens_real *c1 = coef + n, *c2 = coef + 2 * n, *c3 = coef + 3 * n, *bubble = coef + CUBIC * n;
    for (size_t q = 0; q < n; q++) {
        sens_real sum = 0;
        for (size_t d = terms; d-- > 0;) sum = sum * theta + bubble[d * n + q];
        y[q] = coef[q] + theta * (c1[q] + rest * (c2[q] + theta * (c3[q] + rest * sum)));
    }
}
