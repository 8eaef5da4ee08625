/* The whole state at several times, m = n_obs n functionals:
 *
 *     G_(j n + i) = x_i(t_j),    i < n, j < n_obs
 *
 * so that dG/dp is S(t) = dx/dp at these times, one below the other. The times are those of a file, or without it
 * t_j = t0 + (j + 1) (t1 - t0) / count, the last of which is t1.
 * By hand: its gradient, ones; for references in extended precision, and as the oracle of the derived one. */
#include <math.h>

#include "sens/cost.h"

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)p;
    for (size_t i = 0; i < cost->n; i++) G[j * cost->n + i] += x[i];
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)x, (void)p;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++)
        if ((c0 + l) / cost->n == j) OUT[(c0 + l) % cost->n * L + l] += 1;
}

enum { OPT_TIMES, OPT_COUNT };
static const struct sens_option options[] = {
    {.name = "times",
     .kind = SENS_OPT_DATA,
     .help = "the times, from t0 to t1, each above the one before; without it: `count` equidistant ones"},
    {.name = "count",
     .kind = SENS_OPT_INT,
     .fallback = 4,
     .min = 1,
     .max = 1e6,
     .help = "number of equidistant times after t0, t1 the last"},
    SENS_OPTIONS_END,
};

/* Times as they stand in the file, checked here so that what is wrong is told with its place. */
static sens_status take_times(struct sens_ctx *ctx, const struct sens_value *times,
                              const struct sens_problem *pb, sens_real *t_obs)
{
    const double t0 = (double)pb->t0, t1 = (double)pb->t1;
    for (size_t j = 0; j < times->count; j++) {
        const double t = times->data[j];
        if (!isfinite(t) || t < t0 || t > t1)
            return sens_fail(ctx, SENS_BAD_INPUT,
                             "times: number %zu, %g, is outside of the interval from %g to %g", j + 1, t, t0,
                             t1);
        if (j > 0 && t <= times->data[j - 1])
            return sens_fail(ctx, SENS_BAD_INPUT, "times: number %zu, %g, is not above the one before, %g",
                             j + 1, t, times->data[j - 1]);
        t_obs[j] = t;
    }
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    const struct sens_value *times = &option[OPT_TIMES];
    if (times->measured) return sens_fail(ctx, SENS_BAD_INPUT, "times: numbers alone, without a header line");
    if (times->count && option[OPT_COUNT].number != options[OPT_COUNT].fallback)
        return sens_fail(ctx, SENS_BAD_INPUT, "count: the file of times says how many there are");
    const size_t n_obs = times->count ? times->count : (size_t)option[OPT_COUNT].number;
    sens_real *t_obs = SENS_NEW(ctx, sens_real, n_obs);
    if (!t_obs) return SENS_NO_MEMORY;
    const double t0 = (double)pb->t0, length = (double)pb->t1 - t0; /* the same times in every precision */
    for (size_t j = 0; !times->count && j < n_obs; j++)
        t_obs[j] = j + 1 == n_obs ? pb->t1 : t0 + length * (double)(j + 1) / (double)n_obs;
    cost->m = n_obs * pb->n;
    cost->n_obs = n_obs;
    cost->t_obs = t_obs;
    return take_times(ctx, times, pb, t_obs);
}

SENS_COST(snapshots) = {
    .name = "snapshots",
    .summary = "the whole state at several times: G_(j n + i) = x_i(t_j)",
    .options = options,
    .create = create,
    .phi = phi,
    .phi_dx = phi_dx,
};
