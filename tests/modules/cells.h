/* Cells in a line, which lose what they hold and pass it on to both sides,
 *
 *     x_i' = w_i (p_1 (x_(i-1) + x_(i+1)) - 2 p_0 x_i),
 *
 * declared with a df/dx that is the same for all t and x, for modules that differ in the weight w_i: the including file
 * defines NAME and weight(t, x_i), whose derivatives are 0. */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 30, NP = 2 };
static sens_real weight(sens_real t, sens_real x);

static sens_real entry(size_t i, size_t j, const sens_real *p)
{
    if (i == j) return -2 * p[0];
    return i + 1 == j || j + 1 == i ? p[1] : 0;
}

/* The part of p_k. */
static sens_real part(size_t i, size_t k, sens_real t, const sens_real *x)
{
    const sens_real beside = (i > 0 ? x[i - 1] : 0) + (i + 1 < N ? x[i + 1] : 0);
    return weight(t, x[i]) * (k == 0 ? -2 * x[i] : beside);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    for (size_t i = 0; i < N; i++)
        dx[i] = at->p[0] * part(i, 0, at->t, at->x) + at->p[1] * part(i, 1, at->t, at->x);
    return SENS_OK;
}

static void product(const struct sens_at *at, int transposed, size_t L, const sens_real *V, sens_real *OUT)
{
    memset(OUT, 0, N * L * sizeof *OUT);
    for (size_t i = 0; i < N; i++)
        for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++)
            for (size_t l = 0; l < L; l++)
                OUT[(transposed ? j : i) * L + l] +=
                    weight(at->t, at->x[i]) * entry(i, j, at->p) * V[(transposed ? i : j) * L + l];
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    (void)pb;
    product(at, 1, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    (void)pb;
    product(at, 0, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    (void)pb;
    for (size_t q = 0; q < N * L; q++) OUT[q] += part(q / L, k0 + q % L, at->t, at->x);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)pb, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t q = 0; q < NP * N; q++)
            for (size_t l = 0; l < L; l++)
                MU[q / N * L + l] += part(q % N, q / N, t[k], X + k * N) * W[(k * N + q % N) * L + l];
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    for (size_t i = 0; i < N; i++)
        for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++)
            *J++ = weight(at->t, at->x[i]) * entry(i, j, at->p);
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *value)
{
    (void)pb;
    for (size_t q = 0; q < NP * N; q++) value[q] = part(q % N, q / N, at->t, at->x);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    struct sens_structure *const declared = SENS_NEW(ctx, struct sens_structure, 1);
    struct sens_pattern *const pattern = SENS_NEW(ctx, struct sens_pattern, 2);
    size_t *const start = SENS_NEW(ctx, size_t, N + 1), *const col = SENS_NEW(ctx, size_t, 3 * N);
    size_t *const start_p = SENS_NEW(ctx, size_t, NP + 1), *const col_p = SENS_NEW(ctx, size_t, NP * N);
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    (void)option;
    if (!declared || !pattern || !start || !col || !start_p || !col_p || !x0 || !p) return SENS_NO_MEMORY;
    for (size_t i = 0; i < N; i++) {
        start[i + 1] = start[i];
        for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) col[start[i + 1]++] = j;
        x0[i] = (sens_real)(double)(1 + sin((sens_real)i) / 2);
    }
    for (size_t q = 0; q < NP * N; q++) col_p[q] = q % N;
    for (size_t k = 0; k <= NP; k++) start_p[k] = k * N;
    p[0] = SENS_C(1.125), p[1] = SENS_C(0.875);
    pattern[0] = (struct sens_pattern){N, N, start, col};
    pattern[1] = (struct sens_pattern){NP, N, start_p, col_p};
    *declared = (struct sens_structure){.jacobian = jacobian,
                                        .sparsity = &pattern[0],
                                        .jacobian_p = jacobian_p,
                                        .sparsity_p = &pattern[1],
                                        .jacobian_constant = true};
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p, pb->structure = declared;
    return SENS_OK;
}

static SENS_PROBLEM(cells) = {.name = NAME,
                              .summary = "cells in a line",
                              .create = create,
                              .rhs = rhs,
                              .vjp = vjp,
                              .jvp = jvp,
                              .jvp_p_cols = jvp_p_cols,
                              .vjp_p_batch = vjp_p_batch};
static const struct sens_problem_type *const problems[] = {&sens_problem_cells, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .problems = problems};
