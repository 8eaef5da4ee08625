/* Residuals of data, see measurements.h. */
#include "measurements.h"

#include <math.h>

/* ---- the cost ------------------------------------------------------------------------------------------ */

static double per_unit(const struct measured *me)
{
    return me->root_weight / me->sigma;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)p;
    const struct measurements *const data = cost->data;
    for (size_t e = 0; e < data->count; e++) {
        const struct measured *const me = &data->all[e];
        if (me->time == j) G[e] += (x[me->state] - me->z) * per_unit(me);
    }
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)x, (void)p;
    const struct measurements *const data = cost->data;
    for (size_t l = 0; l < L && c0 + l < data->count; l++) {
        const struct measured *const me = &data->all[c0 + l];
        if (me->time == j) OUT[me->state * L + l] += per_unit(me);
    }
}

/* The pointer to the measurements arrives as the data of the one option. */
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)ctx, (void)pb;
    const struct measurements *const data = (const void *)option->data;
    cost->m = data->count;
    cost->n_obs = data->times;
    cost->t_obs = data->t;
    cost->data = data;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "data", .kind = SENS_OPT_DATA, .help = "the measurements"},
    SENS_OPTIONS_END,
};

static const struct sens_cost_type residuals = {
    .name = "residuals",
    .summary = "distances from data, each by its standard deviation",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};

sens_status measurements_cost(struct sens_ctx *ctx, const struct measurements *measurements,
                              const struct sens_problem *pb, struct sens_cost *cost)
{
    struct sens_value *const value = SENS_NEW(ctx, struct sens_value, 1);
    if (!value) return SENS_NO_MEMORY;
    *value = (struct sens_value){.data = (const void *)measurements, .count = 1};
    return sens_cost_create(ctx, &residuals, value, pb, cost);
}

/* ---- the data ------------------------------------------------------------------------------------------ */

/* Row j of either kind: t, weight, z [n], sigma [n]. */
struct row {
    double t, weight;
    const double *z, *sigma; /* sigma NULL: not given */
};

static struct row row_of(const struct sens_value *data, size_t n, size_t j)
{
    const double *const row = data->data + j * (data->measured ? 2 + 2 * n : 1 + n);
    if (!data->measured) return (struct row){row[0], 1, row + 1, NULL};
    return (struct row){row[0], row[1], row + 2, row + 2 + n};
}

static void take(const struct row *row, size_t i, struct measurements *made, size_t *known)
{
    const bool has_sigma = row->sigma && !isnan(row->sigma[i]);
    if (isnan(row->z[i]) || !(row->weight > 0)) return;
    if (!made->times || row->t != (double)made->t[made->times - 1]) made->t[made->times++] = row->t;
    made->all[made->count++] = (struct measured){.state = i,
                                                 .time = made->times - 1,
                                                 .z = row->z[i],
                                                 .sigma = has_sigma ? row->sigma[i] : 1,
                                                 .root_weight = sqrt(row->weight)};
    *known += has_sigma;
}

sens_status measurements_read(struct sens_ctx *ctx, const struct sens_value *data, size_t n,
                              struct measurements *measurements, struct bench_error *error)
{
    const size_t rows = data->count / (data->measured ? 2 + 2 * n : 1 + n);
    size_t known = 0;
    struct measurements made = {.all = SENS_NEW(ctx, struct measured, rows * n),
                                .t = SENS_NEW(ctx, sens_real, rows)};
    if (!made.all || !made.t) {
        bench_refuse(error, "data: %s", sens_status_message(SENS_NO_MEMORY));
        return SENS_NO_MEMORY;
    }
    for (size_t j = 0; j < rows; j++) {
        const struct row row = row_of(data, n, j);
        for (size_t i = 0; i < n; i++) take(&row, i, &made, &known);
    }
    made.sigma_known = known > 0;
    *measurements = made;
    if (made.count && (known == 0 || known == made.count)) return SENS_OK;
    if (!made.count)
        bench_refuse(error, "data: nothing was measured");
    else
        bench_refuse(error,
                     "data: %zu of %zu measurements have a standard deviation; a fit needs that of all or of "
                     "none",
                     known, made.count);
    return SENS_BAD_INPUT;
}
