/* The variational equations of a block of columns: see variation.h. */
#include "variation.h"

#include <string.h>

/* How many columns from lane l on are consecutive parameters; 0 when lane l is an initial state. */
static size_t parameter_run(const struct sens_variation *va, size_t l)
{
    size_t run = 0;
    while (l + run < va->L && va->col[l + run] < va->pb->np && va->col[l + run] == va->col[l] + run) run++;
    return run;
}

/* V[:, l ... l + run) += source [n][run] */
static void add_source(const struct sens_variation *va, size_t l, size_t run, sens_real *V)
{
    for (size_t i = 0; i < va->n; i++)
        for (size_t r = 0; r < run; r++) V[i * va->L + l + r] += va->source[i * run + r];
}

void sens_variation_start(const struct sens_variation *va, sens_real *y)
{
    const struct sens_problem *pb = va->pb;
    sens_real *V = y + sens_variation_V(va);
    memset(y, 0, sens_variation_size(va) * sizeof *y);
    sens_problem_x0(pb, pb->p, y);
    for (size_t l = 0; l < va->L; l++)
        if (va->col[l] >= pb->np) V[(va->col[l] - pb->np) * va->L + l] = 1;
    if (!sens_problem_x0_depends(pb)) return;
    for (size_t l = 0, run; l < va->L; l += run ? run : 1) {
        run = parameter_run(va, l);
        if (!run) continue;
        memset(va->source, 0, va->n * run * sizeof *va->source);
        pb->type->x0_jvp_cols(pb, pb->p, va->col[l], run, va->source);
        add_source(va, l, run, V);
    }
}

/* OUT [m][L] += weight-free contraction of cost_x [n][m] with V, plus cost_p of the parameter lanes. */
static void contract_cost(const struct sens_variation *va, const sens_real *V, bool with_p, size_t stride,
                          sens_real *OUT)
{
    const size_t m = va->cost->m, L = va->L;
    for (size_t i = 0; i < va->n; i++)
        for (size_t c = 0; c < m; c++) {
            const sens_real weight = va->cost_x[i * m + c];
            if (weight == 0) continue; /* identity costs: one entry a row */
            for (size_t l = 0; l < L; l++) OUT[c * stride + l] += weight * V[i * L + l];
        }
    if (!with_p) return;
    for (size_t l = 0; l < L; l++)
        if (va->col[l] < va->pb->np)
            for (size_t c = 0; c < m; c++) OUT[c * stride + l] += va->cost_p[va->col[l] * m + c];
}

static void running_slope(const struct sens_variation *va, const struct sens_at *at, sens_real *dy)
{
    const struct sens_cost *cost = va->cost;
    sens_real *dq = dy + va->n, *dQ = dy + sens_variation_Q(va);
    memset(dq, 0, va->m_q * sizeof *dq);
    memset(dQ, 0, va->m_q * va->L * sizeof *dQ);
    cost->type->g(cost, at, 1, dq);
    memset(va->cost_x, 0, va->n * cost->m * sizeof *va->cost_x);
    cost->type->g_dx(cost, at, 1, 0, cost->m, va->cost_x);
    if (cost->type->g_dp) {
        memset(va->cost_p, 0, va->pb->np * cost->m * sizeof *va->cost_p);
        cost->type->g_dp(cost, at, 1, 0, cost->m, va->cost_p);
    }
    contract_cost(va, at->x + sens_variation_V(va), cost->type->g_dp != NULL, va->L, dQ);
}

sens_status sens_variation_slope(const struct sens_variation *va, sens_real t, const sens_real *y,
                                 sens_real *dy)
{
    const struct sens_problem_type *type = va->pb->type;
    const struct sens_at at = {t, y, va->pb->p};
    sens_real *dV = dy + sens_variation_V(va);
    const sens_status status = type->rhs(va->pb, &at, dy);
    if (status != SENS_OK) return status;
    type->jvp(va->pb, &at, va->L, y + sens_variation_V(va), dV);
    for (size_t l = 0, run; l < va->L; l += run ? run : 1) {
        run = parameter_run(va, l);
        if (!run) continue;
        memset(va->source, 0, va->n * run * sizeof *va->source);
        type->jvp_p_cols(va->pb, &at, va->col[l], run, va->source);
        add_source(va, l, run, dV);
    }
    if (va->m_q) running_slope(va, &at, dy);
    return SENS_OK;
}

void sens_variation_observe(const struct sens_variation *va, size_t j, const sens_real *y, size_t stride,
                            sens_real *G, sens_real *D)
{
    const struct sens_cost *cost = va->cost;
    const sens_real *p = va->pb->p;
    cost->type->phi(cost, j, y, p, G);
    memset(va->cost_x, 0, va->n * cost->m * sizeof *va->cost_x);
    cost->type->phi_dx(cost, j, y, p, 0, cost->m, va->cost_x);
    if (cost->type->phi_dp) {
        memset(va->cost_p, 0, va->pb->np * cost->m * sizeof *va->cost_p);
        cost->type->phi_dp(cost, j, y, p, 0, cost->m, va->cost_p);
    }
    contract_cost(va, y + sens_variation_V(va), cost->type->phi_dp != NULL, stride, D);
}

void sens_variation_finish(const struct sens_variation *va, const sens_real *y, size_t stride, sens_real *G,
                           sens_real *D)
{
    for (size_t c = 0; c < va->m_q; c++) {
        G[c] += y[va->n + c];
        for (size_t l = 0; l < va->L; l++) D[c * stride + l] += y[sens_variation_Q(va) + c * va->L + l];
    }
}

sens_status sens_variation_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                  const struct sens_cost *cost, size_t widest, struct sens_variation *va)
{
    const bool with_p = cost->type->phi_dp || cost->type->g_dp;
    *va = (struct sens_variation){.pb = pb,
                                  .cost = cost,
                                  .n = pb->n,
                                  .m_q = cost->type->g ? cost->m : 0,
                                  .L = widest,
                                  .cost_x = SENS_NEW(ctx, sens_real, pb->n * cost->m),
                                  .cost_p = with_p ? SENS_NEW(ctx, sens_real, pb->np * cost->m) : NULL,
                                  .source = SENS_NEW(ctx, sens_real, pb->n * widest)};
    return va->cost_x && va->source && (va->cost_p || !with_p) ? SENS_OK : SENS_NO_MEMORY;
}
