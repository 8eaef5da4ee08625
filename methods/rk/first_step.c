/* The first trial step: the sizes that the rule of rules.h asks for, root mean squares over the tested parts
 * of the state and over the followers, at the start and at the end of an Euler step from there. */
#include <tgmath.h>

#include "first_step.h"
#include "followers.h"
#include "rules.h"

struct sizes { /* sums of squares over the tested components: of y0 / sc and f0 / sc, sc = atol + rtol |y0| */
    size_t tested;
    sens_real d0, d1;
};

/* The sum of ((v - minus) / sc)^2 over one part; minus may be NULL. */
static sens_real scaled_squares(const struct sens_ode_part *part, const sens_real *y, const sens_real *v,
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

/* The same over block b, whose rows have one tolerance or each its own. */
static sens_real block_squares(const struct sens_followers *who, size_t b, const sens_real *z,
                               const sens_real *v, const sens_real *minus)
{
    const size_t size = who->offset[b + 1] - who->offset[b];
    struct sens_ode_part part = who->part;
    sens_real sum = 0;
    size_t q = 0;
    part.count = size;
    if (!who->rows) return scaled_squares(&part, z, v, minus);
    for (size_t k = 0; k < who->rows->n_parts; k++, q += part.count) {
        part = who->rows->part[k];
        part.count *= size / who->rows->n;
        sum += scaled_squares(&part, z + q, v + q, minus ? minus + q : NULL);
    }
    return sum;
}

/* ---- the sums ------------------------------------------------------------------------------------------ */

static void add_followers(const struct sens_first_step *first, const struct sens_scheme *scheme,
                          struct sizes *sizes)
{
    const struct sens_followers *who = first->followers;
    who->at(who->self, 0, scheme->t, scheme->Y);
    for (size_t b = 0; b < who->blocks; b++) {
        const sens_real *z = scheme->z + who->offset[b];
        who->slope(who->self, 0, b, z, first->F);
        sizes->d0 += block_squares(who, b, z, z, NULL);
        sizes->d1 += block_squares(who, b, z, first->F, NULL);
        sizes->tested += who->count[b];
    }
}

static struct sizes sizes_at_start(const struct sens_first_step *first, const struct sens_scheme *scheme,
                                   const sens_real *f)
{
    const struct sens_ode *ode = first->ode;
    struct sizes sizes = {0, 0, 0};
    size_t q = 0;
    for (size_t k = 0; k < ode->n_parts; q += ode->part[k].count, k++) {
        const struct sens_ode_part *part = &ode->part[k];
        if (!part->tested) continue;
        sizes.d0 += scaled_squares(part, scheme->Y + q, scheme->Y + q, NULL);
        sizes.d1 += scaled_squares(part, scheme->Y + q, f + q, NULL);
        sizes.tested += part->count;
    }
    if (first->followers) add_followers(first, scheme, &sizes);
    return sizes;
}

static void euler(size_t n, const sens_real *y, sens_real h, const sens_real *f, sens_real *to)
{
    for (size_t q = 0; q < n; q++) to[q] = y[q] + h * f[q];
}

/* The sum of ((F(t + h, z + h F) - F) / sc)^2 over the followers; slope 0 is still at (t, y). */
static sens_real bend_followers(const struct sens_first_step *first, const struct sens_scheme *scheme,
                                sens_real h)
{
    const struct sens_followers *who = first->followers;
    sens_real squares = 0;
    who->at(who->self, 1, scheme->t + h, first->y_euler);
    for (size_t b = 0; b < who->blocks; b++) {
        const sens_real *z = scheme->z + who->offset[b];
        who->slope(who->self, 0, b, z, first->F);
        euler(who->offset[b + 1] - who->offset[b], z, h, first->F, first->Z);
        who->slope(who->self, 1, b, first->Z, first->F_euler);
        squares += block_squares(who, b, z, first->F_euler, first->F);
    }
    return squares;
}

/* The sum of the squares of the slope's change over an Euler step of h. */
static sens_real bend(const struct sens_first_step *first, const struct sens_scheme *scheme,
                      const sens_real *f, sens_real h)
{
    const struct sens_ode *ode = first->ode;
    sens_real sum = 0;
    size_t q = 0;
    for (size_t k = 0; k < ode->n_parts; q += ode->part[k].count, k++)
        if (ode->part[k].tested)
            sum += scaled_squares(&ode->part[k], scheme->Y + q, first->f_euler + q, f + q);
    if (first->followers) sum += bend_followers(first, scheme, h);
    return sum;
}

/* ---- the step ------------------------------------------------------------------------------------------ */

static sens_real root_mean(size_t count, sens_real sum)
{
    return count ? sqrt(sum / (sens_real)count) : 0;
}

sens_status sens_first_step_find(const struct sens_first_step *first, struct sens_scheme *scheme,
                                 const sens_real *f, sens_real t_end, sens_real *step)
{
    const struct sens_ode *ode = first->ode;
    const sens_real t = scheme->t, limit = fabs(t_end - t), sign = t_end > t ? 1 : -1;
    const struct sizes sizes = sizes_at_start(first, scheme, f);
    const sens_real d0 = root_mean(sizes.tested, sizes.d0), d1 = root_mean(sizes.tested, sizes.d1);
    const sens_real h0 = sens_first_trial(d0, d1, limit);
    euler(ode->n, scheme->Y, sign * h0, f, first->y_euler);
    *step = sign * h0;
    if (ode->problem && ode->problem->mass) return SENS_OK; /* f is no slope: how it bends tells nothing */
    scheme->did.slopes++;
    const sens_status status = sens_slope(ode, t + sign * h0, first->y_euler, first->f_euler);
    if (status != SENS_OK)
        return sens_fatal(status) ? status : SENS_OK; /* h0 will be tried, and made smaller */

    const sens_real d2 = root_mean(sizes.tested, bend(first, scheme, f, sign * h0)) / h0;
    *step = sign * sens_first_step(h0, d1, d2, scheme->with.tableau->order);
    return SENS_OK;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

sens_status sens_first_step_create(struct sens_ctx *ctx, const struct sens_ode *ode,
                                   struct sens_first_step *first)
{
    *first = (struct sens_first_step){
        .ode = ode, .y_euler = SENS_NEW(ctx, sens_real, ode->n), .f_euler = SENS_NEW(ctx, sens_real, ode->n)};
    return first->y_euler && first->f_euler ? SENS_OK : SENS_NO_MEMORY;
}

sens_status sens_first_step_follow(struct sens_ctx *ctx, const struct sens_followers *followers,
                                   struct sens_first_step *first)
{
    size_t largest = 0;
    if (!followers->part.tested) return SENS_OK;
    for (size_t b = 0; b < followers->blocks; b++) {
        const size_t size = followers->offset[b + 1] - followers->offset[b];
        if (size > largest) largest = size;
    }
    first->followers = followers;
    first->Z = SENS_NEW(ctx, sens_real, largest);
    first->F = SENS_NEW(ctx, sens_real, largest);
    first->F_euler = SENS_NEW(ctx, sens_real, largest);
    return first->Z && first->F && first->F_euler ? SENS_OK : SENS_NO_MEMORY;
}
