/* Every k-th state. The steps of one interval between kept states are computed again together, by the scheme
 * that took them and therefore bit for bit, into a window of k steps. */
#include <string.h>

#include "store.h"

struct every {
    struct sens_store store;
    long every;
    sens_real *y; /* [kept][n] */
};

struct window {
    struct sens_store_reader reader;
    struct sens_scheme *scheme;
    long first, count; /* steps first ... first + count - 1 are here */
    unsigned long solve;
    sens_real *Y; /* [min(every, steps)][stage_size] */
};

static sens_status create(struct sens_ctx *ctx, const struct sens_store_setup *setup,
                          struct sens_store **store)
{
    const size_t steps = (size_t)setup->grid->n_steps, n = setup->scheme.ode->n;
    const size_t kept = (steps - 1) / (size_t)setup->number + 1;
    struct every *made = SENS_NEW(ctx, struct every, 1);
    if (!made) return SENS_NO_MEMORY;
    *made = (struct every){.store = {.type = &sens_store_every, .with = *setup}, .every = setup->number};
    made->y = sens_store_rows(ctx, kept, n);
    made->store.bytes = kept * n * sizeof(sens_real);
    *store = &made->store;
    return made->y ? SENS_OK : SENS_NO_MEMORY;
}

static void keep(struct sens_store *store, const struct sens_step *step)
{
    const struct every *kept = (const struct every *)store;
    const size_t n = store->with.scheme.ode->n;
    if (step->k % kept->every == 0)
        memcpy(kept->y + (size_t)(step->k / kept->every) * n, step->y, n * sizeof *step->y);
}

static sens_status create_reader(struct sens_ctx *ctx, struct sens_store *store,
                                 struct sens_store_reader **reader)
{
    const long every = ((const struct every *)store)->every, steps = store->with.grid->n_steps;
    const size_t rows = (size_t)(every < steps ? every : steps);
    struct window *window = SENS_NEW(ctx, struct window, 1);
    if (!window) return SENS_NO_MEMORY;
    const sens_status status = sens_scheme_create(ctx, &store->with.scheme, &window->scheme);
    if (status != SENS_OK) return status;
    window->reader.store = store;
    window->Y = sens_store_rows(ctx, rows, store->with.stage_size);
    if (!window->Y) return SENS_NO_MEMORY;
    store->bytes += rows * store->with.stage_size * sizeof(sens_real) + window->scheme->bytes;
    *reader = &window->reader;
    return SENS_OK;
}

/* Computes the interval of steps that holds step k. */
static sens_status fill(struct window *window, long k)
{
    const struct every *kept = (const struct every *)window->reader.store;
    const struct sens_store_setup *with = &kept->store.with;
    const struct sens_grid *grid = with->grid;
    struct sens_scheme *scheme = window->scheme;
    const long interval = k / kept->every, first = interval * kept->every;
    const long count = first + kept->every < grid->n_steps ? kept->every : grid->n_steps - first;
    const sens_real *y = kept->y + (size_t)interval * with->scheme.ode->n;
    window->count = 0;
    scheme->type->start(scheme, grid->t[first], y, window->Y);
    for (long j = 0; j < count; j++) {
        const long step = first + j;
        sens_real *next = j + 1 < count ? window->Y + (size_t)(j + 1) * with->stage_size : NULL;
        sens_scheme_take(scheme, grid, step);
        const sens_status status = scheme->type->restage(scheme, grid->h[step], grid->t[step + 1], next);
        if (status != SENS_OK) return status;
    }
    window->first = first;
    window->count = count;
    window->solve = kept->store.solves;
    return SENS_OK;
}

static sens_status load(struct sens_store_reader *reader, long k, const sens_real **Y)
{
    struct window *window = (struct window *)reader;
    if (window->solve != reader->store->solves || k < window->first || k >= window->first + window->count) {
        const sens_status status = fill(window, k);
        if (status != SENS_OK) return status;
    }
    *Y = window->Y + (size_t)(k - window->first) * reader->store->with.stage_size;
    return SENS_OK;
}

static void count(struct sens_store_reader *reader, struct sens_work *work)
{
    sens_scheme_count(((struct window *)reader)->scheme, work);
}

const struct sens_store_type sens_store_every = {
    .policy =
        {.name = "every",
         .summary =
             "every:K, or K alone: every K-th state (states: every:1); steps between are computed again",
         .numbered = true},
    .create = create,
    .keep = keep,
    .reader = create_reader,
    .load = load,
    .count = count,
};
