/* States along the way as functionals, see snapshots.h. Observation j adds to its own n functionals alone. */
#include "snapshots.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)p;
    for (size_t i = 0; i < cost->n; i++) G[j * cost->n + i] += x[i];
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)x, (void)p;
    const size_t first = j * cost->n, end = first + cost->n;
    for (size_t l = 0; l < L; l++)
        if (c0 + l >= first && c0 + l < end) OUT[(c0 + l - first) * L + l] += 1;
}

/* The grid arrives as the data of the one option. */
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)ctx;
    cost->m = option->count * pb->n;
    cost->n_obs = option->count;
    cost->t_obs = option->data;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "times", .kind = SENS_OPT_DATA, .help = "the grid"},
    SENS_OPTIONS_END,
};

static const struct sens_cost_type snapshots = {
    .name = "snapshots",
    .summary = "the state at the times of a grid",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};

sens_status snapshots_create(struct sens_ctx *ctx, const struct sens_problem *pb, size_t times,
                             const double *t, struct sens_cost *cost)
{
    struct sens_value *const grid = SENS_NEW(ctx, struct sens_value, 1);
    if (!grid) return SENS_NO_MEMORY;
    *grid = (struct sens_value){.data = t, .count = times};
    return sens_cost_create(ctx, &snapshots, grid, pb, cost);
}
