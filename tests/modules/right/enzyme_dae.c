/* An enzyme in quasi-equilibrium: s' = u - k c, 0 = (e - c) s - K c, of which the second equation is algebraic;
 * x = (s, c), p = (k, u, e, K). s(0) is an option, and c(0) = e s / (K + s) follows from it and p.
 *
 * verify: --quick --problem enzyme_dae */
#include <string.h>

#include "sens/plugin.h"

enum { N = 2, NP = 4 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_real *const p = at->p, s = at->x[0], c = at->x[1];
    (void)pb;
    dx[0] = p[1] - p[0] * c;
    dx[1] = (p[2] - c) * s - p[3] * c;
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    const sens_real *const p = at->p, s = at->x[0], c = at->x[1];
    (void)pb;
    J[0][1] = -p[0];
    J[1][0] = p[2] - c, J[1][1] = -s - p[3];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    const sens_real s = at->x[0], c = at->x[1];
    (void)pb;
    F[0][0] = -c, F[0][1] = 1;
    F[1][2] = s, F[1][3] = -c;
}
#include "dense_products.h"

/* ---- c(0) ---------------------------------------------------------------------------------------------- */

static void find_start(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    x[0] = pb->x0[0];
    x[1] = p[2] * x[0] / (p[3] + x[0]);
}

static void start_slopes(const struct sens_problem *pb, const sens_real *p, sens_real slope[NP])
{
    const sens_real s = pb->x0[0], sum = p[3] + s;
    slope[0] = slope[1] = 0;
    slope[2] = s / sum, slope[3] = -p[2] * s / (sum * sum);
}

static void start_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                      sens_real *MU)
{
    sens_real slope[NP];
    start_slopes(pb, p, slope);
    for (size_t k = 0; k < NP; k++)
        for (size_t l = 0; l < L; l++) MU[k * L + l] += slope[k] * W[L + l];
}

static void start_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                           sens_real *OUT)
{
    sens_real slope[NP];
    start_slopes(pb, p, slope);
    for (size_t l = 0; l < L; l++) OUT[L + l] += slope[k0 + l];
}

/* ---- an instance --------------------------------------------------------------------------------------- */

static sens_status add_mass(struct sens_ctx *ctx, struct sens_problem *pb)
{
    struct sens_mass *const mass = SENS_NEW(ctx, struct sens_mass, 1);
    size_t *const start = SENS_NEW(ctx, size_t, N + 1), *const col = SENS_NEW(ctx, size_t, 1);
    sens_real *const value = SENS_NEW(ctx, sens_real, 1);
    if (!mass || !start || !col || !value) return SENS_NO_MEMORY;
    value[0] = 1, col[0] = 0;
    start[0] = 0, start[1] = start[2] = 1; /* the second row is empty */
    *mass = (struct sens_mass){.pattern = {.rows = N, .cols = N, .start = start, .col = col}, .value = value};
    pb->mass = mass;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "s0", .kind = SENS_OPT_REAL, .fallback = 3, .min = 0, .max = 100, .help = "s at the start"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real nominal[NP] = {1, 0.25, 1, 1};
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    memcpy(p, nominal, sizeof nominal);
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p;
    x0[0] = option[0].number;
    find_start(pb, p, x0);
    return add_mass(ctx, pb);
}

static SENS_PROBLEM(enzyme_dae) = {
    .name = "enzyme_dae",
    .summary = "an enzyme in quasi-equilibrium",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .x0 = find_start,
    .x0_vjp = start_vjp,
    .x0_jvp_cols = start_jvp_cols,
    .autonomous = true,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_enzyme_dae, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "enzyme_dae", .problems = problems};
