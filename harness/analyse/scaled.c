/* Sensitivities without units, see scaled.h. */
#include "scaled.h"

#include <math.h>

bool scaled_state_vanishes(const struct analysis *analysis, size_t j, size_t i)
{
    const double x = solution_state(analysis, &analysis->closer, j, i);
    const double off = fabs(x - solution_state(analysis, &analysis->at_tol, j, i));
    return fabs(x) <= off || x == 0;
}

double scaled_half(const struct analysis *analysis, const struct solution *solution, size_t j, size_t i,
                   size_t k)
{
    const double p = (double)analysis->p[k];
    return p == 0 ? NAN : p * solution_slope(analysis, solution, j, i, k);
}

double scaled_full(const struct analysis *analysis, const struct solution *solution, size_t j, size_t i,
                   size_t k)
{
    if (scaled_state_vanishes(analysis, j, i)) return NAN;
    return scaled_half(analysis, solution, j, i, k) / solution_state(analysis, solution, j, i);
}
