/* Steps of the discrete adjoint that were made for the problem, see adjoint_engine.h. */
#include "adjoint_engine.h"

static sens_status find(struct sens_ctx *ctx, const struct sens_step_engine *engine, size_t L, bool with_mu,
                        sens_step_reverse **made)
{
    const char *why = "";
    const sens_status status = engine->reverse(engine, L, with_mu, made, &why);
    return status == SENS_OK ? status : sens_fail(ctx, SENS_UNSUPPORTED, "engine=compiled: %s", why);
}

sens_status adjoint_engine_create(struct sens_ctx *ctx, const struct sens_task *task,
                                  const struct adjoint_sizes *size, size_t points, size_t share,
                                  struct adjoint_engine *steps)
{
    const struct sens_step_engine *engine = sens_problem_engine(task->problem, task->tableau);
    const bool with_mu = task->parts & SENS_IN_DGDP;
    const size_t L = size->L, rest = share % L;
    *steps = (struct adjoint_engine){.engine = engine, .L = L, .points = points};
    if (!engine) return SENS_OK;
    if (task->cost->type->g)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "engine=compiled: cost %s has a running part, which compiled steps do not take; "
                         "engine=library does",
                         task->cost->type->name);
    sens_status status = share >= L ? find(ctx, engine, L, with_mu, &steps->whole) : SENS_OK;
    steps->last = steps->whole;
    if (status == SENS_OK && rest > 0)
        status = find(ctx, engine, adjoint_lanes(size, rest), with_mu, &steps->last);
    return status;
}

bool adjoint_engine_step(struct adjoint_engine *steps, const sens_real *p, const struct sens_step *step,
                         size_t blocks, const struct adjoint_block *block)
{
    const struct sens_step_engine *engine = steps->engine;
    if (engine->holds && !engine->holds(engine, step->t, step->h, p, step->Y)) return false;
    for (size_t b = 0; b < blocks; b++) {
        sens_step_reverse *const reverse =
            block[b].L == steps->L && steps->whole ? steps->whole : steps->last;
        reverse(step->t, step->h, p, step->Y, block[b].lambda, block[b].mu);
        steps->vectors += steps->points * block[b].L;
    }
    return true;
}

void adjoint_engine_count(struct adjoint_engine *steps, bool with_mu, struct sens_work *work)
{
    work->vjp += steps->vectors;
    if (with_mu) work->vjp_p += steps->vectors;
    steps->vectors = 0;
}
