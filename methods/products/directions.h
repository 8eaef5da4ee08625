/* methods/products/directions.h - how directions s = dx/dq are cut into lane blocks. */
#ifndef SENS_DIRECTIONS_H
#define SENS_DIRECTIONS_H

#include "blocks.h"

enum { DIRECTIONS_VECTOR = 8 }; /* lanes of the widest vector registers, and of two or four narrower ones */

/* The lane count for `count` directions of n components, of which a step works with `vectors` blocks at a
 * time: the one asked for, else as many whole vectors as keep those blocks in the first-level cache. A matter
 * of rounding errors, so that it must not depend on the machine: 32 KiB is small today. More than three
 * vectors gain nothing (generalised Lotka-Volterra, n = 5 ... 100). */
static inline size_t sens_directions_lanes(int asked, size_t count, size_t n, size_t vectors)
{
    enum { CACHE = 32 << 10, MOST = 3 };
    if (asked > 0 || count <= DIRECTIONS_VECTOR) return sens_blocks_lanes(asked, count);
    const size_t needed = (count + DIRECTIONS_VECTOR - 1) / DIRECTIONS_VECTOR;
    size_t whole = CACHE / (DIRECTIONS_VECTOR * sizeof(sens_real)) / (n * vectors);
    if (whole > MOST) whole = MOST;
    if (whole > needed) whole = needed;
    return (whole > 0 ? whole : 1) * DIRECTIONS_VECTOR;
}

/* Width of a block for the `left` directions that are left: L, or fewer made up to whole vectors. */
static inline size_t sens_directions_width(size_t L, size_t left)
{
    const size_t whole = (left + DIRECTIONS_VECTOR - 1) / DIRECTIONS_VECTOR * DIRECTIONS_VECTOR;
    return whole < L ? whole : L;
}

#endif
