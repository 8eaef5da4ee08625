/* Many options: a law of decay among three, its order, and terms that are off by default.
 *
 * verify: --quick --problem options */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

/* In one order: the names of the indices, the table. */
enum { OPT_LAW, OPT_ORDER, OPT_LEAK, OPT_DRIVE, OPT_START, OPT_T };
enum { LAW_POWER, LAW_SATURATED, LAW_TANH };
static const char *const laws[] = {"power", "saturated", "tanh", NULL};
static const struct sens_option options[] = {
    {.name = "law", .kind = SENS_OPT_CHOICE, .fallback = LAW_POWER, .choices = laws, .help = "of decay"},
    {.name = "order", .kind = SENS_OPT_INT, .fallback = 2, .min = 1, .max = 4, .help = "of the power"},
    {.name = "leak", .kind = SENS_OPT_REAL, .fallback = 0, .min = 0, .max = 4, .help = "back to the first"},
    {.name = "drive",
     .kind = SENS_OPT_REAL,
     .fallback = 0,
     .min = -2,
     .max = 2,
     .help = "amplitude of cos t"},
    {.name = "start", .kind = SENS_OPT_REAL, .fallback = 1, .min = 0, .max = 4, .help = "x(0)"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 2, .min = 1e-3, .max = 1e3, .help = "final time"},
    SENS_OPTIONS_END,
};

struct chosen {
    int law, order;
    sens_real leak, drive;
};

static const struct chosen *chosen(const struct sens_problem *pb)
{
    return pb->data;
}

/* r(u) and r'(u) */
static sens_real rate(const struct sens_problem *pb, sens_real u)
{
    const struct chosen *c = chosen(pb);
    if (c->law == LAW_POWER) return pow(u, c->order);
    return c->law == LAW_SATURATED ? u / (1 + u) : tanh(u);
}

static sens_real rate_slope(const struct sens_problem *pb, sens_real u)
{
    const struct chosen *c = chosen(pb);
    if (c->law == LAW_POWER) return c->order * pow(u, c->order - 1);
    return c->law == LAW_SATURATED ? 1 / ((1 + u) * (1 + u)) : 1 - tanh(u) * tanh(u);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const struct chosen *c = chosen(pb);
    const sens_real flow = at->p[0] * rate(pb, at->x[0]);
    dx[0] = -flow + c->leak * at->x[1] + c->drive * cos(at->t);
    dx[1] = flow - at->p[1] * at->x[1] - c->leak * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    const sens_real slope = at->p[0] * rate_slope(pb, at->x[0]), leak = chosen(pb)->leak;
    J[0][0] = -slope;
    J[0][1] = leak;
    J[1][0] = slope;
    J[1][1] = -at->p[1] - leak;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    F[0][0] = -rate(pb, at->x[0]);
    F[1][0] = rate(pb, at->x[0]);
    F[1][1] = -at->x[1];
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    struct chosen *const data = SENS_NEW(ctx, struct chosen, 1);
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!data || !x0 || !p) return SENS_NO_MEMORY;
    *data = (struct chosen){.law = (int)option[OPT_LAW].number,
                            .order = (int)option[OPT_ORDER].number,
                            .leak = option[OPT_LEAK].number,
                            .drive = option[OPT_DRIVE].number};
    x0[0] = option[OPT_START].number;
    x0[1] = SENS_C(0.5);
    p[0] = SENS_C(0.75);
    p[1] = SENS_C(0.25);
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = option[OPT_T].number;
    pb->x0 = x0;
    pb->p = p;
    pb->data = data;
    return SENS_OK;
}

static SENS_PROBLEM(options) = {
    .name = "options",
    .summary = "decay by a chosen law",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_options, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "options", .problems = problems};
