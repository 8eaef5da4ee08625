/* A dose that ends at a known time, which the ends of steps of T / 480 meet, each sum of steps with its own last digit:
 *
 *     x' = -k x + r for t < s = 10, else -k x,     x(t) = x0 e^-kt + r/k (e^-kv - e^-kt),   v = max(t - s, 0)
 *
 * verify: --quick --problem dose_ends */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 2 };
static const sens_real STOP = 10;

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0] + (at->t < STOP ? at->p[1] : 0);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[0][1] = at->t < STOP ? 1 : 0;
}
#include "dense_products.h"

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *query, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const sens_real k = p[0], r = p[1], t = query->t, since = t > STOP ? t - STOP : 0;
    const sens_real all = exp(-k * t), rest = exp(-k * since), start = pb->x0[0];
    if (query->level != SENS_EXACT_ODE) return false;
    x[0] = start * all + r / k * (rest - all);
    if (S) {
        S[0] = -t * start * all - r / (k * k) * (rest - all) + r / k * (t * all - since * rest);
        S[1] = (rest - all) / k;
    }
    if (S0) S0[0] = all;
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1}, p[NP] = {SENS_C(0.5), 2};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 20;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(dose_ends) = {
    .name = "dose_ends",
    .summary = "a dose that ends at a known time",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .exact = exact,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_dose_ends, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "dose_ends", .problems = problems};
