/* Data by their measurements, see measurements.h. */
#include "measurements.h"

#include <math.h>

/* Row j of either kind: t, weight, z [width], sigma [width]. */
struct row {
    double t, weight;
    const double *z, *sigma; /* sigma NULL: not given */
};

static struct row row_of(const struct sens_value *data, size_t n, size_t j)
{
    const double *const row = data->data + j * sens_value_row(data, n);
    if (!data->measured) return (struct row){row[0], 1, row + 1, NULL};
    return (struct row){row[0], row[1], row + 2, row + 2 + sens_value_measurable(data, n)};
}

/* Value i of the row, which is of a state, or of a quantity of the data. */
static void take(const struct row *row, size_t i, size_t of, struct measurements *made, size_t *known)
{
    const bool has_sigma = row->sigma && !isnan(row->sigma[i]);
    if (isnan(row->z[i]) || !(row->weight > 0)) return;
    made->all[made->count++] = (struct measured){.of = of,
                                                 .t = row->t,
                                                 .z = row->z[i],
                                                 .sigma = has_sigma ? row->sigma[i] : 1,
                                                 .root_weight = sqrt(row->weight)};
    *known += has_sigma;
}

sens_status measurements_read(struct sens_ctx *ctx, const struct sens_value *data, size_t n,
                              struct measurements *measurements, struct bench_error *error)
{
    const size_t width = sens_value_measurable(data, n), rows = data->count / sens_value_row(data, n);
    size_t known = 0;
    struct measurements made = {.all = SENS_NEW(ctx, struct measured, rows * width)};
    if (!made.all) {
        bench_refuse(error, "data: %s", sens_status_message(SENS_NO_MEMORY));
        return SENS_NO_MEMORY;
    }
    for (size_t j = 0; j < rows; j++) {
        const struct row row = row_of(data, n, j);
        for (size_t i = 0; i < width; i++)
            take(&row, i, i < n ? i : n + data->quantity[i - n], &made, &known);
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
