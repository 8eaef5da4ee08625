/* The factors of a solve's steps, see kept_factors.h. */
#include "kept_factors.h"

#include "shifted.h"

struct factors {
    struct sens_shifted *system;
    bool its; /* of the step itself */
};

struct sens_kept {
    struct sens_scheme *scheme;
    long steps;
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
    bool its;
    struct sens_shifted *turned;
    if (!scheme->type->system) return SENS_OK;
    struct sens_shifted **const system = scheme->type->system(scheme, &its);
    const sens_status status = create_like(ctx, *system, true, &turned);
    if (status == SENS_OK) *system = turned;
    return status;
}

static sens_status create_all(struct sens_ctx *ctx, const struct sens_shifted *system, struct sens_kept *kept)
{
    sens_status status = SENS_OK;
    kept->of = SENS_NEW(ctx, struct factors, (size_t)kept->steps);
    if (!kept->of) return SENS_NO_MEMORY;
    for (long k = 0; k < kept->steps && status == SENS_OK; k++)
        status = create_like(ctx, system, sens_shifted_turned(system), &kept->of[k].system);
    return status;
}

sens_status sens_kept_create(struct sens_ctx *ctx, struct sens_scheme *scheme, long steps,
                             struct sens_kept **made)
{
    bool its;
    *made = NULL;
    if (!scheme->type->system) return SENS_OK;
    const struct sens_shifted *const system = *scheme->type->system(scheme, &its);
    const double bytes = (double)steps * (double)sens_shifted_bytes(system);
    struct sens_kept *const kept = SENS_NEW(ctx, struct sens_kept, 1);
    if (!kept) return SENS_NO_MEMORY;
    *kept = (struct sens_kept){.scheme = scheme, .steps = steps};
    const sens_status status = create_all(ctx, system, kept);
    if (status == SENS_OK) *made = kept;
    if (status != SENS_NO_MEMORY) return status;
    return sens_fail(ctx, status, "factors=kept: %ld steps take %.3g bytes; factors=again takes none", steps,
                     bytes);
}

void sens_kept_take(struct sens_kept *kept, long k)
{
    struct factors *const to = &kept->of[k];
    struct sens_shifted **const system = kept->scheme->type->system(kept->scheme, &to->its);
    struct sens_shifted *const other = to->system;
    to->system = *system;
    *system = other;
}

const struct sens_shifted *sens_kept_at(const struct sens_kept *kept, long k)
{
    return kept->of[k].its ? kept->of[k].system : NULL;
}

void sens_kept_count(const struct sens_kept *kept, struct sens_work *work)
{
    work->bytes_factors = 0;
    for (long k = 0; k < kept->steps; k++) work->bytes_factors += sens_shifted_bytes(kept->of[k].system);
}
