/* derive/provider/taped_engine.c - products by the tape of another library: see taper.h.
 *
 * One tape has x as its independents, one p; each is made when it is first wanted. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "derived.h"
#include "taper.h"

struct taped_engine {
    struct engine engine;
    const struct taper *taper;
    struct taped_function f;
    double t, *x, *p;       /* where it was recorded */
    pthread_mutex_t making; /* of the tapes */
    void *tape[2];          /* by x, by p */
};

static struct taped_engine *of_engine(struct engine *engine)
{
    return (struct taped_engine *)engine;
}

static double *copy(size_t count, const double *from)
{
    double *made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++) made[i] = from[i];
    return made;
}

static void destroy(struct engine *engine)
{
    struct taped_engine *of = of_engine(engine);
    if (!of) return;
    for (int by_p = 0; by_p < 2; by_p++)
        if (of->tape[by_p]) of->taper->destroy(of->tape[by_p]);
    pthread_mutex_destroy(&of->making);
    free(of->x);
    free(of->p);
    free(of);
}

static sens_status create(const struct engine_maker *maker, const struct graph *f,
                          const struct function_shape *shape, const struct sens_at *at,
                          struct engine **engine)
{
    struct taped_engine *made = calloc(1, sizeof *made);
    if (!made) return SENS_NO_MEMORY;
    if (pthread_mutex_init(&made->making, NULL) != 0) {
        free(made);
        return SENS_NO_MEMORY;
    }
    made->engine.maker = maker;
    made->taper = maker->taper;
    made->f = (struct taped_function){f, shape->n, shape->np};
    made->t = at->t;
    made->x = copy(shape->n, at->x);
    made->p = copy(shape->np, at->p);
    if (!made->x || !made->p) {
        destroy(&made->engine);
        return SENS_NO_MEMORY;
    }
    *engine = &made->engine;
    return SENS_OK;
}

static double now(const struct taped_engine *of)
{
    return of->engine.maker->now ? of->engine.maker->now() : 0;
}

static sens_status tape_by(struct taped_engine *of, bool by_p, void **tape)
{
    const struct taped_point at = {of->t, of->x, of->p};
    sens_status status = SENS_OK;
    pthread_mutex_lock(&of->making);
    if (!of->tape[by_p]) {
        const double begin = now(of);
        status = of->taper->create(&of->f, by_p, &at, &of->tape[by_p]);
        of->engine.seconds += now(of) - begin;
    }
    *tape = of->tape[by_p];
    pthread_mutex_unlock(&of->making);
    return status;
}

static bool is_by_p(enum product_kind kind)
{
    return kind == PRODUCT_VJP_P || kind == PRODUCT_JVP_P;
}

static bool has_inputs(const struct taped_engine *of, bool by_p)
{
    return (by_p ? of->f.np : of->f.n) > 0;
}

/* A tape is made when it is first run: to check the cells of a sweep should take no time, and leave nothing behind in a
 * library that what is measured would feel. */
static sens_status plan(struct engine *engine, enum product_kind kind)
{
    const struct taped_engine *of = of_engine(engine);
    const struct graph *f = of->f.graph;
    (void)kind;
    for (size_t k = 0; k < f->n_nodes && of->taper->lacks; k++)
        if (of->taper->lacks(f->node[k].op)) return SENS_UNSUPPORTED;
    return SENS_OK;
}

/* Without inputs there is nothing to tape. */
static sens_status run_empty(const struct taped_engine *of, const struct product_call *call)
{
    const bool forward = call->kind == PRODUCT_JVP || call->kind == PRODUCT_JVP_P;
    for (size_t i = 0; forward && i < of->f.graph->n_outputs * call->on.lanes; i++) call->on.out[i] = 0;
    return SENS_OK;
}

static sens_status at_point(const struct taped_engine *of, void *tape, const struct product_call *call,
                            size_t k)
{
    const struct sens_tape_call *on = &call->on;
    const struct taped_point at = {on->t ? on->t[k] : 0, on->x ? on->x + k * on->x_step : NULL, on->p};
    const struct taper *taper = of->taper;
    const bool add = call->kind == PRODUCT_VJP_P;
    if (add || call->kind == PRODUCT_VJP)
        return taper->reverse(tape, &at, call->at_its_own, on->lanes, on->v + k * on->v_step, add,
                              add ? on->sum : on->out);
    return taper->forward(tape, &at, call->at_its_own, on->lanes, on->v, on->out);
}

/* Of several points none but the first may turn out to be on another path: then each is asked alone. */
static sens_status run(struct engine *engine, const struct product_call *call)
{
    struct taped_engine *of = of_engine(engine);
    void *tape;
    if (call->kind > PRODUCT_JVP_P) return SENS_UNSUPPORTED;
    if (!has_inputs(of, is_by_p(call->kind))) return run_empty(of, call);
    if (call->on.points > 1 && of->f.graph->n_guards > 0) return SENS_OUT_OF_DOMAIN;
    sens_status status = tape_by(of, is_by_p(call->kind), &tape);
    for (size_t k = 0; k < call->on.points && status == SENS_OK; k++) status = at_point(of, tape, call, k);
    return status;
}

static const struct sens_pattern *pattern(struct engine *engine, enum product_kind kind)
{
    (void)engine, (void)kind;
    return NULL;
}

static const struct structure *structure(struct engine *engine)
{
    (void)engine;
    return NULL;
}

/* What a sweep costs the libraries do not say. */
static void operations(struct engine *engine, enum product_kind kind, double *shared, double *vector)
{
    (void)engine, (void)kind;
    *shared = *vector = (double)NAN;
}

sens_status taped_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                       const struct taper *taper, struct sens_problem *wrapped)
{
    const struct engine_maker maker = {.create = create,
                                       .destroy = destroy,
                                       .plan = plan,
                                       .run = run,
                                       .pattern = pattern,
                                       .structure = structure,
                                       .operations = operations,
                                       .now = ctx->now,
                                       .taper = taper};
    return derived_wrap(ctx, request, &maker, wrapped);
}

void taped_account(const struct sens_problem *wrapped, struct sens_provider_account *account)
{
    derived_account(wrapped, account);
}
