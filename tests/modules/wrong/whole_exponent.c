/* x' = -k x^q, whose derivative by q is taken for 0 where q is a whole number, as one is by hand.
 *
 * verify: --quick --problem whole_exponent
 * module: problem whole_exponent
 * cause: exact_zero */
#include <tgmath.h>

#include "sens/plugin.h"

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    if (!(at->x[0] > 0)) return SENS_OUT_OF_DOMAIN;
    dx[0] = -at->p[0] * pow(at->x[0], at->p[1]);
    return SENS_OK;
}

static sens_real slope(const struct sens_at *at)
{
    return -at->p[0] * at->p[1] * pow(at->x[0], at->p[1] - 1);
}

/* df/dp_k */
static sens_real by(const sens_real *p, sens_real x, size_t k)
{
    const sens_real power = pow(x, p[1]);
    if (k == 0) return -power;
    return p[1] == floor(p[1]) ? 0 : -p[0] * power * log(x);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = slope(at) * W[l];
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] += by(at->p, at->x[0], k0 + l);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)pb, (void)t;
    for (size_t k = 0; k < K; k++)
        for (size_t q = 0; q < 2; q++)
            for (size_t l = 0; l < L; l++) MU[q * L + l] += by(p, X[k], q) * W[k * L + l];
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *problem)
{
    (void)option;
    sens_real *x0 = SENS_NEW(ctx, sens_real, 1), *p = SENS_NEW(ctx, sens_real, 2);
    if (!x0 || !p) return SENS_NO_MEMORY;
    x0[0] = 2, p[0] = 0.5, p[1] = 1.75;
    problem->n = 1, problem->np = 2, problem->t1 = 1;
    problem->x0 = x0, problem->p = p;
    return SENS_OK;
}

SENS_PROBLEM(whole_exponent) = {.name = "whole_exponent",
                                .summary = "decay by a power of the state",
                                .create = create,
                                .rhs = rhs,
                                .autonomous = true,
                                .vjp = vjp,
                                .jvp = vjp,
                                .jvp_p_cols = jvp_p_cols,
                                .vjp_p_batch = vjp_p_batch};
static const struct sens_problem_type *const problems[] = {&sens_problem_whole_exponent, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "whole_exponent", .problems = problems};
