/* No parameter at all: a pendulum.
 *
 * verify: --quick --problem no_parameters */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->x[1];
    dx[1] = -sin(at->x[0]);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][1] = 1;
    J[1][0] = -cos(at->x[0]);
}

#include "dense_states.h"

/* There is no parameter. */
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    (void)pb, (void)at, (void)k0, (void)L, (void)OUT;
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)pb, (void)K, (void)t, (void)X, (void)p, (void)L, (void)W, (void)MU;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.25)};
    static const sens_real p[1] = {0}; /* of none */
    (void)ctx;
    (void)option;
    pb->n = N;
    pb->np = 0;
    pb->t0 = 0;
    pb->t1 = 4;
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(no_parameters) = {
    .name = "no_parameters",
    .summary = "pendulum, np = 0",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_no_parameters, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "no_parameters", .problems = problems};
