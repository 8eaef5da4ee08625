/* A trace beside terms of size 1, y' = -k y, 0 = y + w - 2, 0 = z - r y + s (w - 1), whose initial state (1, 1, 1e-9)
 * does not follow r: five per cent of z(0) = r = 1e-9 are nothing beside the terms s w and s of its equation.
 *
 * verify: --quick --problem trace_held
 * module: problem trace_held
 * cause: initial_held */
#include "sens/plugin.h"

enum { N = 3, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_real *const p = at->p, y = at->x[0], w = at->x[1], z = at->x[2];
    (void)pb;
    dx[0] = -p[0] * y;
    dx[1] = y + w - 2;
    dx[2] = z - p[1] * y + p[2] * (w - 1);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
    J[1][0] = J[1][1] = 1;
    J[2][0] = -at->p[1], J[2][1] = at->p[2], J[2][2] = 1;
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[2][1] = -at->x[0], F[2][2] = at->x[1] - 1;
}
#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const size_t start[N + 1] = {0, 1, 1, 1}, col[] = {0};
    static const sens_real x0[N] = {1, 1, SENS_C(1e-9)}, one[] = {1};
    static const sens_real p[NP] = {SENS_C(0.7), SENS_C(1e-9), SENS_C(0.5)};
    static const struct sens_mass mass = {.pattern = {.rows = N, .cols = N, .start = start, .col = col},
                                          .value = one};
    (void)ctx, (void)option;
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p, pb->mass = &mass;
    return SENS_OK;
}

static SENS_PROBLEM(trace) = {
    .name = "trace_held",
    .summary = "a trace beside terms of size 1",
    .autonomous = true,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_trace, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "trace_held", .problems = problems};
