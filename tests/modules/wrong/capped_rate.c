/* Growth at the rate p0, of which no more than 3 is possible; the derivative by p0 forgets that. p0 is 1
 * unless said otherwise.
 *
 * verify: --quick --problem capped_rate
 * module: problem capped_rate
 * cause: option_path parameter_entry */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = fmin(at->p[0], 3) * at->x[0] - at->p[1] * at->x[0] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = fmin(at->p[0], 3) - 2 * at->p[1] * at->x[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = at->x[0];
    F[0][1] = -at->x[0] * at->x[0];
}

#include "dense_products.h"

static const struct sens_option options[] = {
    {.name = "rate", .kind = SENS_OPT_REAL, .fallback = 1, .min = 0, .max = 20, .help = "of growth"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {SENS_C(0.5)};
    sens_real *p = SENS_NEW(ctx, sens_real, NP);
    if (!p) return SENS_NO_MEMORY;
    p[0] = option[0].number;
    p[1] = 1;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 2;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(capped_rate) = {
    .name = "capped_rate",
    .summary = "growth",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_capped_rate, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "capped_rate", .problems = problems};
