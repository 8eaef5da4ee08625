/* Readings of instruments, 1/2 (s x_i - j)^2 with the gain s = 1 + p_(np-1): the derivative by the gain lacks
 * its product with x.
 *
 * verify: --quick --cost mixed_term
 * module: cost mixed_term
 * cause: parameter_entry */

#include "sens/plugin.h"

static sens_real gain(const struct sens_cost *cost, const sens_real *p)
{
    return cost->np ? 1 + p[cost->np - 1] : 1;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    for (size_t i = 0; i < cost->n; i++) {
        const sens_real r = gain(cost, p) * x[i] - (sens_real)j;
        G[0] += r * r / 2;
    }
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += gain(cost, p) * (gain(cost, p) * x[i] - (sens_real)j);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU)
{
    if (c0 > 0 || L == 0 || !cost->np) return;
    for (size_t i = 0; i < cost->n; i++) MU[(cost->np - 1) * L] += gain(cost, p) * x[i] - (sens_real)j;
}

#include "observed.h"

static SENS_COST(mixed_term) = {.name = "mixed_term",
                                .summary = "readings with a gain",
                                .create = create,
                                .phi = phi,
                                .phi_dx = phi_dx,
                                .phi_dp = phi_dp};
static const struct sens_cost_type *const costs[] = {&sens_cost_mixed_term, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "mixed_term", .costs = costs};
