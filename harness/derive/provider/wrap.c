/* derive/provider/wrap.c - a problem, recorded, with products of its graph. */
#include "derived.h"

#include <stdio.h> /* snprintf */

#include "products.h"
#include "recording.h"

enum {
    FEW_STATES = 100, /* so many states that a full df/dx with few entries is no loss */
    MANY_ENTRIES =
        16, /* entries of df/dx an operation of f: products with the graph are cheaper from there on */
    BLOCK_LANES = 8, /* vectors that share what a product computes once a point */
    /* Operations of compiled products that take as long as an entry of df/dx and a vector: of a pattern, an entry is
     * read with its place, and numbers of the result are read and written with it; a full matrix is multiplied at the
     * rate of the processor, at which generated code is not. */
    SPARSE_ENTRY = 6,
    FULL_ENTRY = 1
};

static void end(void *object)
{
    struct derived *derived = object;
    paths_destroy(&derived->rhs);
    if (derived->has_x0) paths_destroy(&derived->x0);
}

/* A failure of the recorder; it tells why in *error. */
static sens_status refuse(struct sens_ctx *ctx, sens_status status, const struct bench_error *error)
{
    if (status == SENS_NO_MEMORY) return status;
    return sens_fail(ctx, SENS_UNSUPPORTED, "%s", error->text[0] ? error->text : sens_status_message(status));
}

static sens_status record_rhs(const void *source, const struct sens_at *at, struct graph *graph,
                              struct bench_error *error)
{
    return recording_rhs(source, at, graph, error);
}

static sens_status record_x0(const void *source, const struct sens_at *at, struct graph *graph,
                             struct bench_error *error)
{
    return recording_x0(source, at->p, graph, error);
}

static struct paths paths_of(const struct sens_provider_request *request, const struct recording *source,
                             const struct engine_maker *maker, bool initial)
{
    const struct function_shape shape = {.outputs = request->inner->n,
                                         .n = initial ? 0 : request->inner->n,
                                         .np = request->inner->np,
                                         .threads = request->threads};
    return (struct paths){
        .record = initial ? record_x0 : record_rhs, .source = source, .shape = shape, .maker = *maker};
}

static sens_status compute_rhs(const void *of, const struct sens_at *at, double *dx)
{
    const struct sens_problem *pb = of;
    return pb->type->rhs(pb, at, dx);
}

/* Both functions at the nominal point. */
static sens_status record_functions(struct sens_ctx *ctx, const struct sens_provider_request *request,
                                    const struct engine_maker *maker, struct derived *derived)
{
    const struct sens_problem *inner = &derived->room.inner;
    const struct sens_at at = {inner->t0, inner->x0, inner->p};
    const struct recording *source;
    struct bench_error error = {.text = ""};
    sens_status status = recording_create(ctx, inner, NULL, &source);
    if (status != SENS_OK) return status;
    derived->rhs = paths_of(request, source, maker, false);
    derived->watched = (struct watched){.kind = "problem",
                                        .name = inner->type->name,
                                        .function = "f",
                                        .n = inner->n,
                                        .np = inner->np,
                                        .outputs = inner->n,
                                        .value = compute_rhs,
                                        .of = inner};
    derived->rhs.watch.function = &derived->watched;
    status = paths_create(&derived->rhs, &at, &error);
    if (status != SENS_OK) return refuse(ctx, status, &error);
    derived->has_x0 = sens_problem_x0_depends(inner);
    if (!derived->has_x0) return SENS_OK;
    derived->x0 = paths_of(request, source, maker, true);
    status = paths_create(&derived->x0, &at, &error);
    if (status == SENS_OK) return SENS_OK;
    paths_destroy(&derived->rhs);
    return refuse(ctx, status, &error);
}

static sens_status plan_all(struct engine *engine, const enum product_kind *kind, size_t count)
{
    sens_status status = SENS_OK;
    for (size_t k = 0; k < count && status == SENS_OK; k++) status = engine->maker->plan(engine, kind[k]);
    return status;
}

/* Is a product by its C done before a vector is multiplied with so many entries? The numbers are formed beside that,
 * which is not counted. */
static bool product_costs_less(const struct derived *derived, enum product_kind kind, double entries,
                               double entry)
{
    double shared, vector;
    struct engine *engine = paths_first_engine(&derived->rhs);
    if (!derived->rhs.maker.compiles) return false;
    engine->maker->operations(engine, kind, &shared, &vector);
    return vector + shared / BLOCK_LANES <= entry * entries; /* not where they are unknown, NaN */
}

/* df/dx where it has few entries an operation. */
static sens_status declare_jacobian(struct derived *derived)
{
    static const enum product_kind of_x = PRODUCT_JACOBIAN;
    const struct graph *f = paths_first_graph(&derived->rhs);
    struct engine *engine = paths_first_engine(&derived->rhs);
    if (f->n_guards > 0 && derived->room.inner.n > FEW_STATES) return SENS_OK;
    if (!derive_few_entries(f, GRAPH_X, MANY_ENTRIES * f->n_nodes)) return SENS_OK;
    const sens_status status = plan_all(engine, &of_x, 1);
    derived->structure.jacobian = derived_jacobian;
    const struct sens_pattern *sparsity = engine->maker->pattern(engine, of_x);
    const double n = (double)derived->room.inner.n;
    derived->structure.sparsity = sparsity;
    derived->structure.jacobian_constant = derive_is_linear(f);
    derived->structure.jacobian_costs_more =
        product_costs_less(derived, PRODUCT_VJP, sparsity ? (double)sparsity->start[sparsity->rows] : n * n,
                           sparsity ? SPARSE_ENTRY : FULL_ENTRY);
    return status;
}

/* Has a block more columns than one? Else its products are no cheaper for being put off and taken together: on `chain`
 * whole gradients took 1.3 to 1.6 times as long. */
static bool has_columns(const struct structure *found)
{
    for (size_t k = 0; k < found->n_blocks; k++)
        if (found->blocks[k].cols > 1) return true;
    return false;
}

/* Outer products, and with them a coupling where df/dx is declared as a full matrix. */
static sens_status declare_outer(struct derived *derived)
{
    static const enum product_kind factors[] = {PRODUCT_S, PRODUCT_PHI},
                                   coupling[] = {PRODUCT_COUPLING, PRODUCT_DIAGONAL};
    struct sens_structure *declared = &derived->structure;
    struct engine *engine = paths_first_engine(&derived->rhs);
    const struct structure *found = engine->maker->structure(engine);
    if (!found) return SENS_NO_MEMORY;
    if (!has_columns(found)) return SENS_OK;
    declared->n_blocks = found->n_blocks;
    declared->blocks = found->blocks;
    declared->outer = derived_outer;
    sens_status status = plan_all(engine, factors, 2);
    if (!found->part[STRUCTURE_COUPLING] || !declared->jacobian || declared->sparsity) return status;
    declared->coupling = derived_coupling;
    declared->diagonal = derived_diagonal;
    return status == SENS_OK ? plan_all(engine, coupling, 2) : status;
}

/* The entries of (df/dp)^T, where they are no outer products. */
static sens_status declare_jacobian_p(struct derived *derived)
{
    static const enum product_kind of_p = PRODUCT_JACOBIAN_P;
    const struct graph *f = paths_first_graph(&derived->rhs);
    struct engine *engine = paths_first_engine(&derived->rhs);
    if (!derive_few_entries(f, GRAPH_P, MANY_ENTRIES * f->n_nodes)) return SENS_OK;
    const sens_status status = plan_all(engine, &of_p, 1);
    derived->structure.jacobian_p = derived_jacobian_p;
    const struct sens_pattern *sparsity = engine->maker->pattern(engine, of_p);
    derived->structure.sparsity_p = sparsity;
    derived->structure.jacobian_p_costs_more =
        sparsity &&
        product_costs_less(derived, PRODUCT_VJP_P, (double)sparsity->start[sparsity->rows], SPARSE_ENTRY);
    return status;
}

/* What holds at all points: the structure of f, and of df/dp where there is but one path. */
static sens_status declare(struct derived *derived)
{
    sens_status status = declare_jacobian(derived);
    if (derived->room.inner.np == 0 || paths_first_graph(&derived->rhs)->n_guards > 0) return status;
    if (status == SENS_OK) status = declare_outer(derived);
    return status == SENS_OK && !derived->structure.outer ? declare_jacobian_p(derived) : status;
}

static sens_status plan_products(struct derived *derived)
{
    static const enum product_kind rhs[] = {PRODUCT_VJP, PRODUCT_JVP, PRODUCT_RHS_T, PRODUCT_VJP_P,
                                            PRODUCT_JVP_P},
                                   x0[] = {PRODUCT_VJP_P, PRODUCT_JVP_P};
    sens_status status = plan_all(paths_first_engine(&derived->rhs), rhs, sizeof rhs / sizeof *rhs);
    if (status == SENS_OK && derived->has_x0)
        status = plan_all(paths_first_engine(&derived->x0), x0, sizeof x0 / sizeof *x0);
    return status == SENS_OK && !derived->rhs.maker.taper ? declare(derived) : status;
}

/* The slots of derived_type: also those that the inner type does not have. */
static void fill_slots(struct derived *derived)
{
    struct sens_problem_type *type = &derived->room.type;
    type->vjp = derived_type.vjp;
    type->jvp = derived_type.jvp;
    type->jvp_p_cols = derived_type.jvp_p_cols;
    type->vjp_p_batch = derived_type.vjp_p_batch;
    if (!derived->rhs.maker.taper) {
        type->rhs_t = derived_type.rhs_t;
        type->hvp = derived_type.hvp;
    }
    type->operations = derived_type.operations;
    if (!derived->has_x0) return;
    type->x0_vjp = derived_type.x0_vjp;
    type->x0_jvp_cols = derived_type.x0_jvp_cols;
}

sens_status derived_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                         const struct engine_maker *maker, struct sens_problem *wrapped)
{
    static const struct sens_problem_decoration nothing = {.another = false};
    struct derived *derived = SENS_NEW(ctx, struct derived, 1);
    struct sens_problem made;
    if (!derived) return SENS_NO_MEMORY;
    sens_problem_decorate(request->inner, &nothing, derived, &derived->room, &made);
    sens_status status = record_functions(ctx, request, maker, derived);
    if (status != SENS_OK) return status;
    status = sens_arena_attach(&ctx->arena, end, derived);
    if (status != SENS_OK) {
        end(derived);
        return status;
    }
    status = plan_products(derived);
    if (status == SENS_UNSUPPORTED && maker->taper)
        return sens_fail(ctx, status, "the library refuses an operation of the recorded right-hand side");
    if (status != SENS_OK) return status;
    fill_slots(derived);
    const struct sens_structure *declared = &derived->structure;
    made.structure = declared->jacobian || declared->jacobian_p || declared->outer ? declared : NULL;
    *wrapped = made;
    return SENS_OK;
}

static void add_account(const struct paths *paths, struct sens_provider_account *account)
{
    account->n_recorded += (double)atomic_load(&paths->n_recorded);
    account->t_record += paths->t_record;
    account->t_analyse += paths_analysis(paths);
}

void derived_account(const struct sens_problem *wrapped, struct sens_provider_account *account)
{
    const struct derived *derived = wrapped->data;
    *account = (struct sens_provider_account){.n_recorded = 0};
    add_account(&derived->rhs, account);
    if (derived->has_x0) add_account(&derived->x0, account);
    account->broken = watch_reason(&derived->rhs.watch);
}

bool derived_explain(const struct sens_problem *wrapped, const struct sens_at *at, size_t size, char *text)
{
    const struct derived *derived = wrapped->data;
    struct bench_error error;
    if (!recording_lacks_slope(derived->rhs.source, at, &error)) return false;
    snprintf(text, size, "%s", error.text);
    return true;
}
