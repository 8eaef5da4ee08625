/* A chain x_i' = p_i (x_(i+1) - x_i), x_n = x_0, whose vjp keeps the place of a neighbour in a byte.
 * verify: --quick --problem states_past_256
 * module: problem states_past_256
 * cause: size_limit */
#include <string.h>

#include "sens/plugin.h"

static size_t next(const struct sens_problem *pb, size_t i)
{
    return i + 1 < pb->n ? i + 1 : 0;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t i = 0; i < pb->n; i++) dx[i] = at->p[i] * (at->x[next(pb, i)] - at->x[i]);
    return SENS_OK;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t i = 0; i < pb->n; i++) {
        const unsigned char neighbour = (unsigned char)next(pb, i);
        for (size_t l = 0; l < L; l++) {
            OUT[i * L + l] -= at->p[i] * W[i * L + l];
            OUT[neighbour * L + l] += at->p[i] * W[i * L + l];
        }
    }
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] = at->p[i] * (V[next(pb, i) * L + l] - V[i * L + l]);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    for (size_t l = 0; l < L; l++) OUT[(k0 + l) * L + l] += at->x[next(pb, k0 + l)] - at->x[k0 + l];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const size_t n = pb->n;
    (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < L; l++)
                MU[i * L + l] += (X[k * n + next(pb, i)] - X[k * n + i]) * W[(k * n + i) * L + l];
}

static const struct sens_option options[] = {
    {.name = "n", .kind = SENS_OPT_INT, .fallback = 4, .min = 2, .max = 1000, .help = "states"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    const size_t n = (size_t)option[0].number;
    double *const x0 = sens_arena_alloc(&ctx->arena, n, sizeof *x0);
    double *const p = sens_arena_alloc(&ctx->arena, n, sizeof *p);
    if (!x0 || !p) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) x0[i] = 1 + (double)(i % 3), p[i] = 0.5 + 0.25 * (double)(i % 5);
    *pb = (struct sens_problem){.type = pb->type, .n = n, .np = n, .t1 = 1, .x0 = x0, .p = p};
    return SENS_OK;
}

static const struct sens_problem_type type = {.name = "states_past_256",
                                              .summary = "a ring of states",
                                              .options = options,
                                              .create = create,
                                              .rhs = rhs,
                                              .vjp = vjp,
                                              .jvp = jvp,
                                              .jvp_p_cols = jvp_p_cols,
                                              .vjp_p_batch = vjp_p_batch};
static const struct sens_problem_type *const problems[] = {&type, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "states_past_256", .problems = problems};
