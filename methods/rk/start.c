/* The first trial step of the engine: the sizes that the rule of rules.h asks for, root mean squares over the
 * tested parts. */
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
    const sens_real h0 = sens_first_trial(d0, d1, limit);
    sens_erk_sum(ode->n, ode->n, 1, sign * h0, y, &one, f, y_euler);
    *step = sign * h0;
    const sens_status status = ode->f(ode->self, t + sign * h0, y_euler, f_euler);
    if (status != SENS_OK)
        return status < SENS_OK ? status : SENS_OK; /* h0 will be tried, and made smaller */

    const sens_real d2 = root_mean(sizes.tested, bend(erk, t, sign * h0)) / h0;
    *step = sign * sens_first_step(h0, d1, d2, tb->order);
    return SENS_OK;
}
