/* Huber's loss of a width that is an option, by default far from any residual, against 0: the
 * sign is lost below, where no state is by itself.
 *
 * verify: --quick --cost huber_wide
 * module: cost huber_wide
 * cause: option_path */
#include <tgmath.h>

#include "sens/plugin.h"

/* r^2/2 up to the width, then width (|r| - width/2). */
static sens_real loss(sens_real r, sens_real width)
{
    return fabs(r) <= width ? r * r / 2 : width * (fabs(r) - width / 2);
}

static sens_real slope(sens_real r, sens_real width)
{
    return fabs(r) <= width ? r : width;
}

static sens_real width_of(const struct sens_cost *cost)
{
    return (sens_real)cost->option[0].number;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += loss(x[i], width_of(cost));
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)p;
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += slope(x[i], width_of(cost));
}

#include "observed.h"

static const struct sens_option options[] = {
    {.name = "width",
     .kind = SENS_OPT_REAL,
     .fallback = 100,
     .min = 1e-9,
     .max = 1e9,
     .help = "where the tails begin"},
    SENS_OPTIONS_END,
};

static SENS_COST(huber_wide) = {.name = "huber_wide",
                                .options = options,
                                .summary = "Huber's loss against 0",
                                .create = create,
                                .phi = phi,
                                .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_huber_wide, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "huber_wide", .costs = costs};
