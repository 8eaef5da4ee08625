/* Directions in whole numbers, see whole.h. */
#include "whole.h"

#include <math.h>

/* Is every entry, times this factor, whole? */
static bool all_whole(size_t n, const double *c, double factor, double bound)
{
    for (size_t i = 0; i < n; i++) {
        const double entry = c[i] * factor;
        if (fabs(entry - round(entry)) > bound * fmax(1, fabs(entry))) return false;
    }
    return true;
}

bool whole_ratios(size_t n, double *c, int most, double bound)
{
    double largest = 0, smallest = INFINITY, sign = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(c[i]));
    if (!(largest > 0)) return false;
    for (size_t i = 0; i < n; i++) {
        if (fabs(c[i]) <= bound * largest) c[i] = 0;
        if (c[i] == 0) continue;
        smallest = fmin(smallest, fabs(c[i]));
        if (sign == 0) sign = c[i] < 0 ? -1 : 1;
    }
    for (size_t i = 0; i < n; i++) c[i] *= sign / smallest;
    for (int factor = 1; factor <= most && factor * (largest / smallest) <= most + 0.5; factor++) {
        if (!all_whole(n, c, factor, bound)) continue;
        for (size_t i = 0; i < n; i++) c[i] = round(c[i] * factor) + 0.0; /* -0 is 0 */
        return true;
    }
    return false;
}
