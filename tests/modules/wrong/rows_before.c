/* Squares of the distances to measured values of the first state, rows of a time and a value. Those before t0 are left
 * out, and the gradient forgets that.
 *
 * verify: --quick --cost rows_before
 * module: cost rows_before
 * cause: option_path cost_observation */
#include <tgmath.h>

#include "sens/plugin.h"

static sens_real distance(const struct sens_cost *cost, size_t row, const sens_real *x)
{
    const struct sens_value *const file = &cost->option[0];
    return x[0] - (file->count > 0 ? (sens_real)file->data[2 * row + 1] : 0);
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)p;
    const size_t *const before = cost->data;
    const sens_real d = distance(cost, *before + j, x);
    G[0] += d * d / 2;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)p;
    if (c0 == 0 && L > 0) OUT[0] += distance(cost, j, x);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    const size_t rows = option[0].count / 2;
    size_t *const before = SENS_NEW(ctx, size_t, 1);
    sens_real *const t = SENS_NEW(ctx, sens_real, rows + 1);
    if (!before || !t) return SENS_NO_MEMORY;
    if (option[0].count % 2) return SENS_BAD_INPUT;
    if (rows == 0) t[cost->n_obs++] = pb->t1;
    for (size_t j = 0; j < rows; j++) {
        const sens_real when = option[0].data[2 * j];
        if (when > pb->t1 || (j > 0 && !(when > option[0].data[2 * j - 2]))) return SENS_BAD_INPUT;
        if (when < pb->t0)
            ++*before;
        else
            t[cost->n_obs++] = when;
    }
    if (cost->n_obs == 0) return SENS_BAD_INPUT;
    cost->m = 1, cost->t_obs = t, cost->data = before;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "data", .kind = SENS_OPT_DATA, .help = "rows of a time and a value"},
    SENS_OPTIONS_END,
};

static SENS_COST(rows_before) = {
    .name = "rows_before",
    .summary = "distance to measured values",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};
static const struct sens_cost_type *const costs[] = {&sens_cost_rows_before, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "rows_before", .costs = costs};
