/* Two species that react, and one of them is exchanged fast with a bath: a split in C, of which additive steps take the
 * exchange implicitly.
 *
 *     f = f_E + f_I,   f_E = (k x0 x1 - x0 sin t, -k x0 x1),   f_I = (-s (x0 - x1^2), 0)
 *
 * verify: --quick --problem split */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 2 };

/* 0 of the implicit part, whose data is not NULL. */
static sens_real explicit_share(const struct sens_problem *pb)
{
    return pb->data ? 0 : 1;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_real e = explicit_share(pb), k = at->p[0], s = at->p[1], *x = at->x;
    dx[0] = e * (k * x[0] * x[1] - x[0] * sin(at->t)) - s * (x[0] - x[1] * x[1]);
    dx[1] = -e * k * x[0] * x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    const sens_real e = explicit_share(pb), k = at->p[0], s = at->p[1], *x = at->x;
    J[0][0] = e * (k * x[1] - sin(at->t)) - s;
    J[0][1] = e * k * x[0] + 2 * s * x[1];
    J[1][0] = -e * k * x[1];
    J[1][1] = -e * k * x[0];
}

/* F[i][k] = df_i/dp_k */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    const sens_real e = explicit_share(pb), *x = at->x;
    F[0][0] = e * x[0] * x[1];
    F[0][1] = x[1] * x[1] - x[0];
    F[1][0] = -e * x[0] * x[1];
    F[1][1] = 0;
}

#include "dense_products.h"

static const struct sens_problem_type part_type = {.name = "split_exchange",
                                                   .rhs = rhs,
                                                   .vjp = vjp,
                                                   .jvp = jvp,
                                                   .jvp_p_cols = jvp_p_cols,
                                                   .vjp_p_batch = vjp_p_batch};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {1, SENS_C(0.5)};
    static const sens_real p[NP] = {SENS_C(0.75), 20};
    struct sens_problem *const part = SENS_NEW(ctx, struct sens_problem, 1);
    (void)option;
    if (!part) return SENS_NO_MEMORY;
    pb->n = N;
    pb->np = NP;
    pb->t0 = 0;
    pb->t1 = 2;
    pb->x0 = x0;
    pb->p = p;
    *part = *pb;
    part->type = &part_type;
    part->data = &part_type;
    pb->implicit = part;
    return SENS_OK;
}

static SENS_PROBLEM(split) = {
    .name = "split",
    .summary = "a reaction and a fast exchange",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_split, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "split", .problems = problems};
