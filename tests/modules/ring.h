/* Cells on a ring with exchange and decay, x_i' = p_i (x_(i-1) - 2 x_i + x_(i+1)) - x_i^3, indices mod n, for
 * modules that differ in the declared df/dx: the including file defines NAME and TIMES_NEIGHBOUR(pb, i, j), how
 * often cell j is a neighbour of cell i: of two cells each is the other's on both sides. */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

static size_t left(const struct sens_problem *pb, size_t i)
{
    return i ? i - 1 : pb->n - 1;
}
static size_t right(const struct sens_problem *pb, size_t i)
{
    return i + 1 < pb->n ? i + 1 : 0;
}
static sens_real bend(const struct sens_problem *pb, const sens_real *x, size_t i)
{
    return x[left(pb, i)] - 2 * x[i] + x[right(pb, i)];
}
static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    for (size_t i = 0; i < pb->n; i++) dx[i] = at->p[i] * bend(pb, at->x, i) - at->x[i] * at->x[i] * at->x[i];
    return SENS_OK;
}
static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++)
            OUT[i * L + l] =
                at->p[i] * (V[left(pb, i) * L + l] - 2 * V[i * L + l] + V[right(pb, i) * L + l]) -
                3 * at->x[i] * at->x[i] * V[i * L + l];
}
static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    for (size_t i = 0; i < pb->n; i++) {
        const size_t a = left(pb, i), b = right(pb, i);
        for (size_t l = 0; l < L; l++)
            OUT[i * L + l] = at->p[a] * W[a * L + l] + at->p[b] * W[b * L + l] -
                             (2 * at->p[i] + 3 * at->x[i] * at->x[i]) * W[i * L + l];
    }
}
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    for (size_t l = 0; l < L; l++) OUT[(k0 + l) * L + l] += bend(pb, at->x, k0 + l);
}
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)t, (void)p;
    const size_t n = pb->n;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < L; l++) MU[i * L + l] += bend(pb, X + k * n, i) * W[(k * n + i) * L + l];
}
static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    const struct sens_pattern *s = pb->structure->sparsity;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            J[e] = s->col[e] == i ? -2 * at->p[i] - 3 * at->x[i] * at->x[i]
                                  : at->p[i] * (sens_real)TIMES_NEIGHBOUR(pb, i, s->col[e]);
}
enum { OPT_N, OPT_K, OPT_T };
static const struct sens_option options[] = {
    {.name = "n", .kind = SENS_OPT_INT, .fallback = 12, .min = 2, .max = 1000, .help = "cells"},
    {.name = "k", .kind = SENS_OPT_REAL, .fallback = 1, .min = 0, .max = 1e3, .help = "exchange"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 2, .min = 1e-9, .max = 1e6, .help = "final time"},
    SENS_OPTIONS_END,
};
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    const size_t n = (size_t)option[OPT_N].number;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, n), *const p = SENS_NEW(ctx, sens_real, n);
    size_t *start = SENS_NEW(ctx, size_t, n + 1), *col = SENS_NEW(ctx, size_t, 3 * n);
    struct sens_pattern *pattern = SENS_NEW(ctx, struct sens_pattern, 1);
    struct sens_structure *made = SENS_NEW(ctx, struct sens_structure, 1);
    if (!x0 || !p || !start || !col || !pattern || !made) return SENS_NO_MEMORY;
    pb->n = pb->np = n;
    size_t e = 0;
    for (size_t i = 0; i < n; i++) {
        x0[i] = 1 + SENS_C(0.25) * (sens_real)(i % 4),
        p[i] = option[OPT_K].number * (1 + SENS_C(0.125) * (sens_real)(i % 3));
        for (size_t j = 0; j < n; j++)
            if (j == i || j == left(pb, i) || j == right(pb, i)) col[e++] = j;
        start[i + 1] = e;
    }
    *pattern = (struct sens_pattern){.rows = n, .cols = n, .start = start, .col = col};
    *made = (struct sens_structure){.jacobian = jacobian, .sparsity = pattern};
    pb->t0 = 0, pb->t1 = option[OPT_T].number, pb->x0 = x0, pb->p = p, pb->structure = made;
    return SENS_OK;
}
static SENS_PROBLEM(own) = {
    .name = NAME,
    .summary = "cells on a ring",
    .reference = "none",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .problems = problems};
