/* x_k' = p sum_j C(j, k) 2^-j x_j - x_k, whose vjp and jvp make C(j, k) in 32 bits: wrong for n > 34.
 * verify: --quick --problem binomials_overflow
 * module: problem binomials_overflow
 * cause: size_limit */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sens/plugin.h"

/* C(j, k) 2^-j */
static double share(size_t j, size_t k)
{
    double C = 1;
    for (size_t i = 1; i <= k; i++) C = C * (double)(j - k + i) / (double)i;
    return ldexp(round(C), -(int)j);
}

static double share_of_whole(size_t j, size_t k)
{
    uint32_t C = 1;
    for (uint32_t i = (uint32_t)k; i < j; i++) /* C(i + 1, k) */
        C = (uint32_t)((uint64_t)C * (i + 1) / (i + 1 - (uint32_t)k));
    return ldexp((double)C, -(int)j);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t k = 0; k < pb->n; k++) {
        dx[k] = -at->x[k];
        for (size_t j = k; j < pb->n; j++) dx[k] += at->p[0] * share(j, k) * at->x[j];
    }
    return SENS_OK;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    for (size_t q = 0; q < pb->n * L; q++) OUT[q] = -W[q];
    for (size_t k = 0; k < pb->n; k++)
        for (size_t j = k; j < pb->n; j++)
            for (size_t l = 0; l < L; l++) OUT[j * L + l] += at->p[0] * share_of_whole(j, k) * W[k * L + l];
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    for (size_t q = 0; q < pb->n * L; q++) OUT[q] = -V[q];
    for (size_t k = 0; k < pb->n; k++)
        for (size_t j = k; j < pb->n; j++)
            for (size_t l = 0; l < L; l++) OUT[k * L + l] += at->p[0] * share_of_whole(j, k) * V[j * L + l];
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    (void)k0; /* there is one parameter */
    for (size_t k = 0; k < pb->n && L > 0; k++)
        for (size_t j = k; j < pb->n; j++) OUT[k * L] += share(j, k) * at->x[j];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const size_t n = pb->n;
    (void)t, (void)p;
    for (size_t i = 0; i < K; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = k; j < n; j++)
                for (size_t l = 0; l < L; l++) MU[l] += share(j, k) * X[i * n + j] * W[(i * n + k) * L + l];
}

static const struct sens_option options[] = {
    {.name = "n", .kind = SENS_OPT_INT, .fallback = 16, .min = 2, .max = 50, .help = "states"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    const size_t n = (size_t)option[0].number;
    double *const x0 = sens_arena_alloc(&ctx->arena, n, sizeof *x0);
    double *const p = sens_arena_alloc(&ctx->arena, 1, sizeof *p);
    if (!x0 || !p) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) x0[i] = 1 + (double)(i % 3);
    *p = 0.5;
    *pb = (struct sens_problem){.type = pb->type, .n = n, .np = 1, .t1 = 1, .x0 = x0, .p = p};
    return SENS_OK;
}

static const struct sens_problem_type type = {.name = "binomials_overflow",
                                              .summary = "states that are shared out at random",
                                              .options = options,
                                              .create = create,
                                              .rhs = rhs,
                                              .vjp = vjp,
                                              .jvp = jvp,
                                              .jvp_p_cols = jvp_p_cols,
                                              .vjp_p_batch = vjp_p_batch};
static const struct sens_problem_type *const problems[] = {&type, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "binomials_overflow", .problems = problems};
