/* A Van der Pol oscillator with forcing that remembers its Jacobian while the time and the address of the
 * state are the same: two stages of a step may share both, and differ in the state.
 *
 * verify: --quick --problem memo_pointer
 * module: problem memo_pointer
 * cause: impure */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real mu = at->p[0], b = at->p[1], x = at->x[0], v = at->x[1];
    dx[0] = v;
    dx[1] = mu * (1 - x * x) * v - x + b * sin(at->t);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    static _Thread_local struct {
        sens_real t, J[N][N];
        const sens_real *x, *p;
    } kept;
    if (kept.t != at->t || kept.x != at->x || kept.p != at->p) {
        const sens_real mu = at->p[0], x = at->x[0], v = at->x[1];
        kept.t = at->t, kept.x = at->x, kept.p = at->p;
        kept.J[0][0] = 0, kept.J[0][1] = 1;
        kept.J[1][0] = -2 * mu * x * v - 1, kept.J[1][1] = mu * (1 - x * x);
    }
    memcpy(J, kept.J, sizeof kept.J);
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[1][0] = (1 - at->x[0] * at->x[0]) * at->x[1];
    F[1][1] = sin(at->t);
}

#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {2, 0};
    static const sens_real p[NP] = {1, SENS_C(0.5)};
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 3;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(memo_pointer) = {
    .name = "memo_pointer",
    .summary = "forced Van der Pol oscillator",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_memo_pointer, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "memo_pointer", .problems = problems};
