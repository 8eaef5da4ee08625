/* A sample of the final state: G_c = x_i(t1) with i = floor((c + 1/2) n / m), c < m, for problems with so
 * many states that the gradients of all of them are neither wanted nor affordable in reverse mode.
 * By hand: its gradient, ones; for references in extended precision, and as the oracle of the derived one. */
#include "sens/cost.h"

static const struct sens_option options[] = {
    {.name = "outputs",
     .kind = SENS_OPT_INT,
     .fallback = 8,
     .min = 1,
     .max = 1000000,
     .help = "number of components, evenly spread over the state; at most n"},
    SENS_OPTIONS_END,
};

static size_t component(const struct sens_cost *cost, size_t c)
{
    return (2 * c + 1) * cost->n / (2 * cost->m);
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    for (size_t c = 0; c < cost->m; c++) G[c] += x[component(cost, c)];
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)x, (void)p;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) OUT[component(cost, c0 + l) * L + l] += 1;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    const size_t outputs = (size_t)option[0].number;
    sens_real *t_obs = SENS_NEW(ctx, sens_real, 1);
    if (!t_obs) return SENS_NO_MEMORY;
    t_obs[0] = pb->t1;
    cost->m = outputs < pb->n ? outputs : pb->n;
    cost->n_obs = 1;
    cost->t_obs = t_obs;
    return SENS_OK;
}

SENS_COST(sampled) = {
    .name = "sampled",
    .summary = "a sample of the final state, for problems with many states: G_c = x_i(t1)",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};
