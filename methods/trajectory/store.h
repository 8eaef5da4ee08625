/* methods/trajectory/store.h - how the stages of the steps of a solve are kept, and got back.
 *
 * A policy is one file store_NAME.c that ends in a sens_store_type, and one line in SENS_STORE_LIST. The times of the
 * steps are not its business: the trajectory keeps them always (step.h). */
#ifndef SENS_STORE_H
#define SENS_STORE_H

#include "scheme.h"

/* Copied; what it points to must outlive the store. */
struct sens_store_setup {
    struct sens_scheme_setup scheme; /* to compute stages again */
    size_t stage_size;               /* numbers of a step's stages */
    const struct sens_grid *grid;    /* of known length; filled while the steps are kept */
    long number;                     /* of the policy, set by sens_store_create */
};

struct sens_store { /* the head of each policy's own struct */
    const struct sens_store_type *type;
    struct sens_store_setup with;
    size_t bytes;         /* of what is kept, and of all readers */
    unsigned long solves; /* begun so far: what a reader has of an earlier one is out of date */
};

struct sens_store_reader { /* likewise; one a thread */
    struct sens_store *store;
};

struct sens_store_type {
    struct sens_ckpt_policy policy; /* first: a task names its store by it */

    /* For as many steps as the grid has; memory from the arena. SENS_NO_MEMORY. */
    sens_status (*create)(struct sens_ctx *ctx, const struct sens_store_setup *setup,
                          struct sens_store **store);

    /* Where the solver is to write the stages of step k, [stage_size]; NULL: nowhere in particular. The slot
     * may be NULL, too. self: the store. */
    sens_real *(*place)(void *self, long k);

    /* An accepted step, in order. NULL: its stages are in place. */
    void (*keep)(struct sens_store *store, const struct sens_step *step);

    /* Memory from the arena, its bytes added to the store's. SENS_NO_MEMORY. */
    sens_status (*reader)(struct sens_ctx *ctx, struct sens_store *store, struct sens_store_reader **reader);

    /* The stages of step k, valid until the reader's next call; bit for bit those of the solve. Any status of
     * f. */
    sens_status (*load)(struct sens_store_reader *reader, long k, const sens_real **Y);

    /* Adds what a reader computed again, as sens_scheme_count. NULL: nothing. */
    void (*count)(struct sens_store_reader *reader, struct sens_work *work);
};

/* Every policy; the first one is the default. */
#define SENS_STORE_LIST(X)                                                                                   \
    X(stages)                                                                                                \
    X(every)

#define SENS_STORE_EXTERN(name) extern const struct sens_store_type sens_store_##name;
SENS_STORE_LIST(SENS_STORE_EXTERN)
#undef SENS_STORE_EXTERN

/* Of that list, NULL-terminated. Each is the head of a sens_store_type. */
extern const struct sens_ckpt_policy *const sens_ckpt_policies[];

/* The store that a task names. SENS_BAD_INPUT for a number that is none; else as type->create. */
sens_status sens_store_create(struct sens_ctx *ctx, const struct sens_ckpt *ckpt,
                              const struct sens_store_setup *setup, struct sens_store **store);

/* rows of `row` numbers from the arena; NULL: no memory. */
sens_real *sens_store_rows(struct sens_ctx *ctx, size_t rows, size_t row);

#endif
