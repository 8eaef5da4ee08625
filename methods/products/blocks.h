/* methods/products/blocks.h - how a list of outputs or directions is cut into lane blocks. */
#ifndef SENS_BLOCKS_H
#define SENS_BLOCKS_H

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

#endif
