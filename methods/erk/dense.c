/* Dense output of a step: a polynomial in theta, stored by coefficients,
 *
 *     y(t + theta h) = coef_0 + coef_1 theta + ... + coef_D theta^D,
 *     coef_0 = y,   coef_d = h sum_i B_id K_i   (sens/tableau.h),
 *
 * or the cubic Hermite polynomial on (y, f, y1, f1), Hairer, Norsett, Wanner, Solving ODEs I, (II.6.7). */
#include <string.h>

#include "workspace.h"

enum { HERMITE_DEGREE = 3 };

static int degree(const struct sens_tableau *tableau)
{
    return tableau->dense_degree ? tableau->dense_degree : HERMITE_DEGREE;
}

size_t sens_dense_size(const struct sens_tableau *tableau, size_t n)
{
    return (size_t)(degree(tableau) + 1) * n;
}

/* The slope at t1: the last one of an FSAL pair, where t1 is t + h; else evaluated into `work`. */
static sens_status end_slope(const struct sens_tableau *tableau, const struct sens_ode *ode,
                             const struct sens_step *step, sens_real *work, const sens_real **f1)
{
    *f1 = work;
    if (!tableau->fsal || step->t1 != step->t + step->h) return ode->f(ode->self, step->t1, step->y1, work);
    *f1 = step->K + (size_t)(tableau->stages - 1) * ode->n;
    return SENS_OK;
}

static sens_status build_hermite(const struct sens_tableau *tableau, const struct sens_ode *ode,
                                 const struct sens_step *step, sens_real *work, sens_real *coef)
{
    const size_t n = ode->n;
    const sens_real *y = step->y, *y1 = step->y1, *f = step->K, *f1 = NULL;
    const sens_real h = step->h;
    const sens_status status = end_slope(tableau, ode, step, work, &f1);
    if (status != SENS_OK) return status;
    for (size_t q = 0; q < n; q++) {
        const sens_real rise = y1[q] - y[q], start = h * f[q], end = h * f1[q];
        coef[q] = y[q];
        coef[n + q] = start;
        coef[2 * n + q] = 3 * rise - 2 * start - end;
        coef[3 * n + q] = start + end - 2 * rise;
    }
    return SENS_OK;
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

sens_status sens_dense_build(const struct sens_tableau *tableau, const struct sens_ode *ode,
                             const struct sens_step *step, sens_real *work, sens_real *coef)
{
    enum { MAX_STAGES = 32 };
    const size_t n = ode->n;
    const int all = tableau->stages + tableau->extra_stages, D = tableau->dense_degree;
    if (D == 0) return build_hermite(tableau, ode, step, work, coef);
    if (all > MAX_STAGES) return SENS_UNSUPPORTED;
    const sens_status status = extra_slopes(tableau, ode, step, work, work + (size_t)all * n);
    if (status != SENS_OK) return status;
    memcpy(coef, step->y, n * sizeof *coef);
    for (int d = 1; d <= D; d++) {
        sens_real weight[MAX_STAGES];
        for (int i = 0; i < all; i++) weight[i] = tableau->dense[i * D + d - 1];
        sens_erk_sum(n, n, all, step->h, NULL, weight, work, coef + (size_t)d * n);
    }
    return SENS_OK;
}

void sens_dense_eval(const struct sens_tableau *tableau, size_t n, const sens_real *coef, sens_real theta,
                     sens_real *y)
{
    const int D = degree(tableau);
    for (size_t q = 0; q < n; q++) {
        sens_real value = coef[(size_t)D * n + q];
        for (int d = D - 1; d >= 0; d--) value = value * theta + coef[(size_t)d * n + q];
        y[q] = value;
    }
}
