/* derive/engine/tape_engine.c - products by tapes, each made when it is first wanted. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "compile_tape.h"
#include "copy.h"
#include "engine.h"
#include "products.h"

enum { HVP_KINDS = 16, GUARDS_PLACE = PRODUCT_HVP + HVP_KINDS, PROGRAMS, ALIGNMENT = 64, FEW_NUMBERS = 64 };

struct program {
    struct sens_tape *tape;
    struct derive_entries entries; /* their graph is not kept */
    size_t points;                 /* at a time */
    size_t n_rooms;
    _Atomic(double *) *room; /* [n_rooms] memory for a call; NULL: it is in use */
};

struct tape_of {
    struct engine engine;
    const struct graph *f;
    struct function_shape shape;
    pthread_mutex_t making; /* of what follows */
    _Atomic(struct program *) program[PROGRAMS];
    struct structure structure;
    bool looked; /* for it */
};

/* ---- memory of calls -------------------------------------------------------------------------------------- */

static double *make_room(const struct tape_of *of, const struct program *program)
{
    const struct sens_tape_functions *functions = of->engine.maker->tape;
    const size_t bytes = functions->room(program->tape, program->points) * sizeof(double);
    double *room = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (room) functions->prepare(program->tape, program->points, room);
    return room;
}

/* *place: whose memory it is; n_rooms: of none, made for this call alone. */
static double *take_room(const struct tape_of *of, struct program *program, size_t *place)
{
    for (*place = 0; *place < program->n_rooms; ++*place) {
        double *room = atomic_exchange_explicit(&program->room[*place], NULL, memory_order_acquire);
        if (room) return room;
    }
    return make_room(of, program);
}

/* No more than a store: one that waits for all others takes as long as a small product. */
static void give_room(struct program *program, size_t place, double *room)
{
    if (place < program->n_rooms)
        atomic_store_explicit(&program->room[place], room, memory_order_release);
    else
        free(room);
}

static sens_status make_rooms(const struct tape_of *of, struct program *program)
{
    const size_t wanted = of->shape.threads > 1 ? (size_t)of->shape.threads : 1;
    program->room = calloc(wanted, sizeof *program->room);
    while (program->room && program->n_rooms < wanted) {
        double *room = make_room(of, program);
        if (!room) return SENS_NO_MEMORY;
        atomic_init(&program->room[program->n_rooms++], room);
    }
    return program->room ? SENS_OK : SENS_NO_MEMORY;
}

static void destroy_program(struct program *program)
{
    if (!program) return;
    for (size_t k = 0; k < program->n_rooms; k++) free(program->room[k]);
    free(program->room);
    tape_destroy(program->tape);
    derive_entries_destroy(&program->entries);
    free(program);
}

/* ---- graphs of products ------------------------------------------------------------------------------------ */

/* The parts of a direction and whether a sum is wanted, as one number. */
static size_t place_of(enum product_kind kind, unsigned parts, bool sum)
{
    if (kind == PRODUCT_GUARDS) return GUARDS_PLACE;
    return kind == PRODUCT_HVP ? PRODUCT_HVP + 2 * (parts & 7) + sum : kind;
}

/* Is df/dx as a full matrix faster to multiply with, or the only form that fits all paths? */
static bool is_dense(const struct tape_of *of, const struct sens_pattern *pattern)
{
    const size_t all = pattern->rows * pattern->cols;
    return of->f->n_guards > 0 || all <= FEW_NUMBERS || pattern->start[pattern->rows] > all / 3;
}

static sens_status entries_of(const struct tape_of *of, size_t place, struct program *program,
                              struct graph **product)
{
    struct derive_entries *entries = &program->entries;
    const bool of_x = place == PRODUCT_JACOBIAN;
    sens_status status =
        of_x ? derive_jacobian(of->f, of->shape.n, entries) : derive_jacobian_p(of->f, of->shape.np, entries);
    if (status != SENS_OK) return status;
    if (of_x && is_dense(of, &entries->pattern)) {
        status = derive_dense(entries, product);
        derive_entries_destroy(entries);
        return status;
    }
    *product = entries->graph;
    entries->graph = NULL;
    return SENS_OK;
}

/* Nothing is found where there are guards: on their other side the structure may be another. */
static sens_status look_for_structure(struct tape_of *of)
{
    if (of->looked || of->f->n_guards > 0) return SENS_OK;
    const sens_status status = structure_find(of->f, of->shape.n, of->shape.np, &of->structure);
    of->looked = status == SENS_OK;
    return status;
}

/* A copy of the part; SENS_UNSUPPORTED: there is none. */
static sens_status part_of(struct tape_of *of, enum structure_part part, struct graph **product)
{
    const sens_status status = look_for_structure(of);
    if (status != SENS_OK) return status;
    const struct graph *found = of->structure.part[part];
    return found ? copy_outputs(found, 0, found->n_outputs, product) : SENS_UNSUPPORTED;
}

/* Those that are numbers, not lanes. */
static sens_status numbers_of(struct tape_of *of, size_t place, struct program *program,
                              struct graph **product)
{
    switch (place) {
    case GUARDS_PLACE:
        return derive_guards(of->f, product);
    case PRODUCT_RHS:
        return copy_outputs(of->f, 0, of->shape.outputs, product);
    case PRODUCT_RHS_T:
        return derive_rhs_t(of->f, product);
    case PRODUCT_JACOBIAN:
    case PRODUCT_JACOBIAN_P:
        return entries_of(of, place, program, product);
    default:
        return part_of(of, STRUCTURE_S + (enum structure_part)(place - PRODUCT_S), product);
    }
}

/* Holds the lock. */
static sens_status product_of(struct tape_of *of, size_t place, struct program *program,
                              struct tape_request *request, struct graph **product)
{
    const struct function_shape *shape = &of->shape;
    request->vector = GRAPH_W;
    request->written = shape->n;
    if (place == GUARDS_PLACE || (place >= PRODUCT_RHS_T && place <= PRODUCT_DIAGONAL)) {
        request->vector = GRAPH_OPS;
        request->written = place == GUARDS_PLACE ? 0 : SIZE_MAX;
        return numbers_of(of, place, program, product);
    }
    switch (place) {
    case PRODUCT_VJP:
        return derive_vjp(of->f, shape->n, product);
    case PRODUCT_VJP_P:
        request->written = 0;
        return derive_vjp_p(of->f, shape->np, product);
    case PRODUCT_JVP:
        request->vector = GRAPH_DX;
        request->written = shape->outputs;
        return derive_along(of->f, DERIVE_X, product);
    case PRODUCT_JVP_P:
        request->vector = GRAPH_DP;
        request->written = shape->outputs;
        return derive_along(of->f, DERIVE_P, product);
    default:
        place -= PRODUCT_HVP;
        return derive_hvp(of->f, shape->n, place % 2 ? shape->np : 0, (unsigned)(place / 2), product);
    }
}

static sens_status make_program(struct tape_of *of, size_t place, struct program *program)
{
    struct graph *product = NULL;
    struct tape_request request = {.n = of->shape.n, .np = of->shape.np};
    sens_status status = product_of(of, place, program, &request, &product);
    if (status == SENS_OK) status = tape_compile(product, &request, &program->tape);
    graph_destroy(product);
    program->points = place == PRODUCT_VJP_P || place == GUARDS_PLACE ? SENS_TAPE_POINTS : 1;
    return status == SENS_OK ? make_rooms(of, program) : status;
}

static double now(const struct tape_of *of)
{
    return of->engine.maker->now ? of->engine.maker->now() : 0;
}

/* The program, made now if there is none yet. */
static sens_status program_at(struct tape_of *of, size_t place, struct program **found)
{
    sens_status status = SENS_OK;
    *found = atomic_load(&of->program[place]);
    if (*found) return SENS_OK;
    pthread_mutex_lock(&of->making);
    *found = atomic_load(&of->program[place]);
    if (!*found) {
        const double begin = now(of);
        *found = calloc(1, sizeof **found);
        status = *found ? make_program(of, place, *found) : SENS_NO_MEMORY;
        of->engine.seconds += now(of) - begin;
        if (status != SENS_OK) {
            destroy_program(*found);
            *found = NULL;
        }
        atomic_store(&of->program[place], *found);
    }
    pthread_mutex_unlock(&of->making);
    return status;
}

/* ---- the engine -------------------------------------------------------------------------------------------- */

static struct tape_of *of_engine(struct engine *engine)
{
    return (struct tape_of *)engine;
}

static sens_status create(const struct engine_maker *maker, const struct graph *f,
                          const struct function_shape *shape, const struct sens_at *at,
                          struct engine **engine)
{
    (void)at;
    struct tape_of *made = calloc(1, sizeof *made);
    if (!made) return SENS_NO_MEMORY;
    made->engine.maker = maker;
    made->f = f;
    made->shape = *shape;
    if (pthread_mutex_init(&made->making, NULL) != 0) {
        free(made);
        return SENS_NO_MEMORY;
    }
    *engine = &made->engine;
    return SENS_OK;
}

static void destroy(struct engine *engine)
{
    struct tape_of *of = of_engine(engine);
    if (!engine) return;
    for (size_t k = 0; k < PROGRAMS; k++) destroy_program(atomic_load(&of->program[k]));
    structure_release(&of->structure);
    pthread_mutex_destroy(&of->making);
    free(of);
}

static sens_status plan(struct engine *engine, enum product_kind kind)
{
    struct program *program;
    return program_at(of_engine(engine), kind, &program);
}

static bool run_unguarded(const struct sens_tape_functions *functions, const struct program *program,
                          const struct sens_tape_call *call, double *room)
{
    struct sens_tape_call on = *call;
    on.unguarded = true;
    return functions->run(program->tape, &on, room);
}

/* The call is passed on where it stands: a copy of what has just been written would wait for the cache. */
static sens_status run(struct engine *engine, const struct product_call *call)
{
    struct tape_of *of = of_engine(engine);
    const struct sens_tape_functions *functions = engine->maker->tape;
    struct program *program;
    size_t place;
    const sens_status status = program_at(of, place_of(call->kind, call->parts, call->on.sum), &program);
    if (status != SENS_OK) return status;
    double *room = take_room(of, program, &place);
    if (!room) return SENS_NO_MEMORY;
    const bool held = call->at_its_own ? run_unguarded(functions, program, &call->on, room)
                                       : functions->run(program->tape, &call->on, room);
    give_room(program, place, room);
    return held ? SENS_OK : SENS_OUT_OF_DOMAIN;
}

static const struct sens_pattern *pattern(struct engine *engine, enum product_kind kind)
{
    struct program *program;
    if (program_at(of_engine(engine), kind, &program) != SENS_OK) return NULL;
    return program->entries.pattern.start ? &program->entries.pattern : NULL;
}

static const struct structure *structure(struct engine *engine)
{
    struct tape_of *of = of_engine(engine);
    pthread_mutex_lock(&of->making);
    const double begin = now(of);
    const sens_status status = look_for_structure(of);
    of->engine.seconds += now(of) - begin;
    pthread_mutex_unlock(&of->making);
    return status == SENS_OK ? &of->structure : NULL;
}

static void operations(struct engine *engine, enum product_kind kind, double *shared, double *vector)
{
    struct program *program;
    *shared = *vector = (double)NAN;
    if (program_at(of_engine(engine), kind, &program) != SENS_OK) return;
    const struct tape_cost cost = tape_cost(program->tape);
    *shared = cost.values;
    *vector = cost.lane;
}

struct engine_maker tape_engine(const struct sens_tape_functions *functions, double (*clock)(void))
{
    return (struct engine_maker){.create = create,
                                 .destroy = destroy,
                                 .plan = plan,
                                 .run = run,
                                 .pattern = pattern,
                                 .structure = structure,
                                 .operations = operations,
                                 .tape = functions,
                                 .now = clock};
}
