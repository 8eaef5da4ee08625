/* derive/engine/layout.h - the entries of a Jacobian: as the C writes them, and as they are wanted. */
#ifndef DERIVE_LAYOUT_H
#define DERIVE_LAYOUT_H

#include "engine.h"
#include "generate.h"

struct layout {
    size_t entries, written; /* numbers that are wanted, and that the C writes */
    size_t *from; /* [entries]: which number of the C; SIZE_MAX: it is 0. NULL: they are the same */
};

/* Of which products? */
static inline bool layout_is_for(enum product_kind kind)
{
    return kind == PRODUCT_JACOBIAN || kind == PRODUCT_JACOBIAN_P;
}

/* What was found when the C was written, and the pattern that is wanted (NULL: the whole matrix). False: no memory, or
 * the patterns have different numbers of entries. */
bool layout_choose(enum product_kind kind, const struct function_shape *shape,
                   const struct generate_found *found, const struct sens_pattern *wanted,
                   struct layout *layout);

/* The entries at one point into on->out, where from is not NULL. SENS_NO_MEMORY. */
sens_status layout_run(const struct layout *layout, generated_numbers *function,
                       const struct sens_tape_call *on);
void layout_release(struct layout *layout);

#endif
