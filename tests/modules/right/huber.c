/* Huber's loss, whose slope has kinks.
 *
 * verify: --quick --cost huber */
#include <tgmath.h>

#include "sens/plugin.h"

/* Huber's loss: r^2/2 up to 3, then 3 |r| - 9/2. */
static sens_real loss(sens_real r)
{
    return fabs(r) <= 3 ? r * r / 2 : 3 * fabs(r) - SENS_C(4.5);
}

static sens_real slope(sens_real r)
{
    return fabs(r) <= 3 ? r : r > 0 ? 3 : -3;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += loss(x[i] - (sens_real)j);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)p;
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += slope(x[i] - (sens_real)j);
}

#include "observed.h"

static SENS_COST(huber) = {.name = "huber",
                           .summary = "Huber's loss against 0, 1, 2, 3",
                           .create = create,
                           .phi = phi,
                           .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_huber, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "huber", .costs = costs};
