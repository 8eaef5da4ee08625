/* Distance to data at observation times, one functional:
 *
 *     G = 1/2 sum_j |x(t_j) - z_j|^2.
 *
 * The data are rows t, z_1 ... z_n of numbers, or without them `count` equidistant times from t0 to t1
 * (count = 1: t1 alone) with z_j = (1 + s_j)/2 x0, where s_j in [0, 1] is the fraction of the interval that
 * has passed: no residual vanishes by construction, that at t0 included.
 *
 * By hand: its gradient, for references in extended precision, and as the oracle of the derived one, for
 * which each time is recorded by itself. */
#include <math.h>

#include "sens/cost.h"

static const sens_real *row(const struct sens_cost *cost, size_t j)
{
    const sens_real *z = cost->data;
    return z + j * cost->n;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)p;
    const sens_real *z = row(cost, j);
    sens_real sum = 0;
    for (size_t i = 0; i < cost->n; i++) sum += (x[i] - z[i]) * (x[i] - z[i]);
    G[0] += sum / 2;
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)p;
    const sens_real *z = row(cost, j);
    for (size_t i = 0; c0 == 0 && L > 0 && i < cost->n; i++) OUT[i * L] += x[i] - z[i];
}

static sens_status read_data(struct sens_ctx *ctx, const struct sens_value *data,
                             const struct sens_problem *pb, size_t rows, sens_real *t_obs, sens_real *z)
{
    const size_t width = pb->n + 1;
    if (data->count % width)
        return sens_fail(ctx, SENS_BAD_INPUT, "data: %zu numbers are no whole rows of t, x_1 ... x_%zu",
                         data->count, pb->n);
    for (size_t k = 0; k < data->count; k++)
        if (!isfinite(data->data[k]))
            return sens_fail(ctx, SENS_BAD_INPUT, "data: number %zu is not finite", k + 1);
    for (size_t j = 0; j < rows; j++) {
        t_obs[j] = data->data[j * width];
        for (size_t i = 0; i < pb->n; i++) z[j * pb->n + i] = data->data[j * width + 1 + i];
    }
    return SENS_OK;
}

/* In double whatever the working precision, so that every variant has the same data. */
static void synthesise(const struct sens_problem *pb, size_t rows, sens_real *t_obs, sens_real *z)
{
    const double t0 = (double)pb->t0, length = (double)pb->t1 - t0;
    for (size_t j = 0; j < rows; j++) {
        const double passed = rows > 1 ? (double)j / (double)(rows - 1) : 1;
        t_obs[j] = j + 1 == rows ? pb->t1 : t0 + length * (double)j / (double)(rows - 1);
        for (size_t i = 0; i < pb->n; i++) z[j * pb->n + i] = (1 + passed) * (double)pb->x0[i] / 2;
    }
}

enum { OPT_DATA, OPT_COUNT };
static const struct sens_option options[] = {
    {.name = "data",
     .kind = SENS_OPT_DATA,
     .help = "file of rows t, x_1 ... x_n; without it: synthetic data"},
    {.name = "count",
     .kind = SENS_OPT_INT,
     .fallback = 5,
     .min = 1,
     .max = 1e6,
     .help = "times of the synthetic data, t0 and t1 included"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    const struct sens_value *data = &option[OPT_DATA];
    if (data->count && option[OPT_COUNT].number != options[OPT_COUNT].fallback)
        return sens_fail(ctx, SENS_BAD_INPUT, "count: the file of data says how many times there are");
    const size_t rows = data->count ? data->count / (pb->n + 1) : (size_t)option[OPT_COUNT].number;
    sens_real *t_obs = SENS_NEW(ctx, sens_real, rows), *z = SENS_NEW(ctx, sens_real, rows * pb->n);
    if (!t_obs || !z) return SENS_NO_MEMORY;
    cost->m = 1;
    cost->n_obs = rows;
    cost->t_obs = t_obs;
    cost->data = z;
    if (data->count) return read_data(ctx, data, pb, rows, t_obs, z);
    synthesise(pb, rows, t_obs, z);
    return SENS_OK;
}

SENS_COST(tracking) = {
    .name = "tracking",
    .summary = "distance to data: G = 1/2 sum_j |x(t_j) - z_j|^2",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};
