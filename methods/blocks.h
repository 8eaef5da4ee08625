/* methods/blocks.h - how a list of outputs or directions is cut into lane blocks. */
#ifndef SENS_BLOCKS_H
#define SENS_BLOCKS_H

#include <stdbool.h>

#include "sens/method.h"

/* The lane count of a task for `count` vectors: the one asked for, else 8, or the power of two that holds
 * fewer. */
static inline size_t sens_blocks_lanes(int asked, size_t count)
{
    if (asked > 0) return (size_t)asked;
    size_t lanes = 8;
    while (lanes > 1 && lanes / 2 >= count) lanes /= 2;
    return lanes;
}

/* Is every one of the numbers finite? */
static inline bool sens_blocks_finite(size_t count, const sens_real *v)
{
    sens_real sum = 0;
    for (size_t q = 0; q < count; q++) sum += v[q] - v[q]; /* 0, or NaN for a value that is infinite or NaN */
    return sum == 0;
}

#endif
