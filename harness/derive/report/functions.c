/* derive/report/functions.c - x0(p), phi and g, recorded at the nominal point, and their derivatives. */
#include "functions.h"

#include "compile_tape.h"
#include "products.h"
#include "recording.h"

double functions_operations(const struct graph *graph)
{
    double count = 0;
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const enum graph_op op = graph->node[k].op;
        count += graph_operands(op) > 0 && op != GRAPH_NEG && op != GRAPH_SELECT;
    }
    return count;
}

struct description {
    struct sens_ctx *ctx;
    const struct sens_problem *problem;
    const struct sens_cost *cost;
    const struct recording *recording;
    json_t *list;
    struct bench_error *error;
};

/* (df/dx)^T w or, of_p, (df/dp)^T w: what its tape does. */
static sens_status describe_derivative(const struct description *d, const struct graph *f, bool of_p,
                                       json_t *object)
{
    const size_t n = d->problem->n, np = d->problem->np;
    const struct tape_request request = {n, np, GRAPH_W, of_p ? 0 : n};
    struct sens_tape *tape = NULL;
    struct graph *product = NULL;
    sens_status status = of_p ? derive_vjp_p(f, np, &product) : derive_vjp(f, n, &product);
    if (status == SENS_OK) status = tape_compile(product, &request, &tape);
    if (status == SENS_OK) {
        const struct tape_cost cost = tape_cost(tape);
        json_object_set_new(object, of_p ? "by_p" : "by_x",
                            json_pack("{s:f, s:f}", "once_a_point", cost.values, "each_vector", cost.lane));
    }
    tape_destroy(tape);
    graph_destroy(product);
    return status;
}

/* Destroys f. of_x: it depends on x. */
static sens_status describe(const struct description *d, const char *name, bool of_x, sens_status status,
                            struct graph *f)
{
    json_t *object = NULL;
    if (status == SENS_OK) {
        object = json_pack("{s:s, s:i, s:f, s:i}", "function", name, "outputs", (int)f->n_outputs,
                           "operations", functions_operations(f), "guards", (int)f->n_guards);
        if (!object) status = SENS_NO_MEMORY;
    }
    if (status == SENS_OK && of_x) status = describe_derivative(d, f, false, object);
    if (status == SENS_OK && d->problem->np) status = describe_derivative(d, f, true, object);
    if (status == SENS_OK) json_array_append(d->list, object);
    json_decref(object);
    graph_destroy(f);
    return status;
}

static sens_status describe_x0(struct description *d)
{
    struct graph *graph = graph_create();
    sens_status status = recording_create(d->ctx, d->problem, NULL, &d->recording);
    if (status == SENS_OK)
        status = graph ? recording_x0(d->recording, d->problem->p, graph, d->error) : SENS_NO_MEMORY;
    return describe(d, "x0", false, status, graph);
}

static sens_status describe_cost(struct description *d)
{
    const struct sens_problem *pb = d->problem;
    const struct sens_at at = {pb->t0, pb->x0, pb->p};
    sens_status status = recording_create_cost(d->ctx, pb, d->cost, &d->recording);
    if (status == SENS_OK && d->cost->n_obs > 0) {
        struct graph *graph = graph_create();
        status = graph ? recording_phi(d->recording, 0, at.x, at.p, graph, d->error) : SENS_NO_MEMORY;
        status = describe(d, "phi", true, status, graph);
    }
    if (status != SENS_OK || !d->cost->type->g) return status;
    struct graph *graph = graph_create();
    status = graph ? recording_g(d->recording, &at, graph, d->error) : SENS_NO_MEMORY;
    return describe(d, "g", true, status, graph);
}

sens_status functions_describe(struct sens_ctx *ctx, const struct sens_problem *pb,
                               const struct sens_cost *cost, json_t **list, struct bench_error *error)
{
    struct description d = {.ctx = ctx, .problem = pb, .cost = cost, .list = json_array(), .error = error};
    sens_status status = d.list ? SENS_OK : SENS_NO_MEMORY;
    error->text[0] = ctx->message[0] = '\0';
    if (status == SENS_OK && sens_problem_x0_depends(pb)) status = describe_x0(&d);
    if (status == SENS_OK && cost) status = describe_cost(&d);
    *list = status == SENS_OK ? d.list : NULL;
    if (status == SENS_OK) return status;
    json_decref(d.list);
    if (error->text[0]) return status;
    bench_refuse(error, "derive: %s", ctx->message[0] ? ctx->message : sens_status_message(status));
    return status;
}
