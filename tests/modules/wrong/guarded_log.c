/* A reaction of order q, u' = -k u^q, v' = k u^q - d v^2, whose derivative by q takes log(u) no smaller than
 * log(0.001), for safety: u falls below that.
 *
 * verify: --quick --problem guarded_log
 * module: problem guarded_log
 * cause: parameter_entry */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real k = at->p[0], q = at->p[1], d = at->p[2], u = at->x[0], v = at->x[1];
    if (!(u > 0)) return SENS_OUT_OF_DOMAIN;
    dx[0] = -k * pow(u, q);
    dx[1] = k * pow(u, q) - d * v * v;
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    const sens_real k = at->p[0], q = at->p[1], d = at->p[2], u = at->x[0], v = at->x[1];
    J[0][0] = -k * q * pow(u, q - 1);
    J[1][0] = k * q * pow(u, q - 1);
    J[1][1] = -2 * d * v;
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    const sens_real k = at->p[0], q = at->p[1], u = at->x[0], v = at->x[1];
    const sens_real by_q = k * pow(u, q) * log(fmax(u, SENS_C(0.001)));
    F[0][0] = -pow(u, q), F[0][1] = -by_q;
    F[1][0] = pow(u, q), F[1][1] = by_q, F[1][2] = -v * v;
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.5)};
    static const sens_real p[NP] = {3, SENS_C(1.25), SENS_C(0.25)};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 6;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(guarded_log) = {
    .name = "guarded_log",
    .summary = "reaction of order q",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_guarded_log, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "guarded_log", .problems = problems};
