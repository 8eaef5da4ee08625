/* methods/tangent/tangent_along.h - the discrete tangent as followers of the state (followers.h) while its steps are
 * chosen, for tableaux of any family: blocks of directions through a trial by that family's own formula, with the
 * factors of the trial where these get there. */
#ifndef TANGENT_ALONG_H
#define TANGENT_ALONG_H

#include "followers.h"
#include "tangent_family.h"

struct tangent_along {
    const struct tangent_family *family;
    void *own;
    size_t blocks;
    struct tangent_block *block; /* [blocks]; s is of the trial at hand */
    const size_t *offset;        /* [blocks + 1] */
};

/* The family of a tableau; NULL, with a message: it has none. */
const struct tangent_family *tangent_family_of(struct sens_ctx *ctx, const struct sens_tableau *tableau);

/* For n_cols directions in the blocks that *along has, and their offsets, of at most L lanes; the arrays must stay.
 * SENS_NO_MEMORY. */
sens_status tangent_along_create(struct sens_ctx *ctx, const struct sens_task *task, size_t L, size_t n_cols,
                                 struct tangent_along *along);

/* As sens_followers.step has it; self: a struct tangent_along. The running cost is added to dG of the blocks. */
sens_status tangent_along_step(void *self, const struct sens_step *step, const sens_real *z,
                               const sens_real *f, sens_real *z1, sens_real *e);

/* Adds the vectors multiplied and solved for, and forgets them. */
void tangent_along_count(struct tangent_along *along, size_t idle, struct sens_work *work);

#endif
