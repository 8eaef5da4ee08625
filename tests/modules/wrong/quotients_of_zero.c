/* A provider of difference quotients, one column after the other, whose bump is a part of the number that it moves: for
 * a number that is 0 there is none, and the column is 0.
 *
 * verify: --quick --provider quotients_of_zero
 * module: provider quotients_of_zero
 * cause: quotient_bump exact_zero */
#include "sens/plugin.h"
#include <string.h>
#include <tgmath.h>
static sens_real bump(sens_real q)
{
    return SENS_C(1.5e-8) * fabs(q);
}

/* dx = df/dq of entry k of v (x or p, which at points to as well) */
static void column(const struct sens_problem *pb, const struct sens_at *at, size_t count, bool of_p, size_t k,
                   sens_real *dx)
{
    sens_real v[count + 1], f0[pb->n];
    const sens_real *from = of_p ? at->p : at->x;
    memset(dx, 0, pb->n * sizeof *dx);
    const sens_real h = bump(from[k]);
    if (h == 0) return; /* an entry of 0 has no scale */
    memcpy(v, from, count * sizeof *v);
    v[k] += h;
    struct sens_at there = *at;
    if (of_p)
        there.p = v;
    else
        there.x = v;
    if (pb->type->rhs(pb, at, f0) != SENS_OK || pb->type->rhs(pb, &there, dx) != SENS_OK) {
        memset(dx, 0, pb->n * sizeof *dx);
        return;
    }
    for (size_t i = 0; i < pb->n; i++) dx[i] = (dx[i] - f0[i]) / h;
}
static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    sens_real d[pb->n];
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t k = 0; k < pb->n; k++) {
        column(pb, at, pb->n, false, k, d);
        for (size_t i = 0; i < pb->n; i++)
            for (size_t l = 0; l < L; l++) OUT[i * L + l] += d[i] * V[k * L + l];
    }
}
static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    sens_real d[pb->n];
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t k = 0; k < pb->n; k++) {
        column(pb, at, pb->n, false, k, d);
        for (size_t i = 0; i < pb->n; i++)
            for (size_t l = 0; l < L; l++) OUT[k * L + l] += d[i] * W[i * L + l];
    }
}
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    sens_real d[pb->n];
    for (size_t l = 0; l < L; l++) {
        column(pb, at, pb->np, true, k0 + l, d);
        for (size_t i = 0; i < pb->n; i++) OUT[i * L + l] += d[i];
    }
}
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    sens_real d[pb->n];
    for (size_t k = 0; k < K; k++)
        for (size_t q = 0; q < pb->np; q++) {
            column(pb, &(struct sens_at){t[k], X + k * pb->n, p}, pb->np, true, q, d);
            for (size_t i = 0; i < pb->n; i++)
                for (size_t l = 0; l < L; l++) MU[q * L + l] += d[i] * W[(k * pb->n + i) * L + l];
        }
}
static sens_status wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped)
{
    static const struct sens_problem_decoration with = {
        .type = {.vjp = vjp, .jvp = jvp, .jvp_p_cols = jvp_p_cols, .vjp_p_batch = vjp_p_batch}};
    struct sens_decorated_problem *room = SENS_NEW(ctx, struct sens_decorated_problem, 1);
    if (!room) return SENS_NO_MEMORY;
    sens_problem_decorate(request->inner, &with, NULL, room, wrapped);
    wrapped->structure = NULL;
    return SENS_OK;
}
static const char *library(void)
{
    return "none";
}
static const struct sens_provider quotients_of_zero = {.name = "quotients_of_zero",
                                                       .summary = "forward differences with relative steps",
                                                       .library = library,
                                                       .parallel = true,
                                                       .approximate = true,
                                                       .wrap = wrap};
static const struct sens_provider *const providers[] = {&quotients_of_zero, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "quotients_of_zero", .providers = providers};
