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
    scratch->memory = SENS_NEW(ctx, sens_real, scratch->sets * longest * (1 + EVALUATE_LANES));
    for (size_t k = 0; k < scratch->sets; k++) atomic_flag_clear(&scratch->busy[k]);
    return scratch->memory ? scratch : NULL;
}

struct workspace workspace_take(struct evaluation_scratch *scratch)
{
    size_t set = 0;
    while (atomic_flag_test_and_set(&scratch->busy[set])) {
        set = (set + 1) % scratch->sets;
        if (set == 0) sched_yield();
    }
    sens_real *const memory = scratch->memory + set * scratch->values * (1 + EVALUATE_LANES);
    return (struct workspace){
        .from = scratch, .set = set, .lane = memory, .value = memory + scratch->values * EVALUATE_LANES};
}

void workspace_give(const struct workspace *work)
{
    atomic_flag_clear(&work->from->busy[work->set]);
}

static sens_real function(enum graph_op op, sens_real a, sens_real b)
{
    switch (op) {
    case GRAPH_SQRT:
        return sqrt(a);
    case GRAPH_CBRT:
        return cbrt(a);
    case GRAPH_EXP:
        return exp(a);
    case GRAPH_EXPM1:
        return expm1(a);
    case GRAPH_LOG:
        return log(a);
    case GRAPH_LOG1P:
        return log1p(a);
    case GRAPH_POW:
        return pow(a, b);
    case GRAPH_SIN:
        return sin(a);
    case GRAPH_COS:
        return cos(a);
    case GRAPH_TAN:
        return tan(a);
    case GRAPH_ASIN:
        return asin(a);
    case GRAPH_ACOS:
        return acos(a);
    case GRAPH_ATAN:
        return atan(a);
    case GRAPH_ATAN2:
        return atan2(a, b);
    case GRAPH_SINH:
        return sinh(a);
    case GRAPH_COSH:
        return cosh(a);
    case GRAPH_TANH:
        return tanh(a);
    case GRAPH_HYPOT:
        return hypot(a, b);
    default:
        return (sens_real)NAN; /* graph.h has no other */
    }
}

static sens_real operate(const struct program_operation *op, const sens_real *v)
{
    const sens_real a = v[op->a], b = v[op->b];
    switch ((enum graph_op)op->op) {
    case GRAPH_NEG:
        return -a;
    case GRAPH_ADD:
        return a + b;
    case GRAPH_SUB:
        return a - b;
    case GRAPH_MUL:
        return a * b;
    case GRAPH_DIV:
        return a / b;
    case GRAPH_FABS:
        return fabs(a);
    case GRAPH_FMIN:
        return fmin(a, b);
    case GRAPH_FMAX:
        return fmax(a, b);
    case GRAPH_LESS:
        return a < b;
    case GRAPH_LESS_EQUAL:
        return a <= b;
    case GRAPH_SELECT:
        return a != 0 ? b : v[op->c];
    default:
        return function((enum graph_op)op->op, a, b);
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
