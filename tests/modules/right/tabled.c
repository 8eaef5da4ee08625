/* Squares of what a table measured, states and quantities of the problem; rows of one time have a weight each. Without
 * a table: the states at t1 against 1.
 *
 * verify: --quick --cost tabled */
#include <tgmath.h>

#include "sens/plugin.h"

struct table {
    const double *row; /* of t, weight, z [width], sigma [width] */
    size_t width;
    size_t *first; /* [n_obs + 1] rows of time j: first[j] <= r < first[j + 1] */
    struct sens_observer observer;
};

/* Of time j; NULL: not wanted. */
static void add(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t L,
                sens_real *G, sens_real *X, sens_real *P)
{
    const struct table *const tb = cost->data;
    const struct sens_at at = {cost->t_obs[j], x, p};
    const struct sens_observer *const o = &tb->observer;
    const size_t n = cost->n;
    for (size_t r = tb->first[j]; r < tb->first[j + 1]; r++) {
        const double *const row = tb->row + r * (2 + 2 * tb->width), *const z = row + 2;
        const double weight = row[1];
        for (size_t i = 0; i < tb->width; i++) {
            const double sigma = z[tb->width + i];
            if (isnan(z[i])) continue;
            const sens_real w = isnan(sigma) ? weight : weight / (sigma * sigma);
            const sens_real d = (i < n ? x[i] : o->value(o, &at, i - n)) - z[i];
            if (G) G[0] += w * d * d / 2;
            if (i < n && X) X[i * L] += w * d;
            if (i >= n && !G) o->pull(o, &at, i - n, w * d, 0, L, X, P);
        }
    }
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    add(cost, j, x, p, 0, G, NULL, NULL);
}
static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    if (c0 == 0 && L > 0) add(cost, j, x, p, L, NULL, OUT, NULL);
}
static void phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU)
{
    if (c0 == 0 && L > 0) add(cost, j, x, p, L, NULL, NULL, MU);
}

/* One row at t1, z = 1. */
static const double *usual_row(struct sens_ctx *ctx, const struct sens_problem *pb)
{
    double *const row = SENS_NEW(ctx, double, 2 + 2 * pb->n);
    if (!row) return NULL;
    row[0] = (double)pb->t1, row[1] = 1;
    for (size_t i = 0; i < pb->n; i++) row[2 + i] = 1, row[2 + pb->n + i] = NAN;
    return row;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    const size_t width = sens_value_measurable(option, pb->n), size = 2 + 2 * width;
    const size_t rows = option->count ? option->count / size : 1;
    if (option->count && !option->measured) return sens_fail(ctx, SENS_BAD_INPUT, "data: without a header");
    if (option->quantities && !pb->type->observe)
        return sens_fail(ctx, SENS_UNSUPPORTED, "data: the problem offers no quantities");
    struct table *const tb = SENS_NEW(ctx, struct table, 1);
    sens_real *const t = SENS_NEW(ctx, sens_real, rows);
    size_t *const first = SENS_NEW(ctx, size_t, rows + 1), times = 0;
    const double *const row = option->count ? option->data : usual_row(ctx, pb);
    if (!tb || !t || !first || !row) return SENS_NO_MEMORY;
    for (size_t r = 0; r < rows; first[times] = ++r)
        if (times == 0 || row[r * size] != (double)t[times - 1]) t[times++] = row[r * size];
    *tb = (struct table){.row = row, .width = width, .first = first};
    cost->m = 1, cost->n_obs = times, cost->t_obs = t, cost->data = tb;
    return option->quantities
               ? pb->type->observe(ctx, pb, option->quantities, option->quantity, &tb->observer)
               : SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "data", .kind = SENS_OPT_DATA, .help = "measurements by names of states or quantities"},
    SENS_OPTIONS_END,
};

static SENS_COST(tabled) = {
    .name = "tabled",
    .summary = "squares of what a table measured",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
    .phi_dp = phi_dp,
};
static const struct sens_cost_type *const costs[] = {&sens_cost_tabled, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "tabled", .costs = costs};
