/* A radical in quasi-equilibrium, y' = -k1 y, 0 = k1 y - k2 z, whose initial state does not follow k1 and k2: z(0) =
 * 1.148e-9 is what it has at the nominal ones to four digits. Five per cent of it are nothing beside y(0) = 1, nor is
 * 0 = f an equation that holds to nine digits.
 *
 * verify: --quick --problem radical_held
 * module: problem radical_held
 * cause: initial_held */
#include "sens/plugin.h"

enum { N = 2, NP = 2 };

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0];
    dx[1] = at->p[0] * at->x[0] - at->p[1] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[0];
    J[1][0] = at->p[0], J[1][1] = -at->p[1];
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real F[N][NP])
{
    (void)pb;
    F[0][0] = -at->x[0];
    F[1][0] = at->x[0], F[1][1] = -at->x[1];
}
#include "dense_products.h"

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const size_t start[N + 1] = {0, 1, 1}, col[] = {0};
    static const sens_real x0[N] = {1, SENS_C(1.148e-9)}, p[NP] = {SENS_C(0.7), SENS_C(6.1e8)}, one[] = {1};
    static const struct sens_mass mass = {.pattern = {.rows = N, .cols = N, .start = start, .col = col},
                                          .value = one};
    (void)ctx, (void)option;
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p, pb->mass = &mass;
    return SENS_OK;
}

static SENS_PROBLEM(radical) = {
    .name = "radical_held",
    .summary = "a radical in quasi-equilibrium",
    .autonomous = true,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_radical, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "radical_held", .problems = problems};
