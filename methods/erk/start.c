/* The first trial step, Hairer, Norsett, Wanner, Solving ODEs I, section II.4: with sc_i = atol + rtol |y_i|
 * and the root mean square over the tested parts,
 *
 *     d0 = |y0 / sc|, d1 = |f0 / sc|, h0 = d0 / (100 d1);   d2 = |(f(t + h0, y0 + h0 f0) - f0) / sc| / h0,
 *     h1 = (0.01 / max(d1, d2))^(1/(p+1)),   h = min(100 h0, h1). */
#include <tgmath.h>

#include "workspace.h"

sens_real sens_erk_scaled_squares(const struct sens_ode_part *part, const sens_real *y, const sens_real *v,
                                  const sens_real *minus)
{
    sens_real sum = 0;
    for (size_t q = 0; q < part->count; q++) {
        const sens_real scale = part->atol + part->rtol * fabs(y[q]);
        const sens_real value = minus ? v[q] - minus[q] : v[q];
        if (value != 0) sum += (value / scale) * (value / scale);
    }
    return sum;
}

static struct sens_first_sizes sizes_at_start(const struct sens_erk *erk, sens_real t)
{
    const struct sens_ode *ode = erk->ode;
    struct sens_first_sizes sizes = {0, 0, 0};
    size_t q = 0;
    for (size_t k = 0; k < ode->n_parts; q += ode->part[k].count, k++) {
        const struct sens_ode_part *part = &ode->part[k];
        if (!part->tested) continue;
        sizes.d0 += sens_erk_scaled_squares(part, erk->Y + q, erk->Y + q, NULL);
        sizes.d1 += sens_erk_scaled_squares(part, erk->Y + q, erk->K + q, NULL);
        sizes.tested += part->count;
    }
    if (erk->follow) sens_follow_sizes(erk->follow, t, erk->Y, &sizes);
    return sizes;
}

/* The sum of the squares of the slope's change over an Euler step of h, which Y and K row 1 hold. */
static sens_real bend(const struct sens_erk *erk, sens_real t, sens_real h)
{
    const struct sens_ode *ode = erk->ode;
    const size_t n = ode->n;
    sens_real sum = 0;
    size_t q = 0;
    for (size_t k = 0; k < ode->n_parts; q += ode->part[k].count, k++)
        if (ode->part[k].tested)
            sum += sens_erk_scaled_squares(&ode->part[k], erk->Y + q, erk->K + n + q, erk->K + q);
    if (erk->follow) sum += sens_follow_bend(erk->follow, t, h, erk->Y + n);
    return sum;
}

static sens_real root_mean(size_t count, sens_real sum)
{
    return count ? sqrt(sum / (sens_real)count) : 0;
}

sens_status sens_erk_first_step(const struct sens_erk *erk, sens_real t, sens_real t_end, sens_real *step)
{
    const struct sens_ode *ode = erk->ode;
    const struct sens_tableau *tb = erk->settings->tableau;
    const sens_real *y = erk->Y, *f = erk->K, one = 1;
    sens_real *y_euler = erk->Y + ode->n, *f_euler = erk->K + ode->n;
    const sens_real limit = fabs(t_end - t), sign = t_end > t ? 1 : -1;

    const struct sens_first_sizes sizes = sizes_at_start(erk, t);
    const sens_real d0 = root_mean(sizes.tested, sizes.d0), d1 = root_mean(sizes.tested, sizes.d1);
    sens_real h0 = d0 < SENS_C(1e-5) || d1 < SENS_C(1e-5) ? SENS_C(1e-6) : SENS_C(0.01) * d0 / d1;
    if (!(h0 > 0)) h0 = SENS_C(1e-6); /* d1 is infinite where a scale is 0 */
    h0 = fmin(h0, limit);
    sens_erk_sum(ode->n, ode->n, 1, sign * h0, y, &one, f, y_euler);
    *step = sign * h0;
    const sens_status status = ode->f(ode->self, t + sign * h0, y_euler, f_euler);
    if (status != SENS_OK)
        return status < SENS_OK ? status : SENS_OK; /* h0 will be tried, and made smaller */

    const sens_real steepest = fmax(d1, root_mean(sizes.tested, bend(erk, t, sign * h0)) / h0);
    const sens_real h1 = steepest <= SENS_C(1e-15)
                             ? fmax(SENS_C(1e-6), h0 * SENS_C(1e-3))
                             : pow(SENS_C(0.01) / steepest, 1 / (sens_real)(tb->order + 1));
    const sens_real h = fmin(100 * h0, h1);
    if (isfinite(h) && h > 0) *step = sign * h;
    return SENS_OK;
}
