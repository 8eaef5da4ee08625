/* harness/derive/record/agreement.c - see agreement.h.
 *
 * The two differ by rounding alone, which is small against the largest number that occurs on the way; what
 * is compiled differently is off by as much as that. The bound stands between, far from both. */
#include "agreement.h"

#include <math.h>
#include <stdlib.h>

static const long double BOUND = 1e-6L;

struct trial {
    struct sens_ctx *ctx;
    const struct recording *recording;
    const struct sens_problem *pb;
    const struct sens_cost *cost;
    struct sens_at at;
    const char *kind, *name, *what; /* "problem", "glv", "f" */
};

/* The same number in double and here? */
static bool is_exact(const struct graph *graph, graph_node node)
{
    long double value;
    if (graph_operands(graph->node[node].op) > 0) return false;
    return !graph_is_constant(graph, node, &value) || (double)value == value;
}

/* May a and b compare otherwise in double? */
static bool is_near(const struct graph *graph, const long double *value, graph_node a, graph_node b)
{
    static const long double near = 1e-12L; /* some thousand roundings; moved numbers are farther apart */
    if (is_exact(graph, a) && is_exact(graph, b)) return false;
    return fabsl(value[a] - value[b]) <= near * (fabsl(value[a]) + fabsl(value[b]));
}

/* Does rounding decide which side of a comparison is taken, were it of a select or of a guard? */
static bool is_on_edge(const struct graph *graph, const long double *value)
{
    if (!graph_guards_hold(graph, value)) return true;
    for (size_t k = 0; k < graph->n_guards; k++)
        if (is_near(graph, value, graph->guard[k].a, graph->guard[k].b)) return true;
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const struct graph_operation *const node = &graph->node[k];
        if (node->op != GRAPH_LESS && node->op != GRAPH_LESS_EQUAL) continue;
        if (is_near(graph, value, node->a, node->b)) return true;
    }
    return false;
}

/* The largest number on the way: of what is computed, and of the outputs. A constant may be there to be compared
 * with, and no more. */
static long double find_largest(const struct graph *graph, const long double *value)
{
    long double largest = 0;
    for (size_t k = 0; k < graph->n_nodes; k++)
        if (isfinite(value[k]) && graph->node[k].op != GRAPH_CONSTANT)
            largest = fmaxl(largest, fabsl(value[k]));
    for (size_t i = 0; i < graph->n_outputs; i++)
        if (isfinite(value[graph->output[i]])) largest = fmaxl(largest, fabsl(value[graph->output[i]]));
    return largest;
}

static void widen(size_t count, const double *v, long double *wide)
{
    for (size_t i = 0; i < count; i++) wide[i] = v[i];
}

/* value [n_nodes], as computed there. */
static sens_status compare_values(const struct graph *graph, const long double *value, const double *out,
                                  struct disagreement *found)
{
    const long double bound = BOUND * find_largest(graph, value);
    for (size_t i = 0; i < graph->n_outputs; i++) {
        const long double recorded = value[graph->output[i]];
        if (fabsl(recorded - out[i]) <= bound || (!isfinite(recorded) && !isfinite(out[i]))) continue;
        *found = (struct disagreement){i, out[i], (double)recorded, is_on_edge(graph, value)};
        return SENS_UNSUPPORTED;
    }
    return SENS_OK;
}

sens_status graph_agrees(const struct graph *graph, const struct agreement_point *point, const double *out,
                         struct disagreement *found)
{
    const size_t n = point->n, np = point->np;
    long double *const x = malloc((n + np + graph->n_nodes + 1) * sizeof *x);
    if (!x) return SENS_NO_MEMORY;
    long double *const p = x + n, *const value = p + np;
    widen(n, point->at.x, x);
    widen(np, point->at.p, p);
    graph_evaluate(graph, &(struct graph_point){.t = point->at.t, .x = x, .p = p}, value);
    const sens_status status = compare_values(graph, value, out, found);
    free(x);
    return status;
}

static sens_status compare(const struct trial *trial, const struct graph *graph, const double *out)
{
    const struct agreement_point point = {trial->pb->n, trial->pb->np, trial->at};
    struct disagreement found;
    const sens_status status = graph_agrees(graph, &point, out, &found);
    if (status != SENS_UNSUPPORTED) return status;
    if (found.on_edge) return SENS_OK; /* the derivative is one-sided there, and nothing is wrong */
    return sens_fail(trial->ctx, status,
                     "%s %s: recorded, %s[%zu] is %.9g at the nominal point, and %.9g in double; "
                     "are both parts of the module whole, and of one source?",
                     trial->kind, trial->name, trial->what, found.output, found.recorded, found.computed);
}

/* Only what is wrong wherever it is tried. */
static sens_status judge(struct sens_ctx *ctx, sens_status status, const struct bench_error *error)
{
    if (status == SENS_UNSUPPORTED) return sens_fail(ctx, status, "%.240s", error->text);
    return status == SENS_NO_MEMORY ? status : SENS_OK;
}

static sens_status try_rhs(struct trial *trial, struct graph *graph, struct bench_error *error)
{
    double *out = SENS_NEW(trial->ctx, double, trial->pb->n);
    if (!out) return SENS_NO_MEMORY;
    trial->what = "f";
    const sens_status status = recording_rhs(trial->recording, &trial->at, graph, error);
    if (status != SENS_OK || trial->pb->type->rhs(trial->pb, &trial->at, out) != SENS_OK)
        return judge(trial->ctx, status, error);
    return compare(trial, graph, out);
}

static sens_status try_x0(struct trial *trial, struct graph *graph, struct bench_error *error)
{
    if (!sens_problem_x0_depends(trial->pb)) return SENS_OK; /* another one may have been given */
    trial->what = "x0";
    const sens_status status = recording_x0(trial->recording, trial->at.p, graph, error);
    return status == SENS_OK ? compare(trial, graph, trial->at.x) : judge(trial->ctx, status, error);
}

static sens_status try_g(struct trial *trial, struct graph *graph, struct bench_error *error)
{
    double *out = SENS_NEW(trial->ctx, double, trial->cost->m);
    if (!trial->cost->type->g) return SENS_OK;
    if (!out) return SENS_NO_MEMORY;
    trial->what = "g";
    const sens_status status = recording_g(trial->recording, &trial->at, graph, error);
    if (status != SENS_OK) return judge(trial->ctx, status, error);
    trial->cost->type->g(trial->cost, &trial->at, 1, out);
    return compare(trial, graph, out);
}

static sens_status try_phi(struct trial *trial, struct graph *graph, struct bench_error *error)
{
    double *out = SENS_NEW(trial->ctx, double, trial->cost->m);
    if (!trial->cost->type->phi || trial->cost->n_obs == 0) return SENS_OK;
    if (!out) return SENS_NO_MEMORY;
    trial->what = "phi";
    const sens_status status = recording_phi(trial->recording, 0, trial->at.x, trial->at.p, graph, error);
    if (status != SENS_OK) return judge(trial->ctx, status, error);
    trial->cost->type->phi(trial->cost, 0, trial->at.x, trial->at.p, out);
    return compare(trial, graph, out);
}

/* Those of the tries [first, last). */
static sens_status try_some(struct trial *trial, size_t first, size_t last)
{
    static sens_status (*const tries[])(struct trial *, struct graph *,
                                        struct bench_error *) = {try_rhs, try_x0, try_g, try_phi};
    struct sens_ctx *ctx = trial->ctx;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    double *x = SENS_NEW(ctx, double, trial->pb->n);
    sens_status status = x ? SENS_OK : SENS_NO_MEMORY;
    if (x) sens_problem_x0(trial->pb, trial->pb->p, x);
    trial->at = (struct sens_at){trial->pb->t0, x, trial->pb->p};
    for (size_t k = first; status == SENS_OK && k < last; k++) {
        struct bench_error error;
        struct graph *graph = graph_create();
        status = graph ? tries[k](trial, graph, &error) : SENS_NO_MEMORY;
        graph_destroy(graph);
    }
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}

enum { OF_PROBLEM = 0, OF_COST = 2, ALL = 4 };

sens_status recording_agrees(struct sens_ctx *ctx, const struct recording *recording,
                             const struct sens_problem *pb)
{
    struct trial trial = {
        .ctx = ctx, .recording = recording, .pb = pb, .kind = "problem", .name = pb->type->name};
    return try_some(&trial, OF_PROBLEM, OF_COST);
}

sens_status recording_cost_agrees(struct sens_ctx *ctx, const struct recording *recording,
                                  const struct sens_problem *pb, const struct sens_cost *cost)
{
    struct trial trial = {
        .ctx = ctx, .recording = recording, .pb = pb, .cost = cost, .kind = "cost", .name = cost->type->name};
    return try_some(&trial, OF_COST, ALL);
}
