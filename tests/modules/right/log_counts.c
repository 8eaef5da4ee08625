/* Counts of one, given the states as rates (Poisson), the gradient derived. Where a state is negative it has no value,
 * and no slope.
 *
 * verify: --quick --cost log_counts
 * recorded: yes */
#include <tgmath.h>

#include "sens/plugin.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += x[i] - log(x[i]);
}

#include "observed.h"

static SENS_COST(log_counts) = {
    .name = "log_counts", .summary = "Poisson likelihood of counts of one", .create = create, .phi = phi};
static const struct sens_cost_type *const costs[] = {&sens_cost_log_counts, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "log_counts", .costs = costs};
