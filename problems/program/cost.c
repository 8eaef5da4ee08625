/* The costs that a problem of operations comes with: G_c = sum_j phi_c(t_j, x(t_j), p) + int g_c dt.
 *
 * Their gradients are reverse sweeps over the same operations, in extended precision, too, for references: nothing is
 * written by hand. */
#include <string.h>

#include "written.h"

struct own {
    const struct written *written;
    struct program *some; /* [n_obs + 1] phi and g of the outputs that are wanted */
    struct evaluation *phi, g;
};

/* ---- a part of the cost: its value, and its derivatives in lanes ----------------------------------------- */

static void value(const struct own *own, const struct evaluation *part, const struct sens_at *at,
                  sens_real weight, sens_real *G)
{
    const struct workspace work = workspace_take(own->written->scratch);
    evaluation_values(part, at, &work);
    evaluation_add(part, &work, weight, G);
    workspace_give(&work);
}

static void derivative(const struct own *own, const struct evaluation *part, const struct sens_at *at,
                       const struct evaluation_pull *pull, sens_real *X, sens_real *P)
{
    const struct workspace work = workspace_take(own->written->scratch);
    evaluation_values(part, at, &work);
    evaluation_reverse(part, &work, pull, X, P);
    workspace_give(&work);
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    const struct own *own = cost->data;
    value(own, &own->phi[j], &(struct sens_at){cost->t_obs[j], x, p}, 1, G);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    const struct own *own = cost->data;
    const struct evaluation_pull pull = {.L = L, .first = c0, .weight = 1};
    derivative(own, &own->phi[j], &(struct sens_at){cost->t_obs[j], x, p}, &pull, OUT, NULL);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU)
{
    const struct own *own = cost->data;
    const struct evaluation_pull pull = {.L = L, .first = c0, .weight = 1};
    derivative(own, &own->phi[j], &(struct sens_at){cost->t_obs[j], x, p}, &pull, NULL, MU);
}

static void g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    const struct own *own = cost->data;
    value(own, &own->g, at, w, G);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *OUT)
{
    const struct own *own = cost->data;
    derivative(own, &own->g, at, &(struct evaluation_pull){.L = L, .first = c0, .weight = w}, OUT, NULL);
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *MU)
{
    const struct own *own = cost->data;
    derivative(own, &own->g, at, &(struct evaluation_pull){.L = L, .first = c0, .weight = w}, NULL, MU);
}

/* ---- the instance -------------------------------------------------------------------------------------- */

/* Without integrals: methods need not carry a quadrature along. */
static const struct sens_cost_type at_times = {.name = "own", .phi = phi, .phi_dx = phi_dx, .phi_dp = phi_dp};

/* Output `only` - 1 of a part, or (0) all of them. */
static sens_status restricted(struct sens_ctx *ctx, const struct program *from, size_t only,
                              struct program *to, struct evaluation *evaluation)
{
    *to = *from;
    if (only && from->outputs) to->outputs = 1, to->output = from->output + only - 1;
    return evaluation_create(ctx, to, evaluation);
}

static sens_status create_parts(struct sens_ctx *ctx, struct own *own, size_t only)
{
    const struct program_equations *equations = &own->written->equations;
    sens_status status = restricted(ctx, &equations->g, only, &own->some[equations->n_obs], &own->g);
    for (size_t j = 0; j < equations->n_obs && status == SENS_OK; j++)
        status = restricted(ctx, &equations->phi[j], only, &own->some[j], &own->phi[j]);
    return status;
}

/* The instance that is below all decorators; type->model is handed on as long as x and p mean the same. */
static const struct written *written_of(const struct sens_problem *pb)
{
    if (!pb->type->model) return NULL;
    while (pb->inner) pb = pb->inner;
    return pb->data;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    const struct written *written = written_of(pb);
    const size_t only = (size_t)option[0].number;
    if (!written || written->equations.m == 0)
        return sens_fail(ctx, SENS_UNSUPPORTED, "problem %s declares no costs of its own", pb->type->name);
    const struct program_equations *equations = &written->equations;
    if (only > equations->m)
        return sens_fail(ctx, SENS_BAD_INPUT, "cost own: only=%zu of %zu costs", only, equations->m);
    struct own *own = SENS_NEW(ctx, struct own, 1);
    sens_real *times = SENS_NEW(ctx, sens_real, equations->n_obs);
    if (!own || !times) return SENS_NO_MEMORY;
    own->written = written;
    own->some = SENS_NEW(ctx, struct program, equations->n_obs + 1);
    own->phi = SENS_NEW(ctx, struct evaluation, equations->n_obs);
    if (!own->some || !own->phi) return SENS_NO_MEMORY;
    for (size_t j = 0; j < equations->n_obs; j++) times[j] = equations->t_obs[j];
    if (equations->at_end) times[equations->n_obs - 1] = pb->t1;
    cost->m = only ? 1 : equations->m;
    cost->n_obs = equations->n_obs;
    cost->t_obs = times;
    cost->data = own;
    if (equations->g.outputs == 0) cost->type = &at_times;
    return create_parts(ctx, own, only);
}

static const struct sens_option options[] = {
    {.name = "only", .kind = SENS_OPT_INT, .min = 0, .max = 1e6, .help = "the number of one of them; 0: all"},
    SENS_OPTIONS_END};

SENS_COST(own) = {
    .name = "own",
    .summary = "the costs that the problem itself declares (models, docs/models.md)",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
    .phi_dp = phi_dp,
    .g = g,
    .g_dx = g_dx,
    .g_dp = g_dp,
};
