/* harness/derive/record/recording.c - an instance that can be recorded, and its functions run on numbers that
 * record. */
#include "recording.h"

#include <math.h>
#include <stdio.h> /* snprintf */
#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "modules.h"
#include "recorded.h"
#include "recorder.h"
#include "replay.h"

struct recording {
    const char *name; /* of the problem */
    size_t n, np, m;
    bool x0_depends;
    const struct recorded_problem *problem;
    const struct recorded_cost *cost;          /* NULL: none */
    const struct program_equations *equations; /* of a model, which needs no recording; else NULL */
    size_t only;                               /* of its own costs (problems/program/cost.c) */
};

/* ---- instances ----------------------------------------------------------------------------------------- */

/* Types of a recorded part have the layout of those in double, and the name first. */
static const void *find(const void *const *types, const char *name)
{
    for (; types && *types; types++) {
        const char *const *const first = *types;
        if (strcmp(*first, name) == 0) return *types;
    }
    return NULL;
}

/* Of the program or of a module; NULL: of none. */
static const void *find_problem_type(const char *name)
{
    const void *type = find(sens_recorded_entry()->problems, name);
    for (size_t i = 0; !type && i < recorded_parts(); i++)
        type = find((const void *const *)recorded_part(i)->problems, name);
    return type;
}

static const void *find_cost_type(const char *name)
{
    const void *type = find(sens_recorded_entry()->costs, name);
    for (size_t i = 0; !type && i < recorded_parts(); i++)
        type = find((const void *const *)recorded_part(i)->costs, name);
    return type;
}

static sens_status refuse_part(struct sens_ctx *ctx, const char *kind, const char *name)
{
    return sens_fail(
        ctx, SENS_UNSUPPORTED,
        "%s %s cannot be recorded: its module has no recorded part; compile its source a second time "
        "as sens/recorded.h says, and link both",
        kind, name);
}

static struct recorded_start start_of(const struct sens_problem *pb)
{
    return (struct recorded_start){.type = find_problem_type(pb->type->name),
                                   .name = pb->type->name,
                                   .option = pb->option,
                                   .n = pb->n,
                                   .np = pb->np,
                                   .t0 = pb->t0,
                                   .t1 = pb->t1,
                                   .x0 = pb->x0,
                                   .p = pb->p,
                                   .x0_fixed = pb->x0_fixed};
}

static sens_status add_problem(struct sens_ctx *ctx, const struct sens_problem *pb,
                               struct recording *recording)
{
    struct recorded_problem *problem;
    const struct recorded_start start = start_of(pb);
    if (pb->inner || !pb->option)
        return sens_fail(ctx, SENS_UNSUPPORTED, "problem %s: a decorated one cannot be recorded",
                         recording->name);
    if (pb->type->model) {
        const struct written *written = pb->data;
        recording->equations = &written->equations;
        return SENS_OK;
    }
    if (!start.type) return refuse_part(ctx, "problem", recording->name);
    const sens_status status = sens_recorded_entry()->create_problem(ctx, &start, &problem);
    recording->problem = problem;
    return status;
}

/* The cost that a model itself declares. */
static bool is_own(const struct sens_cost *cost)
{
    return strcmp(cost->type->name, variant_all()[0]->own->name) == 0;
}

static sens_status add_cost(struct sens_ctx *ctx, const struct sens_cost *cost, struct recording *recording)
{
    struct recorded_cost *made;
    const char *name = cost->type->name;
    const void *type = find_cost_type(name);
    if (cost->inner || !cost->option)
        return sens_fail(ctx, SENS_UNSUPPORTED, "cost %s: a decorated one cannot be recorded", name);
    if (recording->equations && is_own(cost)) {
        recording->only = (size_t)cost->option[0].number;
        recording->m = cost->m;
        return SENS_OK;
    }
    if (!type || recording->equations) return refuse_part(ctx, "cost", name);
    const sens_status status =
        sens_recorded_entry()->create_cost(ctx, type, cost->option, recording->problem, &made);
    if (status != SENS_OK) return status;
    if (sens_recorded_entry()->outputs(made) != cost->m)
        return sens_fail(ctx, SENS_BAD_INPUT, "cost %s: its recorded part has another number of outputs",
                         name);
    recording->cost = made;
    recording->m = cost->m;
    return SENS_OK;
}

sens_status recording_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                             const struct sens_cost *cost, const struct recording **made)
{
    struct recording *recording = SENS_NEW(ctx, struct recording, 1);
    if (!recording) return SENS_NO_MEMORY;
    *recording = (struct recording){
        .name = pb->type->name, .n = pb->n, .np = pb->np, .x0_depends = sens_problem_x0_depends(pb)};
    sens_status status = add_problem(ctx, pb, recording);
    if (status == SENS_OK && cost) status = add_cost(ctx, cost, recording);
    if (status == SENS_OK) status = recording_agrees(ctx, recording, pb);
    if (status == SENS_OK && cost) status = recording_cost_agrees(ctx, recording, pb, cost);
    if (status == SENS_OK) *made = recording;
    return status;
}

/* The problem as far as a cost is created with it; one that is decorated may have other numbers than its inner one. */
static sens_status add_problem_of_cost(struct sens_ctx *ctx, const struct sens_problem *pb,
                                       const struct sens_cost *cost, struct recording *recording)
{
    struct recorded_problem *problem;
    struct recorded_start start = start_of(pb);
    while (pb->inner) pb = pb->inner;
    if (pb->type->model && is_own(cost)) {
        const struct written *written = pb->data;
        recording->equations = &written->equations;
        return SENS_OK;
    }
    start.option = pb->option;
    if (!pb->option || pb->type->model) start.type = NULL;
    const sens_status status = sens_recorded_entry()->create_problem(ctx, &start, &problem);
    recording->problem = problem;
    return status;
}

sens_status recording_create_cost(struct sens_ctx *ctx, const struct sens_problem *pb,
                                  const struct sens_cost *cost, const struct recording **made)
{
    struct recording *recording = SENS_NEW(ctx, struct recording, 1);
    if (!recording) return SENS_NO_MEMORY;
    *recording = (struct recording){.name = pb->type->name, .n = pb->n, .np = pb->np};
    sens_status status = add_problem_of_cost(ctx, pb, cost, recording);
    if (status == SENS_OK) status = add_cost(ctx, cost, recording);
    if (status == SENS_OK) status = recording_cost_agrees(ctx, recording, pb, cost);
    if (status == SENS_OK) *made = recording;
    return status;
}

/* ---- one function, run once ---------------------------------------------------------------------------- */

struct call { /* which, and its arguments in 128 bits */
    const struct recording *recording;
    enum { CALL_RHS, CALL_X0, CALL_G, CALL_PHI } function;
    size_t j;
    record_number t, *x, *p, *output; /* [n], [np], [n] or [m] */
    size_t n_outputs;
    bool slopes; /* recorder.h */
};

static sens_status run(const struct call *call)
{
    const struct recorded_entry *entry = sens_recorded_entry();
    const struct recording *recording = call->recording;
    switch (call->function) {
    case CALL_RHS:
        return entry->rhs(recording->problem, &call->t, call->x, call->p, call->output);
    case CALL_X0:
        entry->x0(recording->problem, call->p, call->output);
        break;
    case CALL_G:
        entry->g(recording->cost, &call->t, call->x, call->p, call->output);
        break;
    case CALL_PHI:
        entry->phi(recording->cost, call->j, call->x, call->p, call->output);
        break;
    }
    return SENS_OK;
}

static void set_leaves(struct recorder *recorder, struct call *call, const struct sens_at *at)
{
    const struct recording *recording = call->recording;
    if (call->function != CALL_X0 && call->function != CALL_PHI)
        call->t = recorder_leaf(recorder, GRAPH_T, 0, at->t);
    for (size_t i = 0; call->function != CALL_X0 && i < recording->n; i++)
        call->x[i] = recorder_leaf(recorder, GRAPH_X, i, at->x[i]);
    for (size_t k = 0; k < recording->np; k++) call->p[k] = recorder_leaf(recorder, GRAPH_P, k, at->p[k]);
}

/* Here the recorder comes back to from wherever it fails (recorder.h); nothing is changed between. */
static sens_status run_recorded(struct recorder *recorder, const struct call *call)
{
    if (setjmp(recorder->escape)) return recorder->status;
    return run(call);
}

static sens_status add_outputs(struct recorder *recorder, const struct call *call)
{
    for (size_t i = 0; i < call->n_outputs; i++) {
        if (!recorder_is_node(call->output[i]) && !isfinite((double)call->output[i])) {
            bench_refuse(recorder->error, "output %zu is %g", i, (double)call->output[i]);
            return SENS_NONFINITE;
        }
        if (!recorder_owns(recorder, call->output[i])) {
            bench_refuse(recorder->error, "output %zu is a number that was left in memory by another call",
                         i);
            return SENS_UNSUPPORTED;
        }
        graph_add_output(recorder->graph, recorder_node(recorder, call->output[i]));
    }
    return graph_status(recorder->graph);
}

static sens_status replay(const struct call *call, struct graph *graph)
{
    const struct program_equations *equations = call->recording->equations;
    switch (call->function) {
    case CALL_RHS:
        return replay_program(&equations->f, 0, graph);
    case CALL_X0:
        return replay_program(&equations->initial, 0, graph);
    case CALL_G:
        return replay_program(&equations->g, call->recording->only, graph);
    case CALL_PHI:
        return replay_program(&equations->phi[call->j], call->recording->only, graph);
    }
    return SENS_UNSUPPORTED;
}

static sens_status record_call(struct call *call, const struct sens_at *at, struct graph *graph,
                               struct bench_error *error)
{
    const size_t n = call->recording->n, np = call->recording->np;
    struct recorder recorder;
    if (call->recording->equations) return replay(call, graph);
    record_number *memory = calloc(n + np + call->n_outputs, sizeof *memory);
    error->text[0] = '\0';
    if (!memory) return SENS_NO_MEMORY;
    call->x = memory, call->p = call->x + n, call->output = call->p + np;
    graph_reserve(graph, 2 * (n + np));
    if (!recorder_begin(&recorder, graph, error)) {
        free(memory);
        return SENS_NO_MEMORY;
    }
    recorder.slopes = call->slopes;
    set_leaves(&recorder, call, at);
    sens_status status = recorder.status;
    if (status == SENS_OK) status = run_recorded(&recorder, call);
    if (status == SENS_OK) status = add_outputs(&recorder, call);
    recorder_end(&recorder);
    free(memory);
    return status;
}

sens_status recording_rhs(const struct recording *recording, const struct sens_at *at, struct graph *graph,
                          struct bench_error *error)
{
    struct call call = {.recording = recording, .function = CALL_RHS, .n_outputs = recording->n};
    return record_call(&call, at, graph, error);
}

/* Does output i need the node? needed [n_nodes] is written. */
static bool output_needs(const struct graph *graph, size_t i, graph_node node, bool *needed)
{
    memset(needed, 0, graph->n_nodes * sizeof *needed);
    needed[graph->output[i]] = true;
    for (size_t k = graph->n_nodes; k-- > node;) {
        const struct graph_operation *operation = &graph->node[k];
        for (unsigned o = 0; needed[k] && o < graph_operands(operation->op); o++)
            needed[graph_operand(operation, o)] = true;
    }
    return needed[node];
}

static bool tell_slope(const struct graph *graph, graph_node node, const double *value, bool *needed,
                       struct bench_error *error)
{
    const struct graph_operation *operation = &graph->node[node];
    const bool two = graph_operands(operation->op) > 1;
    size_t i = 0;
    char second[32] = "";
    while (i < graph->n_outputs && !output_needs(graph, i, node, needed)) i++;
    if (two) snprintf(second, sizeof second, ", %.9g", value[operation->b]);
    if (i == graph->n_outputs) return false;
    bench_refuse(error, "f[%zu]: the derivative of %s(%.9g%s) is not finite", i, graph_op_name(operation->op),
                 value[operation->a], second);
    return true;
}

/* Of a model. */
static bool replay_lacks_slope(const struct recording *recording, const struct sens_at *at,
                               const struct graph *graph, struct bench_error *error)
{
    const size_t n = recording->n, np = recording->np, nodes = graph->n_nodes;
    long double *wide = calloc(n + np + nodes + 1, sizeof *wide);
    double *value = calloc(nodes, sizeof *value);
    bool *needed = calloc(nodes, sizeof *needed), found = false;
    for (size_t i = 0; wide && i < n; i++) wide[i] = at->x[i];
    for (size_t k = 0; wide && k < np; k++) wide[n + k] = at->p[k];
    if (wide)
        graph_evaluate(graph, &(struct graph_point){.t = at->t, .x = wide, .p = wide + n}, wide + n + np);
    for (size_t k = 0; wide && value && k < nodes; k++) value[k] = (double)wide[n + np + k];
    for (size_t k = 0; wide && value && needed && !found && k < nodes; k++)
        found = graph_lacks_slope(graph, (graph_node)k, value) &&
                tell_slope(graph, (graph_node)k, value, needed, error);
    free(wide), free(value), free(needed);
    return found;
}

bool recording_lacks_slope(const struct recording *recording, const struct sens_at *at,
                           struct bench_error *error)
{
    struct call call = {
        .recording = recording, .function = CALL_RHS, .n_outputs = recording->n, .slopes = true};
    struct graph *plain = graph_create(), *strict = graph_create();
    bool found = false;
    if (plain && strict && recording_rhs(recording, at, plain, error) == SENS_OK)
        found = recording->equations ? replay_lacks_slope(recording, at, plain, error)
                                     : record_call(&call, at, strict, error) == SENS_NONFINITE;
    graph_destroy(plain);
    graph_destroy(strict);
    return found;
}

sens_status recording_x0(const struct recording *recording, const double *p, struct graph *graph,
                         struct bench_error *error)
{
    struct call call = {.recording = recording, .function = CALL_X0, .n_outputs = recording->n};
    return record_call(&call, &(struct sens_at){.p = p}, graph, error);
}

sens_status recording_g(const struct recording *recording, const struct sens_at *at, struct graph *graph,
                        struct bench_error *error)
{
    struct call call = {.recording = recording, .function = CALL_G, .n_outputs = recording->m};
    return record_call(&call, at, graph, error);
}

sens_status recording_phi(const struct recording *recording, size_t j, const double *x, const double *p,
                          struct graph *graph, struct bench_error *error)
{
    struct call call = {.recording = recording, .function = CALL_PHI, .j = j, .n_outputs = recording->m};
    return record_call(&call, &(struct sens_at){.x = x, .p = p}, graph, error);
}
