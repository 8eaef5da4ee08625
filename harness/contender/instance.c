/* A task as JSON, see instance.h. Each function is recorded at the nominal point; where what was recorded is not what
 * the task's own problem or cost computes, to rounding, at points around it, it is not told. */
#include "instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"
#include "json.h"
#include "recording.h"

/* ---- options ----------------------------------------------------------------------------------------- */

/* Numbers and words; data are left out: they are in the functions. */
static json_t *write_options(const struct sens_option *table, const struct sens_value *value)
{
    json_t *const object = json_object();
    for (size_t i = 0; i < sens_option_count(table); i++) {
        const double number = value ? value[i].number : table[i].fallback;
        if (table[i].kind == SENS_OPT_CHOICE)
            json_object_set_new(object, table[i].name, json_of_text(table[i].choices[(size_t)number]));
        else if (table[i].kind == SENS_OPT_INT)
            json_object_set_new(object, table[i].name, json_integer((json_int_t)number));
        else if (table[i].kind == SENS_OPT_REAL)
            json_object_set_new(object, table[i].name, json_of_number(number));
    }
    return object;
}

/* ---- functions ----------------------------------------------------------------------------------------- */

enum function { FUNCTION_F, FUNCTION_X0, FUNCTION_G, FUNCTION_PHI };
enum { POINTS = 4 }; /* at which a recorded function is compared, the nominal one among them */

struct source {
    struct sens_ctx *ctx;
    const struct sens_task *task;
    const struct recording *problem, *cost;
    sens_real *x, *p;  /* a point to compare at */
    sens_real *found;  /* [max(n, m)] */
    long double *wide; /* x, p of it */
};

static sens_status record(const struct source *source, enum function which, size_t j, struct graph *graph)
{
    const struct sens_problem *pb = source->task->problem;
    const struct sens_at at = {pb->t0, pb->x0, pb->p};
    struct bench_error error;
    switch (which) {
    case FUNCTION_F:
        return recording_rhs(source->problem, &at, graph, &error);
    case FUNCTION_X0:
        return recording_x0(source->problem, pb->p, graph, &error);
    case FUNCTION_G:
        return recording_g(source->cost, &at, graph, &error);
    default:
        return recording_phi(source->cost, j, pb->x0, pb->p, graph, &error);
    }
}

/* What the task's own problem and cost say. false: nothing can be said there. */
static bool evaluate(const struct source *source, enum function which, size_t j, const struct sens_at *at)
{
    const struct sens_problem *pb = source->task->problem;
    const struct sens_cost *cost = source->task->cost;
    memset(source->found, 0, (pb->n > cost->m ? pb->n : cost->m) * sizeof *source->found);
    if (which == FUNCTION_F) return pb->type->rhs(pb, at, source->found) == SENS_OK;
    if (which == FUNCTION_X0) sens_problem_x0(pb, at->p, source->found);
    if (which == FUNCTION_G) cost->type->g(cost, at, 1, source->found);
    if (which == FUNCTION_PHI) cost->type->phi(cost, j, at->x, at->p, source->found);
    return true;
}

/* Near the nominal point, each number by at most a tenth of itself: golden-section fractions, no generator needed. */
static void choose_point(const struct source *source, int number, struct sens_at *at)
{
    const struct sens_problem *pb = source->task->problem;
    const double golden = 0.6180339887498949;
    at->t = pb->t0 + (pb->t1 - pb->t0) * fmod(number * golden, 1);
    for (size_t i = 0; i < pb->n + pb->np; i++) {
        const double share = number ? 0.1 * fmod((double)(i + 1) * number * golden, 1) : 0;
        const sens_real nominal = i < pb->n ? pb->x0[i] : pb->p[i - pb->n];
        *(i < pb->n ? &source->x[i] : &source->p[i - pb->n]) = nominal * (1 + share);
    }
    at->x = source->x;
    at->p = source->p;
}

/* Rounding of its terms is far below 1e-9 of the largest number that the function gives. */
static bool agrees_at(const struct source *source, const struct graph *graph, const struct sens_at *at,
                      long double *value)
{
    const size_t n = source->task->problem->n, np = source->task->problem->np;
    long double largest = 0, off = 0;
    for (size_t i = 0; i < n; i++) source->wide[i] = at->x[i];
    for (size_t i = 0; i < np; i++) source->wide[n + i] = at->p[i];
    graph_evaluate(graph, &(struct graph_point){.t = at->t, .x = source->wide, .p = source->wide + n}, value);
    for (size_t i = 0; i < graph->n_outputs; i++) {
        const long double number = value[graph->output[i]];
        if (isfinite(number) != isfinite(source->found[i])) return false;
        if (!isfinite(number)) continue;
        largest = fmaxl(largest, fabsl(number));
        off = fmaxl(off, fabsl(number - source->found[i]));
    }
    return off <= 1e-9L * largest;
}

static bool agrees(const struct source *source, enum function which, size_t j, const struct graph *graph)
{
    long double *const value = calloc(graph->n_nodes, sizeof *value);
    bool same = value && graph->n_guards == 0;
    for (int number = 0; same && number < POINTS; number++) {
        struct sens_at at;
        choose_point(source, number, &at);
        if (evaluate(source, which, j, &at)) same = agrees_at(source, graph, &at, value);
    }
    free(value);
    return same;
}

/* NULL in *formula: it cannot be told. */
static sens_status write_function(const struct source *source, enum function which, size_t j,
                                  json_t **formula)
{
    const struct sens_problem *pb = source->task->problem;
    struct graph *const graph = graph_create();
    if (!graph) return SENS_NO_MEMORY;
    sens_status status = record(source, which, j, graph);
    const bool told = status == SENS_OK && agrees(source, which, j, graph);
    *formula = NULL;
    if (told) status = formula_write(graph, which != FUNCTION_X0, pb->n, pb->np, formula);
    graph_destroy(graph);
    return status == SENS_NO_MEMORY ? status : SENS_OK;
}

static sens_status write_observations(const struct source *source, json_t *functions, bool *told)
{
    json_t *const list = json_array();
    for (size_t j = 0; *told && j < source->task->cost->n_obs; j++) {
        json_t *formula;
        const sens_status status = write_function(source, FUNCTION_PHI, j, &formula);
        *told = formula != NULL;
        if (formula) json_array_append_new(list, formula);
        if (status != SENS_OK) return json_decref(list), status;
    }
    json_object_set_new(functions, "phi", list);
    return SENS_OK;
}

static sens_status write_all(const struct source *source, json_t *functions, bool *told)
{
    static const struct {
        const char *name;
        enum function which;
    } each[] = {{"f", FUNCTION_F}, {"x0", FUNCTION_X0}, {"g", FUNCTION_G}};
    const bool there[] = {true, sens_problem_x0_depends(source->task->problem),
                          source->task->cost->type->g != NULL};
    *told = true;
    for (size_t i = 0; i < 3 && *told; i++) {
        json_t *formula = NULL;
        const sens_status status = there[i] ? write_function(source, each[i].which, 0, &formula) : SENS_OK;
        if (status != SENS_OK) return status;
        *told = formula || !there[i];
        json_object_set_new(functions, each[i].name, formula ? formula : json_null());
    }
    return write_observations(source, functions, told);
}

/* Through what leaves the function as it is: counters, other products. */
static const struct sens_problem *innermost_problem(const struct sens_problem *pb)
{
    while (pb->inner && pb->as_inner) pb = pb->inner;
    return pb;
}

static const struct sens_cost *innermost_cost(const struct sens_cost *cost)
{
    while (cost->inner && cost->as_inner) cost = cost->inner;
    return cost;
}

static sens_status write_functions(struct sens_ctx *ctx, const struct sens_task *task, json_t **functions)
{
    const struct sens_problem *const pb = task->problem, *const inner = innermost_problem(pb);
    const struct sens_cost *const cost = innermost_cost(task->cost);
    const size_t most = pb->n > task->cost->m ? pb->n : task->cost->m;
    struct source source = {.ctx = ctx,
                            .task = task,
                            .x = SENS_NEW(ctx, sens_real, pb->n),
                            .p = SENS_NEW(ctx, sens_real, pb->np + 1),
                            .found = SENS_NEW(ctx, sens_real, most),
                            .wide = SENS_NEW(ctx, long double, pb->n + pb->np)};
    bool told = false;
    *functions = json_object();
    if (!*functions || !source.x || !source.p || !source.found || !source.wide) return SENS_NO_MEMORY;
    sens_status status = recording_create(ctx, inner, NULL, &source.problem);
    if (status == SENS_OK) status = recording_create_cost(ctx, inner, cost, &source.cost);
    if (status == SENS_OK) status = write_all(&source, *functions, &told);
    ctx->message[0] = '\0'; /* why there is none matters to nobody */
    if (status == SENS_OK && told) return SENS_OK;
    json_decref(*functions);
    *functions = json_null();
    return status == SENS_NO_MEMORY ? status : SENS_OK;
}

/* ---- the task ------------------------------------------------------------------------------------------ */

static json_t *write_problem(const struct sens_problem *pb)
{
    const struct sens_problem *const inner = innermost_problem(pb);
    return json_pack("{s:o, s:o, s:I, s:I, s:f, s:f, s:o, s:o, s:b}", "name", json_of_text(inner->type->name),
                     "options", write_options(inner->type->options, inner->option), "n", (json_int_t)pb->n,
                     "np", (json_int_t)pb->np, "t0", (double)pb->t0, "t1", (double)pb->t1, "x0",
                     json_of_vector(pb->n, pb->x0), "p", json_of_vector(pb->np, pb->p), "x0_depends_on_p",
                     (int)sens_problem_x0_depends(pb));
}

static json_t *write_cost(const struct sens_cost *cost)
{
    const struct sens_cost *const inner = innermost_cost(cost);
    return json_pack("{s:o, s:o, s:I, s:o, s:b}", "name", json_of_text(inner->type->name), "options",
                     write_options(inner->type->options, inner->option), "m", (json_int_t)cost->m, "t_obs",
                     json_of_vector(cost->n_obs, cost->t_obs), "running", (int)(cost->type->g != NULL));
}

static json_t *write_wanted(const struct sens_task *task)
{
    json_t *const list = json_array();
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_task_asks(task, k))
            json_array_append_new(list, json_string(sens_part_shape(k, 1, 1, 1).name));
    return list;
}

sens_status instance_write(struct sens_ctx *ctx, const struct sens_task *task, json_t **instance)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    json_t *functions = NULL;
    const sens_status status = write_functions(ctx, task, &functions);
    sens_arena_rewind(&ctx->arena, mark);
    *instance = status == SENS_OK ? json_pack("{s:o, s:o, s:f, s:f, s:I, s:o, s:o, s:o}", "problem",
                                              write_problem(task->problem), "cost", write_cost(task->cost),
                                              "rtol", (double)task->rtol, "atol", (double)task->atol,
                                              "max_steps", (json_int_t)task->max_steps, "options",
                                              write_options(task->method->options, task->option), "wanted",
                                              write_wanted(task), "functions", json_incref(functions))
                                  : NULL;
    json_decref(functions);
    return status == SENS_OK && !*instance ? SENS_NO_MEMORY : status;
}
