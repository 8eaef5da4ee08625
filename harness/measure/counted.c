/* The counting decorator: a problem type that forwards every call to the wrapped problem. A method cannot
 * tell the difference, and pays for counting only when it is given a counted problem. */
#include "counted.h"

struct wrapped {
    struct sens_problem_type type;   /* the inner one with the slots below in place of its own */
    struct sens_structure structure; /* likewise */
    const struct sens_problem *inner;
    struct sens_counts *counts;
};

static void count(atomic_ulong *counter, size_t vectors)
{
    atomic_fetch_add_explicit(counter, vectors, memory_order_relaxed);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const struct wrapped *wrapped = pb->data;
    count(&wrapped->counts->rhs, 1);
    return wrapped->inner->type->rhs(wrapped->inner, at, dx);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    const struct wrapped *wrapped = pb->data;
    count(&wrapped->counts->vjp, L);
    wrapped->inner->type->vjp(wrapped->inner, at, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    const struct wrapped *wrapped = pb->data;
    count(&wrapped->counts->jvp, L);
    wrapped->inner->type->jvp(wrapped->inner, at, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    const struct wrapped *wrapped = pb->data;
    count(&wrapped->counts->jvp_p, L);
    wrapped->inner->type->jvp_p_cols(wrapped->inner, at, k0, L, OUT);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const struct wrapped *wrapped = pb->data;
    count(&wrapped->counts->vjp_p, K * L);
    wrapped->inner->type->vjp_p_batch(wrapped->inner, K, t, X, p, L, W, MU);
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    const struct wrapped *wrapped = pb->data;
    count(&wrapped->counts->jacobian, 1);
    wrapped->inner->structure->jacobian(wrapped->inner, at, J);
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *value)
{
    const struct wrapped *wrapped = pb->data;
    wrapped->inner->structure->jacobian_p(wrapped->inner, at, value);
}

static void coupling(const struct sens_problem *pb, const sens_real *p, sens_real *M)
{
    const struct wrapped *wrapped = pb->data;
    count(&wrapped->counts->jacobian, 1);
    wrapped->inner->structure->coupling(wrapped->inner, p, M);
}

static void diagonal(const struct sens_problem *pb, const struct sens_at *at, sens_real *d)
{
    const struct wrapped *wrapped = pb->data;
    wrapped->inner->structure->diagonal(wrapped->inner, at, d);
}

static void outer(const struct sens_problem *pb, const struct sens_at *at, sens_real *s, sens_real *phi)
{
    const struct wrapped *wrapped = pb->data;
    wrapped->inner->structure->outer(wrapped->inner, at, s, phi);
}

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const struct wrapped *wrapped = pb->data;
    wrapped->inner->type->operations(wrapped->inner, ops);
}

static void x0_of_p(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    const struct wrapped *wrapped = pb->data;
    wrapped->inner->type->x0(wrapped->inner, p, x);
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    const struct wrapped *wrapped = pb->data;
    wrapped->inner->type->x0_vjp(wrapped->inner, p, L, W, MU);
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    const struct wrapped *wrapped = pb->data;
    wrapped->inner->type->x0_jvp_cols(wrapped->inner, p, k0, L, OUT);
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const struct wrapped *wrapped = pb->data;
    return wrapped->inner->type->exact(wrapped->inner, q, p, x, S, S0);
}

static const struct sens_structure *count_structure(const struct sens_structure *inner,
                                                    struct sens_structure *structure)
{
    *structure = *inner;
    if (inner->jacobian) structure->jacobian = jacobian;
    if (inner->jacobian_p) structure->jacobian_p = jacobian_p;
    if (inner->coupling) structure->coupling = coupling, structure->diagonal = diagonal;
    if (inner->outer) structure->outer = outer;
    return structure;
}

sens_status sens_counted_create(struct sens_ctx *ctx, const struct sens_problem *inner,
                                struct sens_counts *counts, struct sens_problem *counted)
{
    struct wrapped *wrapped = SENS_NEW(ctx, struct wrapped, 1);
    if (!wrapped) return SENS_NO_MEMORY;
    wrapped->inner = inner;
    wrapped->counts = counts;
    struct sens_problem_type *type = &wrapped->type;
    *type = *inner->type;
    type->create = NULL; /* made by wrapping only */
    type->rhs = rhs;
    type->vjp = vjp;
    type->jvp = jvp;
    type->jvp_p_cols = jvp_p_cols;
    type->vjp_p_batch = vjp_p_batch;
    if (type->operations) type->operations = operations;
    if (type->x0) {
        type->x0 = x0_of_p;
        type->x0_vjp = x0_vjp;
        type->x0_jvp_cols = x0_jvp_cols;
    }
    if (type->exact) type->exact = exact;
    *counted = *inner;
    counted->type = type;
    counted->data = wrapped;
    if (inner->structure) counted->structure = count_structure(inner->structure, &wrapped->structure);
    return SENS_OK;
}
