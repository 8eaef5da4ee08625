/* derive/report/derivation.c - the derivative products of a problem, and what was found on the way. */
#include "derivation.h"

#include <stdlib.h>

#include "compile.h"
#include "compile_tape.h"
#include "differences.h"
#include "functions.h"
#include "generate.h"
#include "products.h"
#include "recording.h"

struct derivation {
    struct sens_ctx *ctx;
    const struct sens_problem *problem;
    unsigned widest;
    struct graph *f;
    char *source;
    struct generate_found found;
    struct bench_error *error;
};

/* ---- the problem, recorded -------------------------------------------------------------------------------- */

static sens_status record(struct derivation *d)
{
    const struct sens_problem *pb = d->problem;
    const struct recording *recording;
    const struct sens_at at = {pb->t0, pb->x0, pb->p};
    d->error->text[0] = d->ctx->message[0] = '\0';
    sens_status status = recording_create(d->ctx, pb, NULL, &recording);
    if (status == SENS_OK) {
        d->f = graph_create();
        status = d->f ? recording_rhs(recording, &at, d->f, d->error) : SENS_NO_MEMORY;
    }
    if (status == SENS_OK)
        status = generate_source(d->f, pb->n, pb->np, GENERATE_ALL, GENERATE_ALL_CALLS, d->widest, &d->source,
                                 &d->found);
    if (status == SENS_OK || d->error->text[0]) return status;
    bench_refuse(d->error, "derive: problem=%s: %s", pb->type->name,
                 d->ctx->message[0] ? d->ctx->message : sens_status_message(status));
    return status;
}

/* ---- counts ----------------------------------------------------------------------------------------------- */

/* Counts of one product; destroys its graph. */
static sens_status describe_product(const struct derivation *d, const char *name,
                                    enum generate_product generated, sens_status status,
                                    struct graph *product, enum graph_op vector, json_t *list)
{
    struct sens_tape *tape = NULL;
    const struct tape_request request = {d->problem->n, d->problem->np, vector,
                                         vector == GRAPH_OPS ? SIZE_MAX : d->problem->n};
    if (status == SENS_OK) status = tape_compile(product, &request, &tape);
    if (status == SENS_OK) {
        const struct tape_cost cost = tape_cost(tape);
        const double by = functions_operations(d->f); /* 0: f has changes of sign alone */
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:f, s:i}", "product", name, "operations",
                                              functions_operations(product), "once_a_point", cost.values,
                                              "each_vector", cost.lane, "by_f", by > 0 ? cost.lane / by : 0,
                                              "operators", (int)d->found.count[generated].operators));
    }
    tape_destroy(tape);
    graph_destroy(product);
    return status;
}

static sens_status describe_products(const struct derivation *d, json_t *list)
{
    static const unsigned all = DERIVE_T | DERIVE_X | DERIVE_P;
    const size_t n = d->problem->n, np = d->problem->np;
    struct graph *g = NULL;
    sens_status status = derive_vjp(d->f, n, &g);
    status = describe_product(d, "(df/dx)^T w", GENERATE_VJP, status, g, GRAPH_W, list);
    if (status == SENS_OK) status = derive_along(d->f, DERIVE_X, &g);
    status =
        describe_product(d, "(df/dx) v", GENERATE_JVP, status, status == SENS_OK ? g : NULL, GRAPH_DX, list);
    if (status == SENS_OK && np) {
        status = derive_vjp_p(d->f, np, &g);
        status = describe_product(d, "(df/dp)^T w", GENERATE_VJP_P, status, g, GRAPH_W, list);
    }
    if (status == SENS_OK && np) {
        status = derive_along(d->f, DERIVE_P, &g);
        status = describe_product(d, "(df/dp) v", GENERATE_JVP_P, status, g, GRAPH_DP, list);
    }
    if (status != SENS_OK) return status;
    status = derive_rhs_t(d->f, &g);
    status = describe_product(d, "df/dt", GENERATE_RHS_T, status, g, GRAPH_OPS, list);
    if (status != SENS_OK) return status;
    status = derive_hvp(d->f, n, np, all, &g);
    return describe_product(d, "D (df/dx, df/dp)^T w", GENERATE_HVP, status, g, GRAPH_W, list);
}

/* ---- structure -------------------------------------------------------------------------------------------- */

/* Columns of a matrix by groups that share no row. */
static sens_status count_groups(struct derivation *d, const struct sens_pattern *pattern, bool transposed,
                                size_t *groups)
{
    const struct sens_arena_mark mark = sens_arena_mark(&d->ctx->arena);
    struct sens_pattern other;
    const size_t columns = transposed ? pattern->rows : pattern->cols;
    size_t *group = SENS_NEW(d->ctx, size_t, columns);
    sens_status status = group ? differences_transpose(d->ctx, pattern, &other) : SENS_NO_MEMORY;
    if (status == SENS_OK)
        status = differences_groups(d->ctx, transposed ? &other : pattern, transposed ? pattern : &other,
                                    group, groups);
    sens_arena_rewind(&d->ctx->arena, mark);
    return status;
}

/* Is it the same for all t and x? */
static bool is_constant(const struct graph *g)
{
    for (size_t k = 0; k < g->n_nodes; k++)
        if (g->node[k].op == GRAPH_T || g->node[k].op == GRAPH_X) return false;
    return true;
}

static sens_status describe_matrix(struct derivation *d, bool of_p, const char *name, json_t *object)
{
    struct derive_entries entries;
    size_t groups = 0;
    sens_status status = of_p ? derive_jacobian_p(d->f, d->problem->np, &entries)
                              : derive_jacobian(d->f, d->problem->n, &entries);
    if (status != SENS_OK) return status;
    const struct sens_pattern *pattern = &entries.pattern;
    status = count_groups(d, pattern, of_p, &groups);
    json_object_set_new(object, name,
                        json_pack("{s:f, s:f, s:f, s:b}", "entries", (double)pattern->start[pattern->rows],
                                  "size", (double)pattern->rows * (double)pattern->cols, "groups",
                                  (double)groups, "constant", (int)is_constant(entries.graph)));
    derive_entries_destroy(&entries);
    return status;
}

/* Is it x == y of a model, x <= y and y <= x? */
static bool is_equality(const struct graph *f, const struct graph_operation *node)
{
    const struct graph_operation *below = &f->node[node->a], *above = &f->node[node->b];
    return node->op == GRAPH_SELECT && node->c == GRAPH_ZERO && below->op == GRAPH_LESS_EQUAL &&
           above->op == GRAPH_LESS_EQUAL && below->a == above->b && below->b == above->a;
}

/* Comparisons for equality, whether they hold or not; a == a asks for a NaN. In x == 0 ? limit : formula the limit is
 * a number, and so its derivative is 0. */
static size_t count_equalities(const struct graph *f)
{
    size_t count = 0;
    for (size_t k = 0; k < f->n_guards; k++)
        count += f->guard[k].comparison == GRAPH_IS_EQUAL && f->guard[k].a != f->guard[k].b;
    for (size_t k = 0; k < f->n_nodes; k++) count += is_equality(f, &f->node[k]);
    return count;
}

static sens_status describe_structure(struct derivation *d, json_t *object)
{
    sens_status status = describe_matrix(d, false, "df_dx", object);
    if (status == SENS_OK && d->problem->np) status = describe_matrix(d, true, "df_dp_transposed", object);
    json_object_set_new(object, "guards", json_integer((json_int_t)d->f->n_guards));
    json_object_set_new(object, "equalities", json_integer((json_int_t)count_equalities(d->f)));
    json_object_set_new(object, "outer_products", json_integer((json_int_t)d->found.n_blocks));
    json_object_set_new(object, "diagonal_and_coupling", json_boolean(d->found.coupling));
    return status;
}

/* NULL with a status. */
static json_t *describe(struct derivation *d, sens_status *status)
{
    json_t *object =
        json_pack("{s:s, s:i, s:i, s:f, s:i, s:[]}", "problem", d->problem->type->name, "n",
                  (int)d->problem->n, "np", (int)d->problem->np, "operations", functions_operations(d->f),
                  "operators", (int)d->found.count[GENERATE_RHS].operators, "products");
    *status = object ? describe_products(d, json_object_get(object, "products")) : SENS_NO_MEMORY;
    if (*status == SENS_OK) *status = describe_structure(d, object);
    if (*status == SENS_OK) return object;
    json_decref(object);
    return NULL;
}

static void finish(struct derivation *d)
{
    graph_destroy(d->f);
    free(d->source);
    generate_found_release(&d->found);
}

sens_status derivation_describe(struct sens_ctx *ctx, const struct sens_problem *pb,
                                const struct sens_cost *cost, json_t **object, struct bench_error *error)
{
    enum { ANY = 8 }; /* nothing that is told depends on it */
    struct derivation d = {.ctx = ctx, .problem = pb, .widest = ANY, .error = error};
    json_t *others = NULL;
    *object = NULL;
    sens_status status = record(&d);
    if (status == SENS_OK) {
        *object = describe(&d, &status);
        if (!*object) bench_refuse(error, "derive: %s", sens_status_message(status));
    }
    if (status == SENS_OK) status = functions_describe(ctx, pb, cost, &others, error);
    json_object_set_new(*object, "functions", others); /* nothing is done where one of them is NULL */
    if (status != SENS_OK) {
        json_decref(*object);
        *object = NULL;
    }
    finish(&d);
    return status;
}

sens_status derivation_code(struct sens_ctx *ctx, const struct sens_problem *pb, const char *isa,
                            char **source, struct bench_error *error)
{
    struct derivation d = {.ctx = ctx, .problem = pb, .widest = compile_widest(isa), .error = error};
    const sens_status status = record(&d);
    *source = d.source;
    d.source = NULL;
    finish(&d);
    return status;
}
