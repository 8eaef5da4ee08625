/* derive/provider/derived_cost.c - the functions of a cost, recorded, and its gradients by products of their graphs. */
#include "derived_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "paths.h"
#include "recording.h"
#include "sens/decorate.h"
#include "sens/registry.h"

enum {
    FEW_OUTPUTS = 8, /* of a group: as many as methods have lanes in a block */
    MOST_GROUPS = 64 /* each is recorded by itself */
};

struct function { /* outputs [first, first + count) of phi_j, or of g */
    const struct recording *recording;
    const struct sens_cost *cost; /* in double */
    bool running;
    size_t j, first, count;
};

struct group {
    struct function function;
    struct watched watched;
    struct paths paths;
};

struct derived_cost { /* the data of the wrapped cost */
    struct sens_decorated_cost room;
    size_t width, groups; /* outputs of a group, groups of a function */
    struct group *group;  /* [n_obs + 1][groups]: phi_0, phi_1, ..., g */
    size_t opened;        /* groups */
    bool depends_on_p;    /* any of them, as far as it is known */
};

/* ---- the functions: recorded, and in double ---------------------------------------------------------------- */

static sens_status record_outputs(const struct function *function, const struct sens_at *at,
                                  struct graph *graph, struct bench_error *error)
{
    return function->running ? recording_g(function->recording, at, graph, error)
                             : recording_phi(function->recording, function->j, at->x, at->p, graph, error);
}

/* The graph is that of all outputs; what is not of this group goes. */
static sens_status record(const void *source, const struct sens_at *at, struct graph *graph,
                          struct bench_error *error)
{
    const struct function *function = source;
    sens_status status = record_outputs(function, at, graph, error);
    if (status != SENS_OK || function->count == graph->n_outputs) return status;
    graph_keep_outputs(graph, function->first, function->count);
    return keep_needed(graph);
}

static sens_status compute(const void *of, const struct sens_at *at, double *out)
{
    const struct function *function = of;
    const struct sens_cost *cost = function->cost;
    double *all = calloc(cost->m, sizeof *all);
    if (!all) return SENS_NO_MEMORY;
    if (function->running)
        cost->type->g(cost, at, 1, all);
    else
        cost->type->phi(cost, function->j, at->x, at->p, all);
    for (size_t c = 0; c < function->count; c++) out[c] = all[function->first + c];
    free(all);
    return SENS_OK;
}

/* ---- a block of lanes -------------------------------------------------------------------------------------- */

struct
    block { /* w times the derivative of the outputs c0 ... c0 + L - 1 at a point is added to OUT [rows][L] */
    struct sens_at at;
    double w;
    enum product_kind kind;
    size_t c0, L, n, rows;
    size_t used; /* lanes that have an output; set by add */
    double *OUT;
};

/* Numbers that no method takes for a result. */
static void spoil(const struct block *block)
{
    for (size_t k = 0; k < block->rows; k++)
        for (size_t l = 0; l < block->used; l++) block->OUT[k * block->L + l] = (double)NAN;
}

/* W [count][used], and room [rows][used] for what is added. Lanes past the outputs are not run with W = 0: they are to
 * stay as they are, and 0 times what is no number is none. */
static bool run_group(struct group *group, const struct block *block, double *W, double *room)
{
    const size_t first = group->function.first, L = block->used;
    struct product_call call = {.kind = block->kind,
                                .on = {.points = 1,
                                       .t = &block->at.t,
                                       .x = block->at.x,
                                       .x_step = block->n,
                                       .p = block->at.p,
                                       .lanes = L,
                                       .v = W}};
    for (size_t c = 0; c < group->function.count; c++)
        if (first + c >= block->c0 && first + c - block->c0 < L) W[c * L + first + c - block->c0] = block->w;
    const bool sums = block->kind != PRODUCT_VJP; /* else it is written to the room, and added from there */
    for (size_t k = 0; sums && k < block->rows; k++)
        memcpy(room + k * L, block->OUT + k * block->L, L * sizeof *room);
    if (sums)
        call.on.sum = room;
    else
        call.on.out = room;
    if (paths_run(&group->paths, &call) != SENS_OK) return false;
    for (size_t k = 0; k < block->rows; k++)
        for (size_t l = 0; l < L; l++) {
            double *const out = &block->OUT[k * block->L + l];
            *out = sums ? room[k * L + l] : *out + room[k * L + l];
        }
    return true;
}

static bool add_group(struct group *group, const struct block *block)
{
    const size_t weights = group->function.count * block->used;
    double *memory = calloc(weights + block->rows * block->used, sizeof *memory);
    const bool done = memory && run_group(group, block, memory, memory + weights);
    free(memory);
    return done;
}

/* group: the first of the function. */
static void add(const struct derived_cost *derived, struct group *group, struct block block)
{
    const size_t left = derived->room.inner.m - block.c0;
    block.used = block.L < left ? block.L : left;
    if (block.rows == 0 || block.L == 0) return;
    for (size_t k = block.c0 / derived->width; k * derived->width < block.c0 + block.used; k++)
        if (!add_group(&group[k], &block)) {
            spoil(&block);
            return;
        }
}

/* ---- the slots of the cost --------------------------------------------------------------------------------- */

static void add_phi(const struct sens_cost *cost, size_t j, const struct block *block)
{
    const struct derived_cost *derived = cost->data;
    if (block->c0 < cost->m) add(derived, derived->group + j * derived->groups, *block);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    const struct sens_at at = {cost->t_obs[j], x, p};
    add_phi(cost, j, &(struct block){at, 1, PRODUCT_VJP, c0, L, cost->n, cost->n, 0, OUT});
}

static void phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *MU)
{
    const struct sens_at at = {cost->t_obs[j], x, p};
    add_phi(cost, j, &(struct block){at, 1, PRODUCT_VJP_P, c0, L, cost->n, cost->np, 0, MU});
}

/* It stands behind all observations. */
static void g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *OUT)
{
    add_phi(cost, cost->n_obs, &(struct block){*at, w, PRODUCT_VJP, c0, L, cost->n, cost->n, 0, OUT});
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *MU)
{
    add_phi(cost, cost->n_obs, &(struct block){*at, w, PRODUCT_VJP_P, c0, L, cost->n, cost->np, 0, MU});
}

/* ---- making it --------------------------------------------------------------------------------------------- */

static void end(void *object)
{
    struct derived_cost *derived = object;
    for (size_t k = 0; k < derived->opened; k++) paths_destroy(&derived->group[k].paths);
}

/* On another path it may. */
static bool may_depend_on_p(const struct graph *graph)
{
    bool found = graph->n_guards > 0;
    for (size_t k = 0; !found && k < graph->n_nodes; k++) found = graph->node[k].op == GRAPH_P;
    return found;
}

static sens_status plan(struct derived_cost *derived, const struct group *group)
{
    struct engine *engine = paths_first_engine(&group->paths);
    const sens_status status = engine->maker->plan(engine, PRODUCT_VJP);
    const bool of_p = may_depend_on_p(paths_first_graph(&group->paths));
    derived->depends_on_p = derived->depends_on_p || of_p;
    return status == SENS_OK && of_p ? engine->maker->plan(engine, PRODUCT_VJP_P) : status;
}

/* Where it is not finite at the nominal point, it is recorded where it is first called: a cost may be log x(t1) with
 * x(t0) = 0. */
static sens_status open_group(struct sens_ctx *ctx, struct derived_cost *derived, const struct sens_at *at,
                              struct group *group)
{
    struct bench_error error = {.text = ""};
    sens_status status = paths_open(&group->paths);
    if (status != SENS_OK) return status;
    derived->opened++;
    status = paths_record(&group->paths, at, &error);
    if (status == SENS_OK) return plan(derived, group);
    if (status == SENS_NONFINITE) derived->depends_on_p = true;
    if (status == SENS_NONFINITE || status == SENS_NO_MEMORY)
        return status == SENS_NONFINITE ? SENS_OK : status;
    return sens_fail(ctx, SENS_UNSUPPORTED, "%s", error.text[0] ? error.text : sens_status_message(status));
}

static void fill_group(const struct sens_provider_request *request, const struct engine_maker *maker,
                       const struct function *function, struct group *group)
{
    const struct sens_cost *cost = function->cost;
    const struct function_shape shape = {function->count, cost->n, cost->np, request->threads};
    *group = (struct group){.function = *function,
                            .watched = {.kind = "cost",
                                        .name = cost->type->name,
                                        .function = function->running ? "g" : "phi",
                                        .n = cost->n,
                                        .np = cost->np,
                                        .outputs = function->count,
                                        .value = compute,
                                        .of = &group->function},
                            .paths = {.record = record,
                                      .source = &group->function,
                                      .shape = shape,
                                      .maker = *maker,
                                      .watch = {.function = &group->watched}}};
}

/* All groups of phi_j, or of g (j = n_obs). */
static sens_status open_function(struct sens_ctx *ctx, const struct sens_provider_request *request,
                                 struct derived_cost *derived, const struct recording *recording, size_t j)
{
    const struct sens_cost *cost = &derived->room.inner;
    const struct engine_maker maker = tape_engine(request->variant->tape, ctx->now);
    const bool running = j == cost->n_obs;
    const struct sens_at at = {running ? request->inner->t0 : cost->t_obs[j], request->inner->x0,
                               request->inner->p};
    sens_status status = SENS_OK;
    for (size_t k = 0; k < derived->groups && status == SENS_OK; k++) {
        const size_t first = k * derived->width, left = cost->m - first;
        const struct function function = {recording, cost,  running,
                                          j,         first, left < derived->width ? left : derived->width};
        struct group *group = &derived->group[j * derived->groups + k];
        fill_group(request, &maker, &function, group);
        status = open_group(ctx, derived, &at, group);
    }
    return status;
}

static sens_status open_all(struct sens_ctx *ctx, const struct sens_provider_request *request,
                            struct derived_cost *derived)
{
    const struct sens_cost *cost = &derived->room.inner;
    const struct recording *recording;
    sens_status status = recording_create_cost(ctx, request->inner, cost, &recording);
    for (size_t j = 0; j < cost->n_obs && status == SENS_OK; j++)
        status = open_function(ctx, request, derived, recording, j);
    if (status == SENS_OK && cost->type->g)
        status = open_function(ctx, request, derived, recording, cost->n_obs);
    return status;
}

/* At least FEW_OUTPUTS in a group, and no more than MOST_GROUPS of them. */
static sens_status divide(struct sens_ctx *ctx, struct derived_cost *derived)
{
    const struct sens_cost *cost = &derived->room.inner;
    const size_t least = (cost->m + MOST_GROUPS - 1) / MOST_GROUPS;
    derived->width = (least + FEW_OUTPUTS - 1) / FEW_OUTPUTS * FEW_OUTPUTS;
    derived->groups = (cost->m + derived->width - 1) / derived->width;
    derived->group = SENS_NEW(ctx, struct group, (cost->n_obs + 1) * derived->groups);
    return derived->group ? SENS_OK : SENS_NO_MEMORY;
}

/* Says before the message, which names the place in the source, what it is about. */
static sens_status refuse(struct sens_ctx *ctx, sens_status status)
{
    char why[sizeof ctx->message];
    if (status == SENS_NO_MEMORY) return status;
    memcpy(why, ctx->message, sizeof why);
    return sens_fail(ctx, SENS_UNSUPPORTED, "its gradients cannot be derived: %s",
                     why[0] ? why : sens_status_message(status));
}

static void fill_slots(struct derived_cost *derived)
{
    struct sens_cost_type *type = &derived->room.type;
    type->phi_dx = type->phi ? phi_dx : NULL;
    type->g_dx = type->g ? g_dx : NULL;
    type->phi_dp = type->phi && derived->depends_on_p ? phi_dp : NULL;
    type->g_dp = type->g && derived->depends_on_p ? g_dp : NULL;
}

sens_status derived_cost_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                              const struct sens_cost *inner, struct sens_cost *wrapped)
{
    static const struct sens_cost_type nothing = {.name = NULL};
    struct derived_cost *derived = SENS_NEW(ctx, struct derived_cost, 1);
    struct sens_cost made;
    if (!derived) return SENS_NO_MEMORY;
    sens_cost_decorate(inner, &nothing, derived, &derived->room, &made);
    sens_status status = divide(ctx, derived);
    if (status == SENS_OK) status = sens_arena_attach(&ctx->arena, end, derived);
    ctx->message[0] = '\0';
    if (status == SENS_OK) status = open_all(ctx, request, derived);
    if (status != SENS_OK) return refuse(ctx, status);
    fill_slots(derived);
    *wrapped = made;
    return SENS_OK;
}

void derived_cost_account(const struct sens_cost *wrapped, struct sens_provider_account *account)
{
    const struct derived_cost *derived = wrapped->data;
    *account = (struct sens_provider_account){.ran = "tape"};
    for (size_t k = 0; k < derived->opened; k++) {
        const struct paths *paths = &derived->group[k].paths;
        account->n_recorded += (double)atomic_load(&paths->n_recorded);
        account->t_record += paths->t_record;
        account->t_analyse += paths_analysis(paths);
        if (!account->broken) account->broken = watch_reason(&paths->watch);
    }
}
