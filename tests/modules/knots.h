/* A body that follows a table of temperatures: x1' = -k (x1 - u(t)), x2' = x1 - x2, u linear between knots at
 * T i / 4, i = 0 ... 4, p = (k, u_0, ..., u_4). For modules that differ at the last knot: the including file
 * defines NAME and SHARE_AT_END, the share of u_4 in df/dp at t = T. */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, KNOTS = 5, NP = 1 + KNOTS };

/* u(t) = (1 - s) u_i + s u_(i+1) */
static size_t interval(const struct sens_problem *pb, sens_real t, sens_real *s)
{
    const sens_real along = (t - pb->t0) / (pb->t1 - pb->t0) * (KNOTS - 1);
    const size_t whole = along > 0 ? (size_t)along : 0, i = whole < KNOTS - 2 ? whole : KNOTS - 2;
    *s = along - (sens_real)i;
    return i;
}

static sens_real forcing(const struct sens_problem *pb, sens_real t, const sens_real *p)
{
    sens_real s;
    const size_t i = interval(pb, t, &s);
    return (1 - s) * p[1 + i] + s * p[2 + i];
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    dx[0] = -at->p[0] * (at->x[0] - forcing(pb, at->t, at->p));
    dx[1] = at->x[0] - at->x[1];
    return SENS_OK;
}
static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = -at->p[0] * V[l], OUT[L + l] = V[l] - V[L + l];
}
static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = -at->p[0] * W[l] + W[L + l], OUT[L + l] = -W[L + l];
}
static void row(const struct sens_problem *pb, sens_real t, const sens_real *x, const sens_real *p,
                sens_real F[NP])
{
    sens_real s;
    const size_t i = interval(pb, t, &s);
    if (t == pb->t1) s = SHARE_AT_END;
    for (size_t k = 0; k < NP; k++) F[k] = 0;
    F[0] = -(x[0] - forcing(pb, t, p));
    F[1 + i] = p[0] * (1 - s), F[2 + i] = p[0] * s;
}
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    sens_real F[NP];
    row(pb, at->t, at->x, at->p, F);
    for (size_t l = 0; l < L; l++) OUT[l] += F[k0 + l];
}
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    for (size_t k = 0; k < K; k++) {
        sens_real F[NP];
        row(pb, t[k], X + k * N, p, F);
        for (size_t q = 0; q < NP; q++)
            for (size_t l = 0; l < L; l++) MU[q * L + l] += F[q] * W[k * N * L + l];
    }
}
static const struct sens_option options[] = {
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 4, .min = 1e-9, .max = 1e6, .help = "final time"},
    SENS_OPTIONS_END,
};
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const double table[NP] = {0.75, 1, 2.5, 0.5, 3, 1.25};
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    for (size_t k = 0; k < NP; k++) p[k] = table[k];
    x0[0] = 1, x0[1] = 0.5;
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = option[0].number, pb->x0 = x0, pb->p = p;
    return SENS_OK;
}
static SENS_PROBLEM(own) = {
    .name = NAME,
    .summary = "a body that follows a table",
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
