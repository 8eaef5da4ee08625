/* Distance to data, or the log-likelihood of the data, one functional; or the residuals, one for each measurement:
 *
 *     G   = 1/2 sum_e w_e ((y_e - z_e) / sigma_e)^2                                       likelihood=off
 *     G   = -sum_e w_e [ 1/2 ((y_e - z_e) / sigma_e)^2 + log(sigma_e sqrt(2 pi)) ]        likelihood=on
 *     G_e = sqrt(w_e) (y_e - z_e) / sigma_e                                               residuals=on
 *
 * where e is a measurement z_e of a state, y_e = x_(i_e)(t_(j_e)), or of another quantity that the problem offers,
 * y_e = h_(i_e)(t, x, p), whose error is normal with the standard deviation sigma_e (least squares; w_e counts it as so
 * many). The data are measurements by names, or rows t, z_1 ... z_n of numbers with w = sigma = 1, or without them
 * `count` equidistant times from t0 to t1 (count = 1: t1 alone) with z_j = (1 + s_j)/2 x0, where s_j in [0, 1] is the
 * fraction of the interval that has passed: no residual vanishes by construction, that at t0 included.
 *
 * By hand: its gradient, for references in extended precision, and as the oracle of the derived one, for
 * which each time is recorded by itself. */
#include <math.h>

#include "sens/cost.h"

struct measurement {
    size_t of; /* a state, or n + a place among the observed quantities */
    sens_real z;
    sens_real weight; /* w / sigma^2, of likelihood=on negative */
    sens_real root;   /* sqrt(w) / sigma */
};

struct tracking {
    const struct measurement *all; /* those of time j: first[j] <= e < first[j + 1] */
    const size_t *first;           /* [n_obs + 1] */
    const sens_real *constant;     /* [n_obs] sum of -w log(sigma sqrt(2 pi)), or 0 */
    bool residuals;
    struct sens_observer observer; /* count 0: states alone were measured */
};

/* y_e - z_e */
static sens_real off(const struct sens_cost *cost, const struct measurement *me, const struct sens_at *at)
{
    const struct tracking *tr = cost->data;
    if (me->of < cost->n) return at->x[me->of] - me->z;
    return tr->observer.value(&tr->observer, at, me->of - cost->n) - me->z;
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    const struct tracking *tr = cost->data;
    const struct sens_at at = {cost->t_obs[j], x, p};
    sens_real sum = 0;
    for (size_t e = tr->first[j]; e < tr->first[j + 1]; e++) {
        const sens_real d = off(cost, &tr->all[e], &at);
        if (tr->residuals) G[e] += tr->all[e].root * d;
        sum += tr->all[e].weight * d * d;
    }
    if (!tr->residuals) G[0] += sum / 2 + tr->constant[j];
}

/* X[:,lane] += w dy_e/dx, P[:,lane] += w dy_e/dp */
static void pull(const struct sens_cost *cost, const struct measurement *me, const struct sens_at *at,
                 sens_real w, size_t lane, size_t L, sens_real *X, sens_real *P)
{
    const struct tracking *tr = cost->data;
    if (me->of >= cost->n)
        tr->observer.pull(&tr->observer, at, me->of - cost->n, w, lane, L, X, P);
    else if (X)
        X[me->of * L + lane] += w;
}

/* The measurements of time j whose functional is in lanes c0 + l, l < L; of the sum all are in lane 0. */
static void gradient(const struct sens_cost *cost, size_t j, const struct sens_at *at, size_t c0, size_t L,
                     sens_real *X, sens_real *P)
{
    const struct tracking *tr = cost->data;
    for (size_t e = tr->first[j]; e < tr->first[j + 1]; e++) {
        const struct measurement *me = &tr->all[e];
        const size_t c = tr->residuals ? e : 0;
        if (c < c0 || c >= c0 + L) continue;
        pull(cost, me, at, tr->residuals ? me->root : me->weight * off(cost, me, at), c - c0, L, X, P);
    }
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    gradient(cost, j, &(struct sens_at){cost->t_obs[j], x, p}, c0, L, OUT, NULL);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU)
{
    const struct tracking *tr = cost->data;
    if (tr->observer.count) gradient(cost, j, &(struct sens_at){cost->t_obs[j], x, p}, c0, L, NULL, MU);
}

/* ---- from data to measurements -------------------------------------------------------------------------- */

struct filling {
    struct measurement *all;
    size_t *first;
    sens_real *t_obs, *constant;
    size_t times, taken; /* so far */
    size_t n, width;     /* states; what can be measured */
    bool likelihood;
};

static sens_status make_room(struct sens_ctx *ctx, size_t times, size_t measurements, struct filling *fill)
{
    fill->all = SENS_NEW(ctx, struct measurement, measurements);
    fill->first = SENS_NEW(ctx, size_t, times + 1);
    fill->t_obs = SENS_NEW(ctx, sens_real, times);
    fill->constant = SENS_NEW(ctx, sens_real, times);
    return fill->all && fill->first && fill->t_obs && fill->constant ? SENS_OK : SENS_NO_MEMORY;
}

static void next_time(struct filling *fill, sens_real t)
{
    fill->t_obs[fill->times++] = t;
}

/* In double whatever the working precision, as all that is done here: every variant has the same data. */
static void take(struct filling *fill, size_t of, double z, double w, double sigma)
{
    static const double log_sqrt_2pi = 0.91893853320467274178;
    const double weight = w / (sigma * sigma);
    fill->all[fill->taken++] =
        (struct measurement){of, z, fill->likelihood ? -weight : weight, sqrt(w) / sigma};
    fill->first[fill->times] = fill->taken;
    if (fill->likelihood) fill->constant[fill->times - 1] -= w * (log(sigma) + log_sqrt_2pi);
}

static sens_status read_rows(struct sens_ctx *ctx, const struct sens_value *data,
                             const struct sens_problem *pb, struct filling *fill)
{
    const size_t width = sens_value_row(data, pb->n), rows = data->count / width;
    if (data->count % width)
        return sens_fail(ctx, SENS_BAD_INPUT, "data: %zu numbers are no whole rows of t, x_1 ... x_%zu",
                         data->count, pb->n);
    for (size_t k = 0; k < data->count; k++)
        if (!isfinite(data->data[k]))
            return sens_fail(ctx, SENS_BAD_INPUT, "data: number %zu is not finite", k + 1);
    if (make_room(ctx, rows, rows * pb->n, fill) != SENS_OK) return SENS_NO_MEMORY;
    for (size_t j = 0; j < rows; j++) {
        next_time(fill, data->data[j * width]);
        for (size_t i = 0; i < pb->n; i++) take(fill, i, data->data[j * width + 1 + i], 1, 1);
    }
    return SENS_OK;
}

/* One row of the table: its measurements, at a time of its own or at that of the row before. */
static sens_status take_row(struct sens_ctx *ctx, const double *row, struct filling *fill)
{
    const double *const z = row + 2, *const sigma = z + fill->width;
    if (row[1] == 0) return SENS_OK; /* it counts as if it were not there: no observation */
    if (!fill->times || row[0] != fill->t_obs[fill->times - 1]) next_time(fill, row[0]);
    fill->first[fill->times] = fill->taken;
    for (size_t i = 0; i < fill->width; i++) {
        if (isnan(z[i])) continue;
        if (fill->likelihood && isnan(sigma[i]))
            return sens_fail(ctx, SENS_BAD_INPUT,
                             "data: likelihood=on needs the standard deviation of each measurement; that of "
                             "%s %zu at t = %g has none",
                             i < fill->n ? "state" : "quantity", i < fill->n ? i : i - fill->n, row[0]);
        take(fill, i, z[i], row[1], isnan(sigma[i]) ? 1 : sigma[i]);
    }
    return SENS_OK;
}

static sens_status read_table(struct sens_ctx *ctx, const struct sens_value *data, struct filling *fill)
{
    const size_t width = sens_value_row(data, fill->n), rows = data->count / width;
    size_t measurements = 0;
    for (size_t j = 0; j < rows; j++)
        for (size_t i = 0; i < fill->width; i++)
            if (!isnan(data->data[j * width + 2 + i])) measurements++;
    if (make_room(ctx, rows, measurements, fill) != SENS_OK) return SENS_NO_MEMORY;
    for (size_t j = 0; j < rows; j++) {
        const sens_status status = take_row(ctx, data->data + j * width, fill);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

static sens_status synthesise(struct sens_ctx *ctx, size_t rows, const struct sens_problem *pb,
                              struct filling *fill)
{
    const double t0 = (double)pb->t0, length = (double)pb->t1 - t0;
    if (make_room(ctx, rows, rows * pb->n, fill) != SENS_OK) return SENS_NO_MEMORY;
    for (size_t j = 0; j < rows; j++) {
        const double passed = rows > 1 ? (double)j / (double)(rows - 1) : 1;
        next_time(fill, j + 1 == rows ? pb->t1 : t0 + length * (double)j / (double)(rows - 1));
        for (size_t i = 0; i < pb->n; i++) take(fill, i, (1 + passed) * (double)pb->x0[i] / 2, 1, 1);
    }
    return SENS_OK;
}

enum { OPT_DATA, OPT_COUNT, OPT_LIKELIHOOD, OPT_EXPERIMENT, OPT_RESIDUALS };
static const char *const off_on[] = {"off", "on", NULL};
static const struct sens_option options[] = {
    {.name = "data",
     .kind = SENS_OPT_DATA,
     .help = "measurements by names of states or quantities, or rows t, x_1 ... x_n; without it: synthetic"},
    {.name = "count",
     .kind = SENS_OPT_INT,
     .fallback = 5,
     .min = 1,
     .max = 1e6,
     .help = "times of the synthetic data, t0 and t1 included"},
    {.name = "likelihood",
     .kind = SENS_OPT_CHOICE,
     .choices = off_on,
     .help = "on: G is the logarithm of the likelihood of the data, their errors being normal"},
    {.name = "experiment", /* the rows of others are left out where the file is read */
     .kind = SENS_OPT_INT,
     .fallback = 0,
     .min = 0,
     .max = 1e6,
     .help = "whose rows count, of a file with a column of this name; 0: it has none"},
    {.name = "residuals",
     .kind = SENS_OPT_CHOICE,
     .choices = off_on,
     .help = "on: an output for each measurement, what is squared in the sum"},
    SENS_OPTIONS_END,
};

static sens_status fill_in(struct sens_ctx *ctx, const struct sens_value *option,
                           const struct sens_problem *pb, struct filling *fill)
{
    const struct sens_value *data = &option[OPT_DATA];
    if (data->measured) return read_table(ctx, data, fill);
    if (data->count) return read_rows(ctx, data, pb, fill);
    return synthesise(ctx, (size_t)option[OPT_COUNT].number, pb, fill);
}

static sens_status check_options(struct sens_ctx *ctx, const struct sens_value *option)
{
    if (option[OPT_DATA].count && option[OPT_COUNT].number != options[OPT_COUNT].fallback)
        return sens_fail(ctx, SENS_BAD_INPUT, "count: the file of data says how many times there are");
    if (option[OPT_EXPERIMENT].number != 0 && !option[OPT_DATA].measured)
        return sens_fail(ctx, SENS_BAD_INPUT,
                         "experiment: only of data with a header line that names such a column");
    if (option[OPT_RESIDUALS].number == 1 && option[OPT_LIKELIHOOD].number == 1)
        return sens_fail(ctx, SENS_BAD_INPUT, "residuals=on: a likelihood is of all of them together");
    return SENS_OK;
}

static sens_status observe(struct sens_ctx *ctx, const struct sens_value *data, const struct sens_problem *pb,
                           struct tracking *tr)
{
    if (data->quantities == 0) return SENS_OK;
    if (!pb->type->observe)
        return sens_fail(ctx, SENS_UNSUPPORTED, "data: problem %s offers no quantities beside its states",
                         pb->type->name);
    return pb->type->observe(ctx, pb, data->quantities, data->quantity, &tr->observer);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    const struct sens_value *const data = &option[OPT_DATA];
    struct filling fill = {.n = pb->n,
                           .width = sens_value_measurable(data, pb->n),
                           .likelihood = option[OPT_LIKELIHOOD].number == 1};
    sens_status status = check_options(ctx, option);
    struct tracking *tr = SENS_NEW(ctx, struct tracking, 1);
    if (status == SENS_OK && !tr) status = SENS_NO_MEMORY;
    if (status == SENS_OK) status = fill_in(ctx, option, pb, &fill);
    if (status == SENS_OK) status = observe(ctx, data, pb, tr);
    if (status != SENS_OK) return status;
    tr->all = fill.all;
    tr->first = fill.first;
    tr->constant = fill.constant;
    tr->residuals = option[OPT_RESIDUALS].number == 1;
    if (fill.taken == 0) return sens_fail(ctx, SENS_BAD_INPUT, "data: all measurements have the weight 0");
    cost->m = tr->residuals ? fill.taken : 1;
    cost->n_obs = fill.times;
    cost->t_obs = fill.t_obs;
    cost->data = tr;
    return SENS_OK;
}

SENS_COST(tracking) = {
    .name = "tracking",
    .summary =
        "distance to data, G = 1/2 sum ((y(t_j) - z_j) / sigma_j)^2, their log-likelihood, or residuals",
    .options = options,
    .create = create,
    .data_of_x0 = true,
    .phi = phi,
    .phi_dx = phi_dx,
    .phi_dp = phi_dp,
};
