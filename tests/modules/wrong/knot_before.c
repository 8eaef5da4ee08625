/* Feeding at a rate from a file of values at equal distances: rhs interpolates them, df/dp takes the one before.
 *
 * verify: --quick --problem knot_before
 * module: problem knot_before
 * cause: option_path parameter_entry */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

/* The rate at t; 1 without a file. */
static sens_real rate(const struct sens_problem *pb, sens_real t, bool between)
{
    const struct sens_value *const file = &pb->option[0];
    if (file->count < 2) return 1;
    const long last = (long)file->count - 1;
    const sens_real s = fmin(fmax(t / pb->t1, 0), 1) * (sens_real)last;
    const long k = s < (sens_real)last ? (long)s : last - 1;
    const sens_real w = between ? s - (sens_real)k : 0;
    return (1 - w) * (sens_real)file->data[k] + w * (sens_real)file->data[k + 1];
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    dx[0] = at->p[0] * rate(pb, at->t, true) - at->p[1] * at->x[0];
    dx[1] = at->p[1] * at->x[0] - at->p[2] * at->x[1] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[1];
    J[1][0] = at->p[1];
    J[1][1] = -2 * at->p[2] * at->x[1];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    F[0][0] = rate(pb, at->t, false);
    F[0][1] = -at->x[0];
    F[1][1] = at->x[0];
    F[1][2] = -at->x[1] * at->x[1];
}
#include "dense_products.h"

static const struct sens_option options[] = {
    {.name = "feed", .kind = SENS_OPT_DATA, .help = "rates at equal distances over the interval"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    x0[0] = SENS_C(0.5), x0[1] = SENS_C(0.25);
    p[0] = 1, p[1] = p[2] = SENS_C(0.5);
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 4, pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(knot_before) = {
    .name = "knot_before",
    .summary = "feeding by a file",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_knot_before, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "knot_before", .problems = problems};
