/* The counting decorator. A method cannot tell the difference, and pays for counting only when it is given a
 * counted problem. */
#include "counted.h"

#include "sens/decorate.h"

struct counted {
    struct sens_decorated_problem room;
    struct sens_counts *counts;
};

static struct sens_counts *counts(const struct sens_problem *pb)
{
    return ((const struct counted *)pb->data)->counts;
}

static void count(atomic_ulong *counter, size_t vectors)
{
    atomic_fetch_add_explicit(counter, vectors, memory_order_relaxed);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    count(&counts(pb)->rhs, 1);
    return pb->inner->type->rhs(pb->inner, at, dx);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    count(&counts(pb)->vjp, L);
    pb->inner->type->vjp(pb->inner, at, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    count(&counts(pb)->jvp, L);
    pb->inner->type->jvp(pb->inner, at, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    count(&counts(pb)->jvp_p, L);
    pb->inner->type->jvp_p_cols(pb->inner, at, k0, L, OUT);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    count(&counts(pb)->vjp_p, K * L);
    pb->inner->type->vjp_p_batch(pb->inner, K, t, X, p, L, W, MU);
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    count(&counts(pb)->jacobian, 1);
    pb->inner->structure->jacobian(pb->inner, at, J);
}

static void coupling(const struct sens_problem *pb, const sens_real *p, sens_real *M)
{
    count(&counts(pb)->jacobian, 1);
    pb->inner->structure->coupling(pb->inner, p, M);
}

sens_status sens_counted_create(struct sens_ctx *ctx, const struct sens_problem *inner,
                                struct sens_counts *sum, struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {
        .type = {.rhs = rhs, .vjp = vjp, .jvp = jvp, .jvp_p_cols = jvp_p_cols, .vjp_p_batch = vjp_p_batch},
        .structure = {.jacobian = jacobian, .coupling = coupling},
        .same_rhs = true};
    struct counted *counted = SENS_NEW(ctx, struct counted, 1);
    if (!counted) return SENS_NO_MEMORY;
    counted->counts = sum;
    sens_problem_decorate(inner, &with, counted, &counted->room, problem);
    return SENS_OK;
}
