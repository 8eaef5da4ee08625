/* A drug in the blood, infused until a time s that an option names:
 *
 *     x' = r(t) / V - k x,    r(t) = r for t < s, else 0,    p = (r, V, k),
 *
 * from x = 1, or from the steady state of an infusion without end, x0 = r / (V k). Modules differ in what the including
 * file defines beside NAME: STOPPED(t, s), true where the module's derivatives take the infusion to be over;
 * FIXED(start), true where it declares that x0 does not depend on p. */
#include <tgmath.h>

#include "sens/plugin.h"

#ifndef STOPPED
#define STOPPED(t, s) ((t) >= (s))
#endif
#ifndef FIXED
#define FIXED(start) ((start) == GIVEN)
#endif

enum { N = 1, NP = 3 };
enum { GIVEN, AT_REST };
enum { OPT_R, OPT_V, OPT_K, OPT_STOP, OPT_START, OPT_T };

static sens_real end_of(const struct sens_problem *pb)
{
    return *(const sens_real *)pb->data;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_real r = at->t < end_of(pb) ? at->p[0] : 0;
    dx[0] = r / at->p[1] - at->p[2] * at->x[0];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[2];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    F[0][2] = -at->x[0];
    if (STOPPED(at->t, end_of(pb))) return;
    F[0][0] = 1 / at->p[1];
    F[0][1] = -at->p[0] / (at->p[1] * at->p[1]);
}
#include "dense_products.h"

/* ---- the initial state --------------------------------------------------------------------------------- */

static sens_real rest(const sens_real *p)
{
    return p[0] / (p[1] * p[2]);
}

static void x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    (void)pb; /* called for start=at_rest alone: else x0_fixed is set */
    x[0] = rest(p);
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) {
        MU[l] += rest(p) / p[0] * W[l];
        MU[L + l] -= rest(p) / p[1] * W[l];
        MU[2 * L + l] -= rest(p) / p[2] * W[l];
    }
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] += (k0 + l == 0 ? 1 : -1) * rest(p) / p[k0 + l];
}

/* ---- the instance -------------------------------------------------------------------------------------- */

static const char *const starts[] = {"given", "at_rest", NULL};
static const struct sens_option options[] = {
    [OPT_R] =
        {.name = "r", .kind = SENS_OPT_REAL, .fallback = 2, .min = 0.125, .max = 100, .help = "rate, mg/h"},
    [OPT_V] =
        {.name = "V", .kind = SENS_OPT_REAL, .fallback = 4, .min = 0.125, .max = 100, .help = "volume, l"},
    [OPT_K] = {.name = "k",
               .kind = SENS_OPT_REAL,
               .fallback = 0.5,
               .min = 0.125,
               .max = 10,
               .help = "elimination, 1/h"},
    [OPT_STOP] = {.name = "stop", .kind = SENS_OPT_REAL, .fallback = 1, .min = 0, .max = 100, .help = "s, h"},
    [OPT_START] = {.name = "start", .kind = SENS_OPT_CHOICE, .choices = starts, .help = "the initial state"},
    [OPT_T] = {.name = "T",
               .kind = SENS_OPT_REAL,
               .fallback = 4,
               .min = 0.125,
               .max = 100,
               .help = "final time, h"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    sens_real *const x = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    sens_real *const stop = SENS_NEW(ctx, sens_real, 1);
    const int start = (int)option[OPT_START].number;
    if (!x || !p || !stop) return SENS_NO_MEMORY;
    for (int k = 0; k < NP; k++) p[k] = option[OPT_R + k].number;
    *stop = option[OPT_STOP].number;
    x[0] = start == AT_REST ? rest(p) : 1;
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = option[OPT_T].number, pb->x0 = x, pb->p = p;
    pb->data = stop;
    pb->x0_fixed = FIXED(start);
    return SENS_OK;
}

static SENS_PROBLEM(infusion) = {
    .name = NAME,
    .summary = "a drug in the blood under an infusion",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .x0 = x0,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_infusion, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .problems = problems};
