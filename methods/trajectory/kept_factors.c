/* The factors of a solve's steps, see kept_factors.h. */
#include "kept_factors.h"

#include "shifted.h"

struct factors {
    struct sens_shifted *system[SENS_SCHEME_SYSTEMS];
    bool its; /* of the step itself */
};

struct sens_kept {
    struct sens_scheme *scheme;
    long steps;
    size_t count;       /* of a step's systems */
    struct factors *of; /* [steps] */
};

static void release(void *system)
{
    sens_shifted_release(system);
}

static sens_status create_like(struct sens_ctx *ctx, const struct sens_shifted *system, bool turned,
                               struct sens_shifted **made)
{
    const sens_status status = sens_shifted_like(ctx, system, turned, made);
    if (!*made) return status;
    const sens_status attached = sens_arena_attach(&ctx->arena, release, *made);
    if (attached != SENS_OK) sens_shifted_release(*made);
    return status != SENS_OK ? status : attached;
}

sens_status sens_kept_turn(struct sens_ctx *ctx, struct sens_scheme *scheme)
{
    sens_status status = SENS_OK;
    if (!scheme->type->systems) return SENS_OK;
    const struct sens_scheme_systems systems = scheme->type->systems(scheme);
    for (size_t i = 0; i < systems.count && status == SENS_OK; i++) {
        struct sens_shifted *turned;
        status = create_like(ctx, *systems.at[i], true, &turned);
        if (status == SENS_OK) *systems.at[i] = turned;
    }
    return status;
}

static sens_status create_all(struct sens_ctx *ctx, const struct sens_scheme_systems *systems,
                              struct sens_kept *kept)
{
    sens_status status = SENS_OK;
    kept->of = SENS_NEW(ctx, struct factors, (size_t)kept->steps);
    if (!kept->of) return SENS_NO_MEMORY;
    for (long k = 0; k < kept->steps; k++)
        for (size_t i = 0; i < systems->count && status == SENS_OK; i++) {
            const struct sens_shifted *const system = *systems->at[i];
            status = create_like(ctx, system, sens_shifted_turned(system), &kept->of[k].system[i]);
        }
    return status;
}

sens_status sens_kept_create(struct sens_ctx *ctx, struct sens_scheme *scheme, long steps,
                             struct sens_kept **made)
{
    double bytes = 0;
    *made = NULL;
    if (!scheme->type->systems) return SENS_OK;
    const struct sens_scheme_systems systems = scheme->type->systems(scheme);
    for (size_t i = 0; i < systems.count; i++)
        bytes += (double)steps * (double)sens_shifted_bytes(*systems.at[i]);
    struct sens_kept *const kept = SENS_NEW(ctx, struct sens_kept, 1);
    if (!kept) return SENS_NO_MEMORY;
    *kept = (struct sens_kept){.scheme = scheme, .steps = steps, .count = systems.count};
    const sens_status status = create_all(ctx, &systems, kept);
    if (status == SENS_OK) *made = kept;
    if (status != SENS_NO_MEMORY) return status;
    return sens_fail(ctx, status, "factors=kept: %ld steps take %.3g bytes; factors=again takes none", steps,
                     bytes);
}

void sens_kept_take(struct sens_kept *kept, long k)
{
    struct factors *const to = &kept->of[k];
    const struct sens_scheme_systems systems = kept->scheme->type->systems(kept->scheme);
    to->its = systems.its;
    for (size_t i = 0; i < systems.count; i++) {
        struct sens_shifted *const other = to->system[i];
        to->system[i] = *systems.at[i];
        *systems.at[i] = other;
    }
}

const struct sens_shifted *const *sens_kept_at(const struct sens_kept *kept, long k)
{
    return kept->of[k].its ? (const struct sens_shifted *const *)kept->of[k].system : NULL;
}

void sens_kept_count(const struct sens_kept *kept, struct sens_work *work)
{
    work->bytes_factors = 0;
    for (long k = 0; k < kept->steps; k++)
        for (size_t i = 0; i < kept->count; i++)
            work->bytes_factors += sens_shifted_bytes(kept->of[k].system[i]);
}
