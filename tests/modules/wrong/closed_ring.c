/* Advection around a ring of n cells, central differences: in the transpose, the cell that closes the ring
 * has the sign of the other neighbour where n is odd. n is an option.
 *
 * verify: --problem closed_ring
 * module: problem closed_ring
 * cause: remainder */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

static size_t next(size_t i, size_t n)
{
    return i + 1 < n ? i + 1 : 0;
}

/* OUT = c D V, (D v)_i = v_(i+1) - v_(i-1), or its transpose */
static void difference(size_t n, sens_real c, size_t L, const sens_real *V, sens_real *OUT)
{
    memset(OUT, 0, n * L * sizeof *OUT);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < L; l++) {
            OUT[i * L + l] += c * V[next(i, n) * L + l];
            OUT[next(i, n) * L + l] -= c * V[i * L + l];
        }
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    difference(pb->n, at->p[0], 1, at->x, dx);
    return SENS_OK;
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    difference(pb->n, at->p[0], L, V, OUT);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    difference(pb->n, -at->p[0], L, W, OUT);
    const size_t last = pb->n - 1;
    for (size_t l = 0; l < L && pb->n % 2; l++)
        OUT[last * L + l] -= 2 * at->p[0] * (W[(last - 1) * L + l] - W[l]);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    (void)k0;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += at->x[next(i, pb->n)] - at->x[i ? i - 1 : pb->n - 1];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)t, (void)p;
    for (size_t q = 0; q < K; q++)
        for (size_t i = 0; i < pb->n; i++)
            for (size_t l = 0; l < L; l++)
                MU[l] += (X[q * pb->n + next(i, pb->n)] - X[q * pb->n + (i ? i - 1 : pb->n - 1)]) *
                         W[(q * pb->n + i) * L + l];
}

static const struct sens_option options[] = {
    {.name = "n", .kind = SENS_OPT_INT, .fallback = 12, .min = 4, .max = 1000, .help = "cells"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    pb->n = (size_t)option[0].number;
    pb->np = 1;
    pb->t0 = 0;
    pb->t1 = 1;
    sens_real *x0 = SENS_NEW(ctx, sens_real, pb->n), *p = SENS_NEW(ctx, sens_real, 1);
    if (!x0 || !p) return SENS_NO_MEMORY;
    for (size_t i = 0; i < pb->n; i++) x0[i] = (sens_real)(i * i % 7);
    p[0] = SENS_C(0.75);
    pb->x0 = x0;
    pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(closed_ring) = {
    .name = "closed_ring",
    .summary = "advection around a ring",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_closed_ring, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "closed_ring", .problems = problems};
