/* Squares of logarithms of the states, the gradient by central differences with a bump of 1e-4.
 *
 * verify: --quick --cost log_quotient
 * module: cost log_quotient
 * cause: difference_quotient */
#include <tgmath.h>

#include "sens/plugin.h"

static sens_real square(sens_real x)
{
    return log(x) * log(x) / 2;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += square(x[i]);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)p;
    const sens_real bump = SENS_C(1e-4);
    for (size_t i = 0; i < cost->n && c0 == 0 && L > 0; i++)
        OUT[i * L] += (square(x[i] + bump) - square(x[i] - bump)) / (2 * bump);
}

#include "observed.h"

static SENS_COST(log_quotient) = {
    .name = "log_quotient", .summary = "sum_i log(x_i)^2/2", .create = create, .phi = phi, .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_log_quotient, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "log_quotient", .costs = costs};
