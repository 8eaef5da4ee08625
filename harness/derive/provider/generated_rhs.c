/* derive/provider/generated_rhs.c - f itself, recorded, written as C and compiled. */
#include "generated_rhs.h"

#include <stdlib.h>

#include "agree.h"
#include "compiled_engine.h"
#include "recording.h"
#include "sens/decorate.h"
#include "sens/registry.h"

struct generated { /* the data of the wrapped problem */
    struct sens_decorated_problem room;
    struct sens_problem own; /* the problem that was recorded */
    struct function_shape shape;
    struct graph *f;
    struct compiled_setting setting;
    struct engine_maker maker;
    struct engine *engine;
    generated_numbers *function;
};

static void end(void *object)
{
    struct generated *generated = object;
    if (generated->engine) generated->maker.destroy(generated->engine);
    graph_destroy(generated->f);
}

/* ---- running it -------------------------------------------------------------------------------------------- */

static struct product_call call_at(const struct generated *generated, enum product_kind kind,
                                   const struct sens_at *at, double *out)
{
    return (struct product_call){
        .kind = kind,
        .on = {.points = 1, .t = &at->t, .x = at->x, .x_step = generated->own.n, .p = at->p, .out = out}};
}

/* Where there are none a call is not even made ready: that would take longer than a small right-hand side. */
static bool guards_hold(const struct generated *generated, const struct sens_at *at)
{
    if (generated->f->n_guards == 0) return true;
    const struct product_call call = call_at(generated, PRODUCT_GUARDS, at, NULL);
    return generated->maker.run(generated->engine, &call) == SENS_OK;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct generated *generated = pb->data;
    if (!guards_hold(generated, at)) return generated->own.type->rhs(&generated->own, at, dx);
    generated->function(at->t, at->x, at->p, dx);
    return SENS_OK;
}

/* ---- is it the problem's own? ------------------------------------------------------------------------------ */

struct own_engine { /* runs the problem's own right-hand side, on the path that was recorded */
    struct engine engine;
    const struct generated *generated;
};

static sens_status run_own(struct engine *engine, const struct product_call *call)
{
    const struct generated *generated = ((struct own_engine *)engine)->generated;
    const struct sens_at at = {*call->on.t, call->on.x, call->on.p};
    if (!call->at_its_own && !guards_hold(generated, &at)) return SENS_OUT_OF_DOMAIN;
    return generated->own.type->rhs(&generated->own, &at, call->on.out);
}

static bool is_own(struct generated *generated, const struct sens_at *at, struct bench_error *error)
{
    const struct engine_maker maker = {.run = run_own};
    struct own_engine own = {.engine = {.maker = &maker}, .generated = generated};
    return engines_agree(generated->engine, &own.engine, PRODUCT_RHS, 0, 0, &generated->shape, at, error);
}

/* ---- making it --------------------------------------------------------------------------------------------- */

static sens_status record(struct sens_ctx *ctx, struct generated *generated, const struct sens_at *at,
                          struct bench_error *error)
{
    const struct recording *source;
    const sens_status status = recording_create(ctx, &generated->own, NULL, &source);
    if (status != SENS_OK) return status;
    generated->f = graph_create();
    return generated->f ? recording_rhs(source, at, generated->f, error) : SENS_NO_MEMORY;
}

/* It is compiled when it is first run, and compared with the tape. */
static sens_status compile(struct sens_ctx *ctx, struct generated *generated, const struct sens_at *at,
                           struct bench_error *error)
{
    double *f = SENS_NEW(ctx, double, generated->own.n);
    struct product_call first = call_at(generated, PRODUCT_RHS, at, f);
    first.at_its_own = true;
    if (!f) return SENS_NO_MEMORY;
    const sens_status status = generated->maker.run(generated->engine, &first);
    generated->function = compiled_numbers(generated->engine, PRODUCT_RHS);
    if (status != SENS_OK || generated->function) return status;
    *error = generated->setting.why;
    return SENS_UNAVAILABLE;
}

static sens_status make(struct sens_ctx *ctx, struct generated *generated, struct bench_error *error)
{
    const struct sens_at at = {generated->own.t0, generated->own.x0, generated->own.p};
    sens_status status = compiler_find(&generated->setting.compiler, error);
    if (status == SENS_OK) status = record(ctx, generated, &at, error);
    if (status == SENS_OK)
        status = generated->maker.create(&generated->maker, generated->f, &generated->shape, &at,
                                         &generated->engine);
    if (status == SENS_OK) status = compile(ctx, generated, &at, error);
    if (status == SENS_OK && !is_own(generated, &at, error)) status = SENS_UNAVAILABLE;
    return status;
}

sens_status generated_rhs_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                               struct sens_problem *wrapped)
{
    static const struct sens_problem_decoration decoration = {.type = {.rhs = rhs}};
    struct bench_error error = {.text = ""};
    struct generated *generated = SENS_NEW(ctx, struct generated, 1);
    if (!generated) return SENS_NO_MEMORY;
    *generated = (struct generated){.own = *request->inner};
    generated->shape = (struct function_shape){.outputs = request->inner->n,
                                               .n = request->inner->n,
                                               .np = request->inner->np,
                                               .threads = request->threads};
    generated->setting.isa = request->variant->isa;
    generated->maker = compiled_engine(&generated->setting, request->variant->tape, ctx->now);
    sens_status status = sens_arena_attach(&ctx->arena, end, generated);
    if (status == SENS_OK) status = make(ctx, generated, &error);
    if (status == SENS_NO_MEMORY) return status;
    if (status != SENS_OK) return error.text[0] ? sens_fail(ctx, SENS_UNSUPPORTED, "%s", error.text) : status;
    sens_problem_decorate(wrapped, &decoration, generated, &generated->room, wrapped);
    return SENS_OK;
}
