/* derive/provider/step_engine.c - from a recorded right-hand side to steps that are compiled for it. */
#include "step_engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "engine.h"
#include "recording.h"
#include "sens/registry.h"
#include "step.h"
#include "step_agree.h"

enum {
    MOST_LANES = 256,      /* of a block: what a step keeps stands on the stack */
    MOST_OPERATORS = 2000, /* in one text, which then compiles in seconds */
    LONG_TEXT = 32768,     /* as in compiled_engine.c */
    REVERSES = 8           /* of different lanes */
};

struct made_reverse {
    size_t lanes;
    bool with_mu;
    struct compiled object;
    sens_step_reverse *function;
};

struct step_engine {
    struct sens_step_engine engine;
    const struct sens_problem *problem;
    struct graph *f;
    struct function_shape shape;
    const char *isa;
    struct compiler compiler;
    double (*now)(void);
    struct engine_maker tape_maker; /* guards alone */
    struct engine *tape;
    struct compiled forward;
    pthread_mutex_t lock; /* of what follows */
    struct made_reverse reverse[REVERSES];
    size_t n_reverse;
    double t_record, t_generate, t_compile;
    struct bench_error why;
    atomic_long by_library; /* steps whose guards did not hold */
};

static void end(void *object)
{
    struct step_engine *made = object;
    for (size_t k = 0; k < made->n_reverse; k++) compiled_close(&made->reverse[k].object);
    compiled_close(&made->forward);
    if (made->tape) made->tape_maker.destroy(made->tape);
    graph_destroy(made->f);
}

static double now(const struct step_engine *made)
{
    return made->now ? made->now() : 0;
}

/* ---- guards: by the tape, which computes what is compared as the recording did ------------------------------ */

static bool holds(const struct sens_step_engine *engine, double t, double h, const double *p, const double *Y)
{
    struct step_engine *made = (struct step_engine *)engine;
    const struct sens_tableau *tb = engine->tableau;
    const size_t n = made->shape.n;
    for (int first = 0; first < tb->stages; first += SENS_TAPE_POINTS) {
        double at[SENS_TAPE_POINTS];
        const int rest = tb->stages - first, count = rest < SENS_TAPE_POINTS ? rest : SENS_TAPE_POINTS;
        for (int i = 0; i < count; i++) at[i] = t + tb->c[first + i] * h;
        const struct product_call call = {
            .kind = PRODUCT_GUARDS,
            .on = {.points = (size_t)count, .t = at, .x = Y + (size_t)first * n, .x_step = n, .p = p}};
        if (made->tape_maker.run(made->tape, &call) == SENS_OK) continue;
        atomic_fetch_add(&made->by_library, 1);
        return false;
    }
    return true;
}

/* ---- functions --------------------------------------------------------------------------------------------- */

static size_t vector_width(size_t widest, size_t lanes)
{
    size_t width = widest;
    while (lanes % width != 0) width /= 2;
    return width;
}

/* Compiled and loaded; the text is freed. NULL with a sentence. */
static compiled_function *load(struct step_engine *made, char *text, const struct generate_count *count,
                               const char *name, struct compiled *object)
{
    const struct compile_request request = {text, made->isa, strlen(text) < LONG_TEXT ? 3 : 2, 0};
    compiled_function *function = NULL;
    made->why.text[0] = '\0';
    if (count->operators > MOST_OPERATORS)
        bench_refuse(&made->why,
                     "a step has %zu loops or single operations a stage; more than %d are not compiled",
                     count->operators, MOST_OPERATORS);
    else if (compile_load(&made->compiler, &request, object, &made->why) == SENS_OK)
        function = compiled_find(object, name);
    if (!function && !made->why.text[0]) bench_refuse(&made->why, "a compiled object lacks its function");
    free(text);
    return function;
}

static compiled_function *make(struct step_engine *made, const struct step_request *request,
                               struct compiled *object)
{
    char *text;
    struct generate_count count;
    const bool forward = request->lanes == 0;
    const double begin = now(made);
    const sens_status status = (forward ? step_write_forward : step_write_reverse)(request, &text, &count);
    const double written = now(made);
    made->t_generate += written - begin;
    if (status != SENS_OK) {
        bench_refuse(&made->why, "no C can be written for a step: %s", sens_status_message(status));
        return NULL;
    }
    compiled_function *const function =
        load(made, text, &count, forward ? "sens_step_forward" : "sens_step_reverse", object);
    made->t_compile += now(made) - written;
    return function;
}

static struct step_request request_of(const struct step_engine *made)
{
    return (struct step_request){.f = made->f,
                                 .n = made->shape.n,
                                 .np = made->shape.np,
                                 .widest = compile_widest(made->isa),
                                 .tableau = made->engine.tableau};
}

/* Holds the lock. */
static sens_status make_reverse(struct step_engine *made, size_t L, bool with_mu)
{
    struct step_request request = request_of(made);
    struct made_reverse *next = &made->reverse[made->n_reverse];
    if (made->n_reverse == REVERSES || L > MOST_LANES) {
        bench_refuse(&made->why, "engine=compiled takes blocks of at most %d lanes, of %d sizes", MOST_LANES,
                     REVERSES);
        return SENS_UNSUPPORTED;
    }
    request.lanes = L;
    request.width = vector_width(request.widest, L);
    request.with_mu = with_mu;
    *next = (struct made_reverse){.lanes = L, .with_mu = with_mu};
    next->function = (sens_step_reverse *)make(made, &request, &next->object);
    if (next->function &&
        step_reverse_agrees(made->problem, &made->engine, next->function, L, with_mu, &made->why)) {
        made->n_reverse++;
        return SENS_OK;
    }
    compiled_close(&next->object);
    return SENS_UNAVAILABLE;
}

static sens_step_reverse *find_reverse(const struct step_engine *made, size_t L, bool with_mu)
{
    for (size_t k = 0; k < made->n_reverse; k++)
        if (made->reverse[k].lanes == L && made->reverse[k].with_mu == with_mu)
            return made->reverse[k].function;
    return NULL;
}

static sens_status reverse(const struct sens_step_engine *engine, size_t L, bool with_mu,
                           sens_step_reverse **function, const char **why)
{
    struct step_engine *made = (struct step_engine *)engine;
    pthread_mutex_lock(&made->lock);
    const sens_status status = find_reverse(made, L, with_mu) ? SENS_OK : make_reverse(made, L, with_mu);
    *function = find_reverse(made, L, with_mu);
    *why = made->why.text;
    pthread_mutex_unlock(&made->lock);
    return status;
}

/* ---- making it --------------------------------------------------------------------------------------------- */

static sens_status refuse(struct bench_error *error, const struct sens_tableau *tableau, size_t n)
{
    if (tableau->family != SENS_FAMILY_EXPLICIT)
        bench_refuse(error, "tableau=%s is not explicit; engine=library takes any", tableau->name);
    else if (n > STEP_MOST_STATES)
        bench_refuse(error, "%zu states; steps are compiled for up to %d, engine=library takes any", n,
                     STEP_MOST_STATES);
    else
        return SENS_OK;
    return SENS_UNSUPPORTED;
}

static sens_status record(struct sens_ctx *ctx, struct step_engine *made, const struct sens_problem *own)
{
    const struct recording *source;
    const struct sens_at at = {own->t0, own->x0, own->p};
    const double begin = now(made);
    sens_status status = recording_create(ctx, own, NULL, &source);
    if (status != SENS_OK) return status;
    made->f = graph_create();
    if (!made->f) return SENS_NO_MEMORY;
    status = recording_rhs(source, &at, made->f, &made->why);
    made->t_record = now(made) - begin;
    if (status != SENS_OK || made->f->n_guards == 0) return status;
    made->engine.holds = holds;
    return made->tape_maker.create(&made->tape_maker, made->f, &made->shape, &at, &made->tape);
}

static sens_status make_all(struct sens_ctx *ctx, struct step_engine *made, const struct sens_problem *own)
{
    sens_status status = refuse(&made->why, made->engine.tableau, own->n);
    if (status == SENS_OK) status = compiler_find(&made->compiler, &made->why);
    if (status == SENS_OK) status = record(ctx, made, own);
    if (status != SENS_OK) return status;
    const struct step_request request = request_of(made);
    made->engine.forward = (sens_step_forward *)make(made, &request, &made->forward);
    if (!made->engine.forward) return SENS_UNSUPPORTED;
    return step_forward_agrees(made->problem, &made->engine, &made->why) ? SENS_OK : SENS_UNSUPPORTED;
}

sens_status step_engine_make(struct sens_ctx *ctx, const struct sens_provider_request *request,
                             const struct sens_tableau *tableau, struct sens_problem *problem)
{
    const struct sens_problem *own = request->inner;
    struct step_engine *made = SENS_NEW(ctx, struct step_engine, 1);
    if (!made) return SENS_NO_MEMORY;
    *made = (struct step_engine){.engine = {.tableau = tableau, .reverse = reverse},
                                 .problem = problem,
                                 .isa = request->variant->isa,
                                 .now = ctx->now,
                                 .lock = PTHREAD_MUTEX_INITIALIZER};
    made->shape =
        (struct function_shape){.outputs = own->n, .n = own->n, .np = own->np, .threads = request->threads};
    made->tape_maker = tape_engine(request->variant->tape, ctx->now);
    sens_status status = sens_arena_attach(&ctx->arena, end, made);
    if (status == SENS_OK) status = make_all(ctx, made, own);
    atomic_store(&made->by_library, 0); /* of the comparison */
    if (status == SENS_OK) problem->engine = &made->engine;
    if (status == SENS_OK || status == SENS_NO_MEMORY || !made->why.text[0]) return status;
    return sens_fail(ctx, SENS_UNSUPPORTED, "%s", made->why.text);
}

void step_engine_account(const struct sens_step_engine *engine, struct sens_engine_account *account)
{
    const struct step_engine *made = (const struct step_engine *)engine;
    account->t_record = made->t_record;
    account->t_generate = made->t_generate;
    account->t_compile = made->t_compile;
    account->by_library = atomic_load(&made->by_library);
}
