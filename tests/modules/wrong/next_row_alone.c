/* Feeding at a rate from a file of values at equal distances. The batch follows the file from the row of one point to
 * that of the next, and goes on by one row at most.
 *
 * verify: --quick --problem next_row_alone
 * module: problem next_row_alone
 * cause: batch_one_point */
#include <tgmath.h>

#include "sens/plugin.h"

enum { N = 2, NP = 3 };

/* The last row but one that is not behind t. */
static long row_of(const struct sens_problem *pb, sens_real t)
{
    const long last = (long)pb->option[0].count - 1;
    const long k = (long)floor(t / pb->t1 * (sens_real)last);
    return last < 1 || k < 0 ? 0 : k < last ? k : last - 1;
}

/* The rate at t, on the line through row k and the next; 1 without a file. */
static sens_real rate(const struct sens_problem *pb, sens_real t, long k)
{
    const struct sens_value *const file = &pb->option[0];
    if (file->count < 2) return 1;
    const sens_real w = t / pb->t1 * (sens_real)(file->count - 1) - (sens_real)k;
    return (1 - w) * (sens_real)file->data[k] + w * (sens_real)file->data[k + 1];
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    dx[0] = at->p[0] * rate(pb, at->t, row_of(pb, at->t)) - at->p[1] * at->x[0];
    dx[1] = at->p[1] * at->x[0] - at->p[2] * at->x[1] * at->x[1];
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real J[N][N])
{
    (void)pb;
    J[0][0] = -at->p[1];
    J[1][0] = at->p[1];
    J[1][1] = -2 * at->p[2] * at->x[1];
}
#include "dense_states.h"

static void parameters(const struct sens_problem *pb, sens_real t, const sens_real *x, long k,
                       sens_real F[N][NP])
{
    F[0][0] = rate(pb, t, k), F[0][1] = -x[0], F[0][2] = 0;
    F[1][0] = 0, F[1][1] = x[0], F[1][2] = -x[1] * x[1];
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    sens_real F[N][NP];
    parameters(pb, at->t, at->x, row_of(pb, at->t), F);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += F[i][k0 + l];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)p;
    for (long q = 0, row = K ? row_of(pb, t[0]) : 0; q < (long)K; q++) {
        sens_real F[N][NP];
        const long to = row_of(pb, t[q]);
        row += (to > row) - (to < row);
        parameters(pb, t[q], X + q * N, row, F);
        for (size_t k = 0; k < NP; k++)
            for (size_t i = 0; i < N; i++)
                for (size_t l = 0; l < L; l++) MU[k * L + l] += F[i][k] * W[((size_t)q * N + i) * L + l];
    }
}

static const struct sens_option options[] = {
    {.name = "feed", .kind = SENS_OPT_DATA, .help = "rates at equal distances over the interval"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, N), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    x0[0] = SENS_C(0.5), x0[1] = SENS_C(0.25);
    p[0] = 1, p[1] = p[2] = SENS_C(0.5);
    pb->n = N, pb->np = NP, pb->t0 = 0, pb->t1 = 4, pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(next_row_alone) = {
    .name = "next_row_alone",
    .summary = "feeding by a file",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_next_row_alone, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "next_row_alone", .problems = problems};
