/* Growth x' = p x, whose closed form of the discrete map takes the powers of h p up to the order of a formula, as if
 * each had no more stages than that.
 *
 * verify: --quick --problem powers_cut
 * module: problem powers_cut
 * cause: closed_form_wrong */
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 1, NP = 1 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = at->p[0] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = at->p[0];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = at->x[0];
}
#include "dense_products.h"

/* The factor of a step, and its derivative by z = h p. */
static sens_real factor(const struct sens_tableau *tb, sens_real z, sens_real *slope)
{
    sens_real sum = 1, term = 1;
    *slope = 0;
    for (int j = 1; j <= tb->order; j++) {
        *slope += term;
        term *= z / j;
        sum += term;
    }
    return sum;
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const sens_real tau = q->t - pb->t0;
    sens_real growth, by_p, slope;
    if (q->level == SENS_EXACT_ODE) {
        growth = exp(p[0] * tau);
        by_p = tau * growth;
    } else if (q->level == SENS_EXACT_DISCRETE && q->tableau->family == SENS_FAMILY_EXPLICIT) {
        const sens_real steps = round(tau / q->dt), R = factor(q->tableau, p[0] * q->dt, &slope);
        growth = pow(R, steps);
        by_p = steps * pow(R, steps - 1) * slope * q->dt;
    } else
        return false;
    x[0] = pb->x0[0] * growth;
    if (S) S[0] = pb->x0[0] * by_p;
    if (S0) S0[0] = growth;
    return true;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    x0[0] = 1, p[0] = SENS_C(0.75);
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(powers_cut) = {
    .name = "powers_cut",
    .summary = "growth",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .exact = exact,
    .autonomous = true,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_powers_cut, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "powers_cut", .problems = problems};
