/* Sensitivities without units, see scaled.h. */
#include "scaled.h"

#include <math.h>

static const double known = 0.1; /* part of a state that its error may be */

bool scaled_state_vanishes(const struct analysis *analysis, size_t j, size_t i)
{
    const double x = solution_state(analysis, &analysis->closer, j, i);
    const double off = fabs(x - solution_state(analysis, &analysis->at_tol, j, i));
    return off >= known * fabs(x) || fabs(x) <= (double)analysis->cell->task.atol;
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

/* The largest of a state over all times, put at all times. */
static void take_largest(const struct analysis *analysis, size_t i, double *unit)
{
    double largest = NAN;
    for (size_t j = 0; j < analysis->grid.times; j++) largest = fmax(largest, unit[j * analysis->n + i]);
    for (size_t j = 0; j < analysis->grid.times; j++) unit[j * analysis->n + i] = largest;
}

sens_status scaled_units(struct sens_ctx *ctx, const struct analysis *analysis,
                         const struct solution *solution, enum scale scale, double **unit)
{
    const size_t n = analysis->n, times = analysis->grid.times;
    double *const made = SENS_NEW(ctx, double, times *n);
    if (!made) return SENS_NO_MEMORY;
    for (size_t j = 0; j < times; j++)
        for (size_t i = 0; i < n; i++)
            made[j * n + i] =
                scaled_state_vanishes(analysis, j, i) ? NAN : fabs(solution_state(analysis, solution, j, i));
    for (size_t i = 0; scale == SCALE_LARGEST && i < n; i++) take_largest(analysis, i, made);
    *unit = made;
    return SENS_OK;
}
