/* derive/provider/slots.c - the slots of a problem (sens/problem.h), each a call of one product. */
#include <math.h>
#include <stdlib.h>

#include "derived.h"
#include "generate.h"
#include "products.h"

static struct derived *derived_of(const struct sens_problem *pb)
{
    return (struct derived *)pb->data;
}

/* Products cannot fail: numbers that no method takes for a result. */
static void spoil(size_t count, double *out)
{
    for (size_t k = 0; out && k < count; k++) out[k] = (double)NAN;
}

/* By the C of the product, where there is some: true, and it is done. */
static bool in_lanes(enum product_kind kind, const struct sens_problem *pb, const struct sens_at *at,
                     size_t L, const double *v, double *out)
{
    generated_lanes *lanes = (generated_lanes *)paths_direct(&derived_of(pb)->rhs, kind, L, 0);
    if (lanes) lanes(at->t, at->x, at->p, L, v, out);
    return lanes;
}

static bool in_numbers(enum product_kind kind, const struct sens_problem *pb, const struct sens_at *at,
                       double *out)
{
    generated_numbers *numbers = (generated_numbers *)paths_direct(&derived_of(pb)->rhs, kind, 0, 0);
    if (numbers) numbers(at->t, at->x, at->p, out);
    return numbers;
}

/* Number by number: an initialiser clears the whole first, which takes longer than a small product. */
static inline struct product_call call_at(enum product_kind kind, const struct sens_problem *pb,
                                          const struct sens_at *at, size_t L)
{
    struct product_call call;
    call.kind = kind;
    call.parts = 0;
    call.at_its_own = false;
    call.on.points = 1;
    call.on.t = &at->t;
    call.on.x = at->x;
    call.on.p = at->p;
    call.on.x_step = pb->n;
    call.on.lanes = L;
    call.on.v = NULL;
    call.on.v_step = 0;
    for (size_t k = 0; k < 3; k++) call.on.extra[k] = NULL;
    call.on.out = call.on.sum = NULL;
    call.on.unguarded = false;
    return call;
}

/* What cannot be called directly is looked up by functions of their own: those that call one of these only then have
 * no room to make for it, and end in the call of what can. */
static __attribute__((noinline)) void look_up_product(const struct sens_problem *pb, const struct sens_at *at,
                                                      size_t L, const double *V, double *OUT,
                                                      enum product_kind kind)
{
    struct product_call call = call_at(kind, pb, at, L);
    call.on.v = V;
    call.on.out = OUT;
    if (paths_run(&derived_of(pb)->rhs, &call) != SENS_OK) spoil(pb->n * L, OUT);
}

/* J V or J^T V. */
static inline void product(enum product_kind kind, const struct sens_problem *pb, const struct sens_at *at,
                           size_t L, const double *V, double *OUT)
{
    if (!in_lanes(kind, pb, at, L, V, OUT)) look_up_product(pb, at, L, V, OUT, kind);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    product(PRODUCT_VJP, pb, at, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    product(PRODUCT_JVP, pb, at, L, V, OUT);
}

static void rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    struct product_call call = call_at(PRODUCT_RHS_T, pb, at, 0);
    call.on.out = OUT;
    if (paths_run(&derived_of(pb)->rhs, &call) != SENS_OK) spoil(pb->n, OUT);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const size_t n = pb->n;
    generated_lanes *lanes = (generated_lanes *)paths_direct(&derived_of(pb)->rhs, PRODUCT_VJP_P, L, 0);
    for (size_t k = 0; lanes && k < K; k++) lanes(t[k], X + k * n, p, L, W + k * n * L, MU);
    if (lanes) return;
    for (size_t k = 0; k < K; k += SENS_TAPE_POINTS) {
        const struct sens_at first = {t[k], X + k * n, p};
        struct product_call call = call_at(PRODUCT_VJP_P, pb, &first, L);
        call.on.points = K - k < SENS_TAPE_POINTS ? K - k : SENS_TAPE_POINTS;
        call.on.t = t + k;
        call.on.v = W + k * n * L;
        call.on.v_step = n * L;
        call.on.sum = MU;
        if (paths_run(&derived_of(pb)->rhs, &call) != SENS_OK) spoil(pb->np * L, MU);
    }
}

static unsigned parts_of(const struct sens_direction *v)
{
    return (v->t ? DERIVE_T : 0u) | (v->x ? DERIVE_X : 0u) | (v->p ? DERIVE_P : 0u);
}

static __attribute__((noinline)) void look_up_hvp(const struct sens_problem *pb, const struct sens_at *at,
                                                  size_t L, const struct sens_direction *v, const double *W,
                                                  double *OUT, double *MU)
{
    struct product_call call = call_at(PRODUCT_HVP, pb, at, L);
    call.parts = parts_of(v);
    call.on.v = W;
    call.on.extra[0] = v->t;
    call.on.extra[1] = v->x;
    call.on.extra[2] = v->p;
    call.on.out = OUT;
    call.on.sum = MU;
    if (paths_run(&derived_of(pb)->rhs, &call) == SENS_OK) return;
    spoil(pb->n * L, OUT);
    spoil(pb->np * L, MU);
}

static void hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    const unsigned with = GENERATE_ALONG * parts_of(v) | (MU ? GENERATE_MU : 0u);
    generated_hvp *direct = (generated_hvp *)paths_direct(&derived_of(pb)->rhs, PRODUCT_HVP, L, with);
    if (direct)
        direct(at->t, at->x, at->p, L, v, W, OUT, MU);
    else
        look_up_hvp(pb, at, L, v, W, OUT, MU);
}

/* ---- entries ------------------------------------------------------------------------------------------------ */

/* What is declared, as numbers. A recording of another path may have other entries: derived_wrap declares a pattern,
 * or outer products, only where there is but one path. */
static __attribute__((noinline)) void look_up_numbers(const struct sens_problem *pb, const struct sens_at *at,
                                                      enum product_kind kind, size_t count, double *out)
{
    struct product_call call = call_at(kind, pb, at, 0);
    call.on.out = out;
    if (paths_run(&derived_of(pb)->rhs, &call) != SENS_OK) spoil(count, out);
}

void derived_jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    const struct sens_pattern *sparsity = pb->structure->sparsity;
    if (!in_numbers(PRODUCT_JACOBIAN, pb, at, J))
        look_up_numbers(pb, at, PRODUCT_JACOBIAN, sparsity ? sparsity->start[pb->n] : pb->n * pb->n, J);
}

void derived_jacobian_p(const struct sens_problem *pb, const struct sens_at *at, double *value)
{
    const struct sens_pattern *sparsity = derived_of(pb)->structure.sparsity_p;
    if (!in_numbers(PRODUCT_JACOBIAN_P, pb, at, value))
        look_up_numbers(pb, at, PRODUCT_JACOBIAN_P, sparsity->start[pb->np], value);
}

void derived_outer(const struct sens_problem *pb, const struct sens_at *at, double *s, double *phi)
{
    if (!in_numbers(PRODUCT_S, pb, at, s)) look_up_numbers(pb, at, PRODUCT_S, pb->n, s);
    if (!in_numbers(PRODUCT_PHI, pb, at, phi))
        look_up_numbers(pb, at, PRODUCT_PHI, sens_structure_factors(pb->structure), phi);
}

void derived_coupling(const struct sens_problem *pb, const double *p, double *M)
{
    const struct sens_at at = {.p = p};
    if (!in_numbers(PRODUCT_COUPLING, pb, &at, M))
        look_up_numbers(pb, &at, PRODUCT_COUPLING, pb->n * pb->n, M);
}

void derived_diagonal(const struct sens_problem *pb, const struct sens_at *at, double *d)
{
    if (!in_numbers(PRODUCT_DIAGONAL, pb, at, d)) look_up_numbers(pb, at, PRODUCT_DIAGONAL, pb->n, d);
}

/* OUT[:,l] += column k0 + l, by lanes that are unit vectors. */
static bool add_columns(struct paths *paths, const struct product_call *columns, size_t k0, size_t np,
                        size_t outputs, double *OUT)
{
    const size_t L = columns->on.lanes;
    double *memory = calloc((np + outputs) * L + 1, sizeof *memory);
    struct product_call call = *columns;
    if (!memory) return false;
    for (size_t l = 0; l < L; l++) memory[(k0 + l) * L + l] = 1;
    call.on.v = memory;
    call.on.out = memory + np * L;
    const bool done = paths_run(paths, &call) == SENS_OK;
    for (size_t k = 0; done && k < outputs * L; k++) OUT[k] += call.on.out[k];
    free(memory);
    return done;
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    const struct product_call call = call_at(PRODUCT_JVP_P, pb, at, L);
    if (!add_columns(&derived_of(pb)->rhs, &call, k0, pb->np, pb->n, OUT)) spoil(pb->n * L, OUT);
}

/* ---- the initial state --------------------------------------------------------------------------------------- */

static void x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W, double *MU)
{
    const struct sens_at at = {.p = p};
    struct product_call call = call_at(PRODUCT_VJP_P, pb, &at, L);
    call.on.v = W;
    call.on.sum = MU;
    if (paths_run(&derived_of(pb)->x0, &call) != SENS_OK) spoil(pb->np * L, MU);
}

static void x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L, double *OUT)
{
    const struct sens_at at = {.p = p};
    const struct product_call call = call_at(PRODUCT_JVP_P, pb, &at, L);
    if (!add_columns(&derived_of(pb)->x0, &call, k0, pb->np, pb->n, OUT)) spoil(pb->n * L, OUT);
}

/* ---- what they cost -------------------------------------------------------------------------------------------- */

static double of_vector(const struct sens_problem *pb, enum product_kind kind)
{
    double shared, vector;
    struct engine *engine = paths_first_engine(&derived_of(pb)->rhs);
    engine->maker->operations(engine, kind, &shared, &vector);
    return vector;
}

/* A function is one operation, a copy, a change of sign or a choice none. */
static double of_rhs(const struct graph *f)
{
    double count = 0;
    for (size_t k = 0; k < f->n_nodes; k++)
        count +=
            graph_operands(f->node[k].op) > 0 && f->node[k].op != GRAPH_NEG && f->node[k].op != GRAPH_SELECT;
    return count;
}

/* What the structure does not say; an rhs that the problem has counted stays. */
static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    struct sens_operations inner;
    sens_problem_operations(pb->inner, &inner);
    ops->rhs = isnan(inner.rhs) ? of_rhs(paths_first_graph(&derived_of(pb)->rhs)) : inner.rhs;
    if (isnan(ops->vjp)) ops->vjp = of_vector(pb, PRODUCT_VJP);
    if (isnan(ops->jvp)) ops->jvp = of_vector(pb, PRODUCT_JVP);
    if (isnan(ops->vjp_p)) ops->vjp_p = of_vector(pb, PRODUCT_VJP_P);
    if (isnan(ops->jvp_p)) ops->jvp_p = of_vector(pb, PRODUCT_JVP_P);
}

const struct sens_problem_type derived_type = {
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .rhs_t = rhs_t,
    .hvp = hvp,
    .operations = operations,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
};
