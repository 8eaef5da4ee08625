/* All stages of every step: the solver writes them straight into their place. */
#include "store.h"

struct stages {
    struct sens_store store;
    sens_real *Y; /* [steps][stage_size] */
};

static sens_status create(struct sens_ctx *ctx, const struct sens_store_setup *setup,
                          struct sens_store **store)
{
    const size_t steps = (size_t)setup->grid->n_steps;
    struct stages *made = SENS_NEW(ctx, struct stages, 1);
    if (!made) return SENS_NO_MEMORY;
    *made = (struct stages){.store = {.type = &sens_store_stages, .with = *setup}};
    made->Y = sens_store_rows(ctx, steps, setup->stage_size);
    made->store.bytes = steps * setup->stage_size * sizeof(sens_real);
    *store = &made->store;
    return made->Y ? SENS_OK : SENS_NO_MEMORY;
}

static sens_real *place(void *self, long k)
{
    const struct stages *kept = self;
    return k < kept->store.with.grid->n_steps ? kept->Y + (size_t)k * kept->store.with.stage_size : NULL;
}

static sens_status create_reader(struct sens_ctx *ctx, struct sens_store *store,
                                 struct sens_store_reader **reader)
{
    *reader = SENS_NEW(ctx, struct sens_store_reader, 1);
    if (!*reader) return SENS_NO_MEMORY;
    (*reader)->store = store;
    return SENS_OK;
}

static sens_status load(struct sens_store_reader *reader, long k, const sens_real **Y)
{
    const struct stages *kept = (const struct stages *)reader->store;
    *Y = kept->Y + (size_t)k * kept->store.with.stage_size;
    return SENS_OK;
}

const struct sens_store_type sens_store_stages = {
    .policy = {.name = "stages", .summary = "all stages of every step", .stages = true},
    .create = create,
    .place = place,
    .reader = create_reader,
    .load = load,
};
