/* methods/discrete/adjoint_sizes.h - how the discrete adjoint cuts its outputs into blocks, batches and
 * shares, from the sizes of the problem and of the caches. docs/performance.md says why. */
#ifndef ADJOINT_SIZES_H
#define ADJOINT_SIZES_H

#include <stdbool.h>

#include "adjoint_family.h"

struct adjoint_sizes {
    size_t L;       /* lanes of a whole block */
    size_t least;   /* lanes of a last block are a multiple of it, or L */
    size_t singles; /* so many outputs beyond whole vectors, or fewer, are blocks of one lane each */
    size_t unit;    /* outputs are shared out to the threads by so many */
    size_t K;       /* points of a batch, at least those of a step */
    size_t group;   /* blocks that travel together, at most */
    bool keep;      /* what a group finds at a point is worth keeping for the groups after it */
    int threads;
};

/* For a solve of so many steps. */
void adjoint_choose_sizes(const struct sens_ctx *ctx, const struct sens_task *task,
                          const struct adjoint_plan *plan, long steps, struct adjoint_sizes *size);

/* Lanes of a block with `rest` >= 1 outputs left to carry, its own among them: more than rest where some are idle. */
size_t adjoint_lanes(const struct adjoint_sizes *size, size_t rest);

#endif
