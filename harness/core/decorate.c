/* Decorators, see sens/decorate.h: each slot of a type is one line below, which makes the function that hands
 * on its call and puts it into the type. */
#include "sens/decorate.h"

/* ---- problems ------------------------------------------------------------------------------------------ */

#define PB const struct sens_problem *pb
#define AT const struct sens_at *at

/*  X(slot, parameters, arguments) */
#define PRODUCTS(X)                                                                                          \
    X(vjp, (PB, AT, size_t L, const sens_real *W, sens_real *OUT), (in, at, L, W, OUT))                      \
    X(jvp, (PB, AT, size_t L, const sens_real *V, sens_real *OUT), (in, at, L, V, OUT))                      \
    X(jvp_p_cols, (PB, AT, size_t k0, size_t L, sens_real * OUT), (in, at, k0, L, OUT))                      \
    X(vjp_p_batch,                                                                                           \
      (PB, size_t K, const sens_real *t, const sens_real *X, const sens_real *p, size_t L,                   \
       const sens_real *W, sens_real *MU),                                                                   \
      (in, K, t, X, p, L, W, MU))

#define INITIAL(X)                                                                                           \
    X(x0, (PB, const sens_real *p, sens_real *x), (in, p, x))                                                \
    X(x0_vjp, (PB, const sens_real *p, size_t L, const sens_real *W, sens_real *MU), (in, p, L, W, MU))      \
    X(x0_jvp_cols, (PB, const sens_real *p, size_t k0, size_t L, sens_real *OUT), (in, p, k0, L, OUT))

#define RHS_SLOPES(X)                                                                                        \
    X(rhs_t, (PB, AT, sens_real * OUT), (in, at, OUT))                                                       \
    X(hvp,                                                                                                   \
      (PB, AT, size_t L, const struct sens_direction *v, const sens_real *W, sens_real *OUT, sens_real *MU), \
      (in, at, L, v, W, OUT, MU))

#define OPERATIONS(X) X(operations, (PB, struct sens_operations * ops), (in, ops))

#define STRUCTURE(X)                                                                                         \
    X(jacobian, (PB, AT, sens_real * J), (in, at, J))                                                        \
    X(jacobian_p, (PB, AT, sens_real * value), (in, at, value))                                              \
    X(outer, (PB, AT, sens_real * s, sens_real * phi), (in, at, s, phi))                                     \
    X(coupling, (PB, const sens_real *p, sens_real *M), (in, p, M))                                          \
    X(diagonal, (PB, AT, sens_real * d), (in, at, d))

static sens_status rhs(PB, AT, sens_real *dx)
{
    return pb->inner->type->rhs(pb->inner, at, dx);
}

#define HAND_ON(slot, parameters, arguments)                                                                 \
    static void slot parameters                                                                              \
    {                                                                                                        \
        const struct sens_problem *const in = pb->inner;                                                     \
        in->type->slot arguments;                                                                            \
    }
PRODUCTS(HAND_ON)
RHS_SLOPES(HAND_ON)
OPERATIONS(HAND_ON)

#define HAND_ON_STRUCTURE(slot, parameters, arguments)                                                       \
    static void slot parameters                                                                              \
    {                                                                                                        \
        const struct sens_problem *const in = pb->inner;                                                     \
        in->structure->slot arguments;                                                                       \
    }
STRUCTURE(HAND_ON_STRUCTURE)

/* The inner problem, with what the decorated one was given since. */
static struct sens_problem inner_now(PB)
{
    struct sens_problem now = *pb->inner;
    now.t0 = pb->t0, now.t1 = pb->t1;
    now.x0 = pb->x0, now.p = pb->p;
    now.x0_fixed = pb->x0_fixed;
    return now;
}

#define HAND_ON_NOW(slot, parameters, arguments)                                                             \
    static void slot parameters                                                                              \
    {                                                                                                        \
        const struct sens_problem now = inner_now(pb), *const in = &now;                                     \
        in->type->slot arguments;                                                                            \
    }
INITIAL(HAND_ON_NOW)

static bool exact(PB, const struct sens_exact_query *q, const sens_real *p, sens_real *x, sens_real *S,
                  sens_real *S0)
{
    const struct sens_problem now = inner_now(pb);
    return now.type->exact(&now, q, p, x, S, S0);
}

static sens_status observe(struct sens_ctx *ctx, PB, size_t count, const size_t *quantity,
                           struct sens_observer *observer)
{
    return pb->inner->type->observe(ctx, pb->inner, count, quantity, observer);
}

/* The decorator's own function, or else the one above, where the inner type has one at all. Products it may
 * have although the inner type has none. */
#define REQUIRED(slot, parameters, arguments)                                                                \
    if (from->slot) made.slot = with->slot ? with->slot : slot;
#define PRODUCT(slot, parameters, arguments) made.slot = with->slot ? with->slot : from->slot ? slot : NULL;
#define UNLESS_ANOTHER(slot, parameters, arguments)                                                          \
    if (from->slot) made.slot = with->slot ? with->slot : another ? NULL : slot;
/* They are of rhs, and handed on where that is. */
#define UNLESS_ANOTHER_RHS(slot, parameters, arguments)                                                      \
    if (from->slot) made.slot = with->slot ? with->slot : another && with->rhs ? NULL : slot;

static struct sens_problem_type problem_type(const struct sens_problem_type *from,
                                             const struct sens_problem_type *with, bool another)
{
    struct sens_problem_type made = {.name = from->name,
                                     .summary = from->summary,
                                     .reference = from->reference,
                                     .options = from->options,
                                     .model = another ? NULL : from->model,
                                     .autonomous = with->autonomous || (!another && from->autonomous),
                                     .many_states = from->many_states};
    REQUIRED(rhs, , )
    PRODUCTS(PRODUCT)
    INITIAL(REQUIRED)
    RHS_SLOPES(UNLESS_ANOTHER_RHS)
    OPERATIONS(UNLESS_ANOTHER)
    UNLESS_ANOTHER(exact, , )
    UNLESS_ANOTHER(observe, , )
    return made;
}

static struct sens_structure structure(const struct sens_structure *from, const struct sens_structure *with)
{
    struct sens_structure made = {.sparsity = from->sparsity,
                                  .sparsity_p = from->sparsity_p,
                                  .n_blocks = from->n_blocks,
                                  .blocks = from->blocks,
                                  .jacobian_costs_more = from->jacobian_costs_more,
                                  .jacobian_p_costs_more = from->jacobian_p_costs_more,
                                  .jacobian_constant = from->jacobian_constant};
    STRUCTURE(REQUIRED)
    return made;
}

void sens_problem_decorate(const struct sens_problem *inner, const struct sens_problem_decoration *with,
                           const void *data, struct sens_decorated_problem *room,
                           struct sens_problem *problem)
{
    room->inner = *inner;
    room->type = problem_type(inner->type, &with->type, with->another);
    if (inner->structure) room->structure = structure(inner->structure, &with->structure);
    *problem = room->inner;
    problem->type = &room->type;
    problem->structure = inner->structure && !with->another ? &room->structure : NULL;
    problem->data = data;
    problem->inner = &room->inner;
    problem->engine = NULL;                      /* it would step by the inner functions */
    if (with->another) problem->implicit = NULL; /* f_I means something else there */
    problem->as_inner = !with->another && (!with->type.rhs || with->same_rhs) && !with->type.x0;
}

/* ---- costs --------------------------------------------------------------------------------------------- */

#define COST  const struct sens_cost *cost
#define VISIT const sens_real *x, const sens_real *p

#define TERMS(X)                                                                                             \
    X(phi, (COST, size_t j, VISIT, sens_real * G), (in, j, x, p, G))                                         \
    X(phi_dx, (COST, size_t j, VISIT, size_t c0, size_t L, sens_real * OUT), (in, j, x, p, c0, L, OUT))      \
    X(phi_dp, (COST, size_t j, VISIT, size_t c0, size_t L, sens_real * MU), (in, j, x, p, c0, L, MU))        \
    X(g, (COST, AT, sens_real w, sens_real * G), (in, at, w, G))                                             \
    X(g_dx, (COST, AT, sens_real w, size_t c0, size_t L, sens_real * OUT), (in, at, w, c0, L, OUT))          \
    X(g_dp, (COST, AT, sens_real w, size_t c0, size_t L, sens_real * MU), (in, at, w, c0, L, MU))

#define HAND_ON_COST(slot, parameters, arguments)                                                            \
    static void slot parameters                                                                              \
    {                                                                                                        \
        const struct sens_cost *const in = cost->inner;                                                      \
        in->type->slot arguments;                                                                            \
    }
TERMS(HAND_ON_COST)

static struct sens_cost_type cost_type(const struct sens_cost_type *from, const struct sens_cost_type *with)
{
    struct sens_cost_type made = {.name = from->name,
                                  .summary = from->summary,
                                  .options = from->options,
                                  .data_of_x0 = from->data_of_x0};
    TERMS(REQUIRED)
    return made;
}

void sens_cost_decorate(const struct sens_cost *inner, const struct sens_cost_type *with, const void *data,
                        struct sens_decorated_cost *room, struct sens_cost *cost)
{
    room->inner = *inner;
    room->type = cost_type(inner->type, with);
    *cost = room->inner;
    cost->type = &room->type;
    cost->data = data;
    cost->inner = &room->inner;
    cost->as_inner = !with->phi && !with->g;
}
