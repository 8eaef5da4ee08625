/* The values of a list of operations: see evaluate.h. */
#include "evaluate.h"

#include <sched.h>
#include <string.h>
#include <tgmath.h>

sens_status evaluation_create(struct sens_ctx *ctx, const struct program *program,
                              struct evaluation *evaluation)
{
    sens_real *constant = SENS_NEW(ctx, sens_real, program->constants);
    if (!constant) return SENS_NO_MEMORY;
    for (size_t k = 0; k < program->constants; k++) constant[k] = (sens_real)program->constant[k];
    *evaluation = (struct evaluation){program, constant};
    return SENS_OK;
}

struct evaluation_scratch *evaluation_scratch_create(struct sens_ctx *ctx, size_t longest)
{
    struct evaluation_scratch *scratch = SENS_NEW(ctx, struct evaluation_scratch, 1);
    if (!scratch) return NULL;
    scratch->sets = ctx->cores < 1                  ? 1
                    : ctx->cores > EVALUATE_SCRATCH ? EVALUATE_SCRATCH
                                                    : (size_t)ctx->cores;
    scratch->values = longest;
    const size_t values = scratch->sets * longest;
    scratch->memory = SENS_NEW(ctx, sens_real, values * (1 + EVALUATE_LANES));
    scratch->moves = SENS_NEW(ctx, bool, values);
    for (size_t k = 0; k < scratch->sets; k++) atomic_flag_clear(&scratch->busy[k]);
    return scratch->memory && scratch->moves ? scratch : NULL;
}

struct workspace workspace_take(struct evaluation_scratch *scratch)
{
    size_t set = 0;
    while (atomic_flag_test_and_set(&scratch->busy[set])) {
        set = (set + 1) % scratch->sets;
        if (set == 0) sched_yield();
    }
    sens_real *const memory = scratch->memory + set * scratch->values * (1 + EVALUATE_LANES);
    return (struct workspace){.from = scratch,
                              .set = set,
                              .lane = memory,
                              .value = memory + scratch->values * EVALUATE_LANES,
                              .moves = scratch->moves + set * scratch->values};
}

void workspace_give(const struct workspace *work)
{
    atomic_flag_clear(&work->from->busy[work->set]);
}

static sens_real operate(const struct program_operation *op, const sens_real *v)
{
    const sens_real a = v[op->a], b = v[op->b], c = v[op->c];
    switch ((enum graph_op)op->op) {
#define VALUE(code, name, operands, expression)                                                              \
    case GRAPH_##code:                                                                                       \
        return expression;
        SENS_OPERATION_LIST(VALUE)
#undef VALUE
    default:
        return (sens_real)NAN; /* a leaf */
    }
}

void evaluation_values(const struct evaluation *evaluation, const struct sens_at *at,
                       const struct workspace *work)
{
    const struct program *program = evaluation->program;
    sens_real *const v = work->value;
    for (size_t k = 0; k < program->count; k++) {
        const struct program_operation *op = &program->operation[k];
        switch ((enum graph_op)op->op) {
        case GRAPH_CONSTANT:
            v[k] = evaluation->constant[op->a];
            break;
        case GRAPH_T:
            v[k] = at->t;
            break;
        case GRAPH_X:
            v[k] = at->x[op->a];
            break;
        case GRAPH_P:
            v[k] = at->p[op->a];
            break;
        default:
            v[k] = operate(op, v);
        }
    }
}

void evaluation_add(const struct evaluation *evaluation, const struct workspace *work, sens_real weight,
                    sens_real *OUT)
{
    const struct program *program = evaluation->program;
    for (size_t c = 0; c < program->outputs; c++) OUT[c] += weight * work->value[program->output[c]];
}
