/* derive/engine/compiled_engine.c - from a product that is wanted to a function that computes it. */
#include "compiled_engine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "generate.h"
#include "layout.h"

enum {
    MOST_RECORDINGS = 8,  /* of one problem that are compiled: a run with many branches would wait for each */
    MOST_OPERATORS = 300, /* loops, or statements of straight-line code, which compile in seconds */
    LONG_TEXT = 16384     /* bytes of C from which on level 3 would take twice as long, for code as fast */
};

/* An object for each kind of call (generate_class_of) that there was, the newest first; none goes before the engine:
 * threads may be running it. */
struct made {
    struct engine_direct direct;
    struct compiled object;
    struct made *older;
};
struct compiled_product {
    _Atomic(struct made *) newest;
    atomic_bool by_tape;  /* what else is needed is no longer compiled */
    struct layout layout; /* of a matrix */
};
struct compiled_of {
    struct engine engine;
    struct engine_maker tape_maker;
    struct engine *tape;
    const struct graph *f;
    struct function_shape shape;
    struct sens_at at; /* the point of the recording; its numbers are ours */
    double *numbers;
    size_t recording; /* the first, second, ... of the right-hand side */
    struct compiled_product product[PRODUCT_KINDS];
};

static const enum generate_product generated[PRODUCT_KINDS] = {[PRODUCT_VJP] = GENERATE_VJP,
                                                               [PRODUCT_VJP_P] = GENERATE_VJP_P,
                                                               [PRODUCT_JVP] = GENERATE_JVP,
                                                               [PRODUCT_JVP_P] = GENERATE_JVP_P,
                                                               [PRODUCT_RHS_T] = GENERATE_RHS_T,
                                                               [PRODUCT_RHS] = GENERATE_RHS,
                                                               [PRODUCT_JACOBIAN] = GENERATE_JACOBIAN,
                                                               [PRODUCT_JACOBIAN_P] = GENERATE_JACOBIAN_P,
                                                               [PRODUCT_S] = GENERATE_S,
                                                               [PRODUCT_PHI] = GENERATE_PHI,
                                                               [PRODUCT_COUPLING] = GENERATE_COUPLING,
                                                               [PRODUCT_DIAGONAL] = GENERATE_DIAGONAL,
                                                               [PRODUCT_HVP] = GENERATE_HVP};

static struct compiled_of *of_engine(struct engine *engine)
{
    return (struct compiled_of *)engine;
}

static struct compiled_setting *setting_of(const struct compiled_of *of)
{
    return of->engine.maker->compiled;
}

/* ---- one product ------------------------------------------------------------------------------------------- */

/* The text of one of the products of f. */
static sens_status write_product(struct compiled_of *of, enum product_kind kind, unsigned calls, char **text,
                                 struct generate_count *count, struct bench_error *error)
{
    const enum generate_product which = generated[kind];
    struct generate_found found;
    const unsigned widest = compile_widest(setting_of(of)->isa);
    sens_status status =
        generate_source(of->f, of->shape.n, of->shape.np, 1u << which, calls, widest, text, &found);
    *count = found.count[which];
    if (status == SENS_OK && layout_is_for(kind) &&
        !layout_choose(kind, &of->shape, &found, of->tape_maker.pattern(of->tape, kind),
                       &of->product[kind].layout)) {
        bench_refuse(error, "no memory, or a Jacobian with other entries");
        status = SENS_NO_MEMORY;
    }
    generate_found_release(&found);
    return status;
}

/* That of a part of the structure, whose graph the tape has. */
static sens_status write_part(struct compiled_of *of, enum product_kind kind, char **text,
                              struct generate_count *count)
{
    const struct structure *structure = of->tape_maker.structure(of->tape);
    const struct graph *graph = structure ? structure->part[kind - PRODUCT_S + STRUCTURE_S] : NULL;
    if (!graph) return SENS_UNSUPPORTED;
    of->product[kind].layout.entries = graph->n_outputs;
    return generate_numbers(graph, generated[kind], compile_widest(setting_of(of)->isa), text, count);
}

/* The text, for the caller to free; NULL with a sentence. */
static char *write_text(struct compiled_of *of, enum product_kind kind, unsigned calls,
                        struct bench_error *error)
{
    char *text = NULL;
    struct generate_count count = {.operators = 0};
    const bool part = kind >= PRODUCT_S && kind <= PRODUCT_DIAGONAL;
    error->text[0] = '\0';
    const sens_status status =
        part ? write_part(of, kind, &text, &count) : write_product(of, kind, calls, &text, &count, error);
    if (status == SENS_OK && count.operators <= MOST_OPERATORS) return text;
    if (status == SENS_OK)
        bench_refuse(error, "a product has %zu loops or single operations; more than %d are not compiled",
                     count.operators, MOST_OPERATORS);
    else if (!error->text[0])
        bench_refuse(error, "no C can be written for a product: %s", sens_status_message(status));
    free(text);
    return NULL;
}

static bool load(struct compiled_of *of, enum product_kind kind, const char *text, struct compiled *object,
                 struct engine_direct *made, struct bench_error *error)
{
    struct compiled_setting *setting = setting_of(of);
    const struct compile_request request = {text, setting->isa, strlen(text) < LONG_TEXT ? 3 : 2, 0};
    if (compile_load(&setting->compiler, &request, object, error) != SENS_OK) return false;
    made->function = compiled_find(object, generate_function_name(generated[kind]));
    return made->function || bench_refuse(error, "a compiled object lacks its function");
}

static double now(const struct compiled_of *of)
{
    return of->engine.maker->now ? of->engine.maker->now() : 0;
}

/* ---- running it -------------------------------------------------------------------------------------------- */

static void call_at_point(compiled_function *function, const struct product_call *call, size_t k)
{
    const struct sens_tape_call *on = &call->on;
    const double t = on->t[k], *x = on->x + k * on->x_step, *v = on->v ? on->v + k * on->v_step : NULL;
    const struct sens_direction along = {on->extra[0], on->extra[1], on->extra[2]};
    if (call->kind == PRODUCT_HVP)
        ((generated_hvp *)function)(t, x, on->p, on->lanes, &along, v, on->out, on->sum);
    else if (call->kind == PRODUCT_RHS_T || call->kind == PRODUCT_RHS || product_is_entries(call->kind))
        ((generated_numbers *)function)(t, x, on->p, on->out);
    else
        ((generated_lanes *)function)(t, x, on->p, on->lanes, v,
                                      call->kind == PRODUCT_VJP_P ? on->sum : on->out);
}

/* By the tape: it computes what is compared as the recording did, which code that a compiler contracts does not. */
static sens_status check_guards(const struct compiled_of *of, const struct product_call *call)
{
    struct product_call guards = *call;
    guards.kind = PRODUCT_GUARDS;
    if (of->f->n_guards == 0 || call->at_its_own) return SENS_OK;
    return of->tape_maker.run(of->tape, &guards);
}

static sens_status run_by_c(const struct compiled_of *of, const struct engine_direct *made,
                            const struct product_call *call)
{
    const struct layout *layout = &of->product[call->kind].layout;
    const struct sens_tape_call *on = &call->on;
    const sens_status status = check_guards(of, call);
    if (status != SENS_OK) return status;
    if (layout->from) return layout_run(layout, (generated_numbers *)made->function, on);
    for (size_t k = 0; k < on->points; k++) call_at_point(made->function, call, k);
    return SENS_OK;
}

/* ---- making it --------------------------------------------------------------------------------------------- */

/* An engine that runs what nobody else runs yet. */
struct candidate {
    struct engine engine;
    const struct compiled_of *of;
    const struct engine_direct *made;
};

static sens_status run_candidate(struct engine *engine, const struct product_call *call)
{
    const struct candidate *candidate = (const struct candidate *)engine;
    return run_by_c(candidate->of, candidate->made, call);
}

static bool is_right(struct compiled_of *of, enum product_kind kind, const struct engine_direct *made,
                     struct bench_error *error)
{
    const struct engine_maker maker = {.run = run_candidate};
    struct candidate candidate = {.engine = {.maker = &maker}, .of = of, .made = made};
    return engines_agree(&candidate.engine, of->tape, kind, made->serves, of->product[kind].layout.entries,
                         &of->shape, &of->at, error);
}

/* Written, compiled, loaded, and right. */
static bool fill_object(struct compiled_of *of, enum product_kind kind, struct made *made,
                        struct bench_error *error)
{
    struct compiled_setting *setting = setting_of(of);
    const double begin = now(of);
    if (of->recording > MOST_RECORDINGS)
        return bench_refuse(error, "there are more branches than the %d whose products are compiled",
                            MOST_RECORDINGS);
    char *text = write_text(of, kind, made->direct.serves, error);
    const double written = now(of);
    setting->t_generate += written - begin;
    if (!text) return false;
    const bool loaded = load(of, kind, text, &made->object, &made->direct, error);
    setting->t_compile += now(of) - written;
    free(text);
    if (loaded && is_right(of, kind, &made->direct, error)) return true;
    compiled_close(&made->object);
    return false;
}

/* What a call needs of the C (enum generate_call). */
static unsigned needs_of(const struct product_call *call)
{
    const bool hvp = call->kind == PRODUCT_HVP;
    if (call->kind == PRODUCT_RHS_T || call->kind == PRODUCT_RHS || product_is_entries(call->kind)) return 0;
    return generate_call_of(call->on.lanes) | (hvp ? GENERATE_ALONG * call->parts : 0) |
           (hvp && call->on.sum ? GENERATE_MU : 0);
}

/* NULL: none was made for such calls. */
static const struct engine_direct *find_made(const struct compiled_product *product, unsigned needs)
{
    const struct made *made = atomic_load(&product->newest);
    while (made && made->direct.serves != needs) made = made->older;
    return made ? &made->direct : NULL;
}

/* Holds the lock. */
static void make_for(struct compiled_of *of, enum product_kind kind, unsigned needs)
{
    struct compiled_setting *setting = setting_of(of);
    struct compiled_product *product = &of->product[kind];
    struct bench_error error;
    struct made *made = calloc(1, sizeof *made), *const older = atomic_load(&product->newest);
    if (made) made->direct.serves = needs, made->older = older;
    const bool by_c =
        made ? fill_object(of, kind, made, &error) : bench_refuse(&error, "no memory for a compiled product");
    setting->by_c += by_c && !older;
    setting->by_tape += !by_c;
    if (by_c) {
        atomic_store(&product->newest, made);
        return;
    }
    free(made);
    setting->why = error;
    atomic_store(&product->by_tape, true);
}

/* The C for a call; one thread makes it, and others wait. NULL: the tape. */
static const struct engine_direct *made_for(struct compiled_of *of, const struct product_call *call)
{
    struct compiled_setting *setting = setting_of(of);
    struct compiled_product *product = &of->product[call->kind];
    if (of->shape.n == 0 || call->kind == PRODUCT_COUPLING) return NULL; /* x0(p), M(p): once a solve */
    if (call->kind == PRODUCT_GUARDS) return NULL;                       /* see check_guards */
    const unsigned needs = needs_of(call);
    const struct engine_direct *found = find_made(product, needs);
    if (found || atomic_load(&product->by_tape)) return found;
    pthread_mutex_lock(&setting->lock);
    if (!find_made(product, needs) && !atomic_load(&product->by_tape)) make_for(of, call->kind, needs);
    pthread_mutex_unlock(&setting->lock);
    return find_made(product, needs);
}

/* ---- the engine -------------------------------------------------------------------------------------------- */

static sens_status run(struct engine *engine, const struct product_call *call)
{
    struct compiled_of *of = of_engine(engine);
    const struct engine_direct *made = made_for(of, call);
    return made ? run_by_c(of, made, call) : of->tape_maker.run(of->tape, call);
}

static void release_objects(struct compiled_product *product)
{
    for (struct made *made = atomic_load(&product->newest), *older; made; made = older) {
        older = made->older;
        compiled_close(&made->object);
        free(made);
    }
}

static void destroy(struct engine *engine)
{
    struct compiled_of *of = of_engine(engine);
    if (!engine) return;
    for (int kind = 0; kind < PRODUCT_KINDS; kind++) {
        release_objects(&of->product[kind]);
        layout_release(&of->product[kind].layout);
    }
    if (of->tape) of->tape_maker.destroy(of->tape);
    free(of->numbers);
    free(of);
}

/* The point is kept: products are compared there when they are first wanted. */
static bool keep_point(struct compiled_of *of, const struct sens_at *at)
{
    const size_t n = of->shape.n, np = of->shape.np;
    of->numbers = malloc((n + np + 1) * sizeof *of->numbers);
    if (!of->numbers) return false;
    if (n > 0) memcpy(of->numbers, at->x, n * sizeof *at->x);
    if (np > 0) memcpy(of->numbers + n, at->p, np * sizeof *at->p);
    of->at = (struct sens_at){at->t, of->numbers, of->numbers + n};
    return true;
}

static sens_status create(const struct engine_maker *maker, const struct graph *f,
                          const struct function_shape *shape, const struct sens_at *at,
                          struct engine **engine)
{
    struct compiled_of *made = calloc(1, sizeof *made);
    if (!made) return SENS_NO_MEMORY;
    made->engine.maker = maker;
    made->f = f;
    made->shape = *shape;
    made->tape_maker = tape_engine(maker->tape, maker->now);
    pthread_mutex_lock(&maker->compiled->lock);
    made->recording = shape->n > 0 ? ++maker->compiled->recordings : 0;
    pthread_mutex_unlock(&maker->compiled->lock);
    sens_status status = keep_point(made, at) ? SENS_OK : SENS_NO_MEMORY;
    if (status == SENS_OK) status = made->tape_maker.create(&made->tape_maker, f, shape, at, &made->tape);
    if (status == SENS_OK)
        *engine = &made->engine;
    else
        destroy(&made->engine);
    return status;
}

static sens_status plan(struct engine *engine, enum product_kind kind)
{
    struct compiled_of *of = of_engine(engine);
    const sens_status status = of->tape_maker.plan(of->tape, kind);
    engine->seconds = of->tape->seconds;
    return status;
}

static const struct sens_pattern *pattern(struct engine *engine, enum product_kind kind)
{
    return of_engine(engine)->tape_maker.pattern(of_engine(engine)->tape, kind);
}

static const struct structure *structure(struct engine *engine)
{
    return of_engine(engine)->tape_maker.structure(of_engine(engine)->tape);
}

static void operations(struct engine *engine, enum product_kind kind, double *shared, double *vector)
{
    of_engine(engine)->tape_maker.operations(of_engine(engine)->tape, kind, shared, vector);
}

generated_numbers *compiled_numbers(struct engine *engine, enum product_kind kind)
{
    const struct engine_direct *made = find_made(&of_engine(engine)->product[kind], 0);
    return made ? (generated_numbers *)made->function : NULL;
}

/* Where there are guards, run() has them looked at first. */
static const struct engine_direct *direct(struct engine *engine, const struct product_call *call)
{
    const struct compiled_of *of = of_engine(engine);
    const struct compiled_product *product = &of->product[call->kind];
    return product->layout.from || of->f->n_guards > 0 ? NULL : find_made(product, needs_of(call));
}

struct engine_maker compiled_engine(struct compiled_setting *setting,
                                    const struct sens_tape_functions *functions, double (*now_)(void))
{
    setting->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    return (struct engine_maker){.create = create,
                                 .destroy = destroy,
                                 .plan = plan,
                                 .run = run,
                                 .direct = direct,
                                 .pattern = pattern,
                                 .structure = structure,
                                 .operations = operations,
                                 .compiled = setting,
                                 .tape = functions,
                                 .now = now_};
}
