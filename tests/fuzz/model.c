/* Model files: whatever is in one, it is refused with a place in it, or becomes a problem whose functions can
 * be called. Writing one out is bounded more tightly than in the program, so that no input takes seconds. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "model.h"
#include "modules.h"

static const struct equation_limits limits = {.steps = 20000, .elements = 2000, .nodes = 20000};

/* Names the file, a line of it and a column; the line is shown with a caret. */
static void check_refusal(const struct bench_error *error, size_t size)
{
    size_t line = 0, column = 0;
    fuzz_refusal(error);
    if (strstr(error->text, "no memory")) return;
    if (size > 1 << 20) return;
    fuzz_promise(sscanf(error->text, "model.ode:%zu:%zu: ", &line, &column) == 2, "a refusal has a place");
    fuzz_promise(line >= 1 && line <= size + 1 && column >= 1 && column <= size + 1,
                 "the place is in the file");
    fuzz_promise(strchr(error->shown, '^') != NULL, "the line is shown");
}

/* Every function of the problem once, at its initial state. */
static void call(const struct sens_problem *pb, struct sens_ctx *ctx)
{
    enum { LANES = 9 };
    const size_t most = (pb->n > pb->np ? pb->n : pb->np) * LANES;
    double *V = SENS_NEW(ctx, double, most), *OUT = SENS_NEW(ctx, double, most);
    const struct sens_at at = {pb->t0, pb->x0, pb->p};
    if (!V || !OUT) return;
    for (size_t i = 0; i < most; i++) V[i] = 1;
    fuzz_promise(pb->type->rhs(pb, &at, OUT) == SENS_OK, "the right-hand side can be evaluated");
    pb->type->vjp(pb, &at, LANES, V, OUT);
    pb->type->jvp(pb, &at, LANES, V, OUT);
    pb->type->jvp_p_cols(pb, &at, 0, pb->np < LANES ? pb->np : LANES, OUT);
    pb->type->vjp_p_batch(pb, 1, &at.t, at.x, at.p, LANES, V, OUT);
    pb->type->x0_vjp(pb, pb->p, LANES, V, OUT);
}

static void create(const struct model *model, const struct sens_value *value)
{
    struct sens_ctx ctx = {.arena = {.limit = FUZZ_ARENA}};
    const struct sens_registry *reg = variant_all()[0];
    struct sens_problem_type type;
    struct sens_problem pb;
    struct sens_cost cost;
    const struct sens_value all = {.number = 0};
    model_type(model, reg->written, &type);
    const sens_status status = sens_problem_create(&ctx, &type, value, &pb);
    fuzz_promise(status == SENS_OK || status == SENS_BAD_INPUT || status == SENS_NO_MEMORY,
                 "what can be written out can be created");
    if (status == SENS_OK) {
        call(&pb, &ctx);
        sens_cost_create(&ctx, reg->own, &all, &pb, &cost);
    }
    sens_arena_release(&ctx.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bench_error error = {.text = ""};
    struct model *model = model_parse("model.ode", (const char *)data, size, &error);
    if (!model) {
        check_refusal(&error, size);
        return 0;
    }
    struct sens_value value[256];
    struct equations written;
    sens_option_defaults(model->syntax.options, value);
    if (equations_write(&model->syntax, value, &limits, &written, &error)) {
        equations_destroy(&written);
        create(model, value);
    } else {
        check_refusal(&error, size);
    }
    model_destroy(model);
    return 0;
}
