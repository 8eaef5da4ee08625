/* States of 1e-12 and of 1e9, rates of 1e12 and of 1e-9: an iteration for implicit steps is not at its end before both
 * have all their digits.
 *
 * recorded: yes
 * verify: --quick --problem scales_apart */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    const sens_real *p = at->p, *x = at->x;
    dx[0] = -p[0] * x[0] * x[0] + p[1] * x[1];
    dx[1] = -p[2] * x[1];
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)ctx, (void)option;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP + 1);
    if (!x0 || !p) return SENS_NO_MEMORY;
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->x0 = x0, pb->p = p;
    x0[0] = SENS_C(1e-12), x0[1] = SENS_C(1e9);
    p[0] = SENS_C(1e12), p[1] = SENS_C(1e-21), p[2] = SENS_C(0.5);
    pb->t1 = 2;
    return SENS_OK;
}

static SENS_PROBLEM(scales_apart) = {
    .name = "scales_apart",
    .summary = "a trace beside an abundance",
    .create = create,
    .rhs = rhs,
    .autonomous = true,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_scales_apart, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "scales_apart", .problems = problems};
