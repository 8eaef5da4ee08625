/* Quantities h(t, x, p) of a model: their list of operations, its values and its reverse sweep. */
#include "observe.h"

#include "written.h"

struct observed {
    struct program program;
    struct evaluation h;
    struct evaluation_scratch *scratch;
};

static sens_real value(const struct sens_observer *observer, const struct sens_at *at, size_t k)
{
    const struct observed *observed = observer->data;
    const struct workspace work = workspace_take(observed->scratch);
    evaluation_values(&observed->h, at, &work);
    const sens_real h = work.value[observed->program.output[k]];
    workspace_give(&work);
    return h;
}

static void pull(const struct sens_observer *observer, const struct sens_at *at, size_t k, sens_real w,
                 size_t lane, size_t L, sens_real *X, sens_real *P)
{
    const struct observed *observed = observer->data;
    const struct workspace work = workspace_take(observed->scratch);
    evaluation_values(&observed->h, at, &work);
    evaluation_reverse_one(&observed->h, &work, &(struct evaluation_one){k, lane, L, w}, X, P);
    workspace_give(&work);
}

sens_status program_observe(struct sens_ctx *ctx, const struct sens_problem *pb, size_t count,
                            const size_t *quantity, struct sens_observer *observer)
{
    const struct sens_model *model = pb->type->model;
    struct observed *observed = SENS_NEW(ctx, struct observed, 1);
    if (!observed) return SENS_NO_MEMORY;
    sens_status status = model->observed(ctx, model, pb->option, count, quantity, &observed->program);
    if (status == SENS_OK) status = evaluation_create(ctx, &observed->program, &observed->h);
    if (status != SENS_OK) return status;
    observed->scratch = evaluation_scratch_create(ctx, observed->program.count);
    if (!observed->scratch) return SENS_NO_MEMORY;
    *observer = (struct sens_observer){count, observed, value, pull};
    return SENS_OK;
}
