/* Places that exchange along edges from a file, x_i' = k sum_j (x_j - x_i) - c x_i^3 over the edges (i, j): parallel
 * edges add up. df/dx is sparse, its entries made edge by edge. Without a file: a chain of four.
 *
 * verify: --quick --problem network */
#include <string.h>
#include <tgmath.h>

#include "sens/plugin.h"

enum { MOST = 64, NP = 2, CHAIN = 4 };
static const double chain[] = {0, 1, 1, 2, 2, 3};

static size_t edges(const struct sens_problem *pb)
{
    return pb->option[0].count ? pb->option[0].count / 2 : CHAIN - 1;
}
/* An end, 0 or 1, of edge e. */
static size_t place(const struct sens_problem *pb, size_t e, size_t end)
{
    return (size_t)(pb->option[0].count ? pb->option[0].data : chain)[2 * e + end];
}

/* OUT_i = k sum_j (V_j - V_i) over the edges (i, j) */
static void exchange(const struct sens_problem *pb, sens_real k, size_t L, const sens_real *V, sens_real *OUT)
{
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t e = 0; e < edges(pb); e++) {
        const size_t i = place(pb, e, 0), j = place(pb, e, 1);
        for (size_t l = 0; l < L; l++) {
            const sens_real flow = k * (V[j * L + l] - V[i * L + l]);
            OUT[i * L + l] += flow, OUT[j * L + l] -= flow;
        }
    }
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    exchange(pb, at->p[0], 1, at->x, dx);
    for (size_t i = 0; i < pb->n; i++) dx[i] -= at->p[1] * at->x[i] * at->x[i] * at->x[i];
    return SENS_OK;
}
static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    exchange(pb, at->p[0], L, V, OUT);
    for (size_t q = 0; q < pb->n * L; q++) OUT[q] -= 3 * at->p[1] * at->x[q / L] * at->x[q / L] * V[q];
}
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    sens_real F[NP][MOST];
    exchange(pb, 1, 1, at->x, F[0]);
    for (size_t i = 0; i < pb->n; i++) F[1][i] = -at->x[i] * at->x[i] * at->x[i];
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += F[k0 + l][i];
}
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    for (size_t k = 0; k < K; k++) {
        sens_real F[MOST * NP] = {0};
        jvp_p_cols(pb, &(struct sens_at){t[k], X + k * pb->n, p}, 0, NP, F);
        for (size_t i = 0; i < pb->n; i++)
            for (size_t q = 0; q < NP * L; q++) MU[q] += F[i * NP + q / L] * W[(k * pb->n + i) * L + q % L];
    }
}

/* The entry (i, j). */
static sens_real *entry(const struct sens_problem *pb, size_t i, size_t j, sens_real *J)
{
    const struct sens_pattern *const s = pb->structure->sparsity;
    size_t e = s->start[i];
    while (s->col[e] != j) e++;
    return J + e;
}
static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    memset(J, 0, pb->structure->sparsity->start[pb->n] * sizeof *J);
    for (size_t i = 0; i < pb->n; i++) *entry(pb, i, i, J) = -3 * at->p[1] * at->x[i] * at->x[i];
    for (size_t e = 0; e < edges(pb); e++)
        for (size_t end = 0; end < 2; end++) {
            const size_t i = place(pb, e, end), j = place(pb, e, 1 - end);
            *entry(pb, i, i, J) -= at->p[0];
            *entry(pb, i, j, J) += at->p[0];
        }
}

static sens_status find_pattern(struct sens_ctx *ctx, struct sens_problem *pb)
{
    bool beside[MOST][MOST] = {{false}};
    size_t *const start = SENS_NEW(ctx, size_t, pb->n + 1), *const col = SENS_NEW(ctx, size_t, pb->n * pb->n);
    struct sens_pattern *const pattern = SENS_NEW(ctx, struct sens_pattern, 1);
    struct sens_structure *const made = SENS_NEW(ctx, struct sens_structure, 1);
    if (!start || !col || !pattern || !made) return SENS_NO_MEMORY;
    for (size_t e = 0; e < edges(pb); e++)
        for (size_t end = 0; end < 2; end++) beside[place(pb, e, end)][place(pb, e, 1 - end)] = true;
    for (size_t i = 0, e = 0; i < pb->n; start[++i] = e)
        for (size_t j = 0; j < pb->n; j++)
            if (i == j || beside[i][j]) col[e++] = j;
    *pattern = (struct sens_pattern){.rows = pb->n, .cols = pb->n, .start = start, .col = col};
    *made = (struct sens_structure){.jacobian = jacobian, .sparsity = pattern};
    pb->structure = made;
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "edges", .kind = SENS_OPT_DATA, .help = "file of pairs of places, from 0 or 1 on"},
    SENS_OPTIONS_END,
};
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    if (option[0].count % 2) return sens_fail(ctx, SENS_BAD_INPUT, "edges: no pairs");
    pb->n = CHAIN, pb->option = option;
    for (size_t q = 0; q < option[0].count; q++) {
        const double number = option[0].data[q];
        if (!(number >= 0 && number < MOST && floor(number) == number))
            return sens_fail(ctx, SENS_BAD_INPUT, "edges: number %zu names no place", q + 1);
        if (option[0].data[q ^ 1] == number) return sens_fail(ctx, SENS_BAD_INPUT, "edges: one place twice");
        if (number >= (double)pb->n) pb->n = (size_t)number + 1;
    }
    sens_real *const x0 = SENS_NEW(ctx, sens_real, pb->n), *const p = SENS_NEW(ctx, sens_real, NP);
    if (!x0 || !p) return SENS_NO_MEMORY;
    for (size_t i = 0; i < pb->n; i++) x0[i] = 1 + SENS_C(0.25) * (sens_real)(i % 4);
    p[0] = 1, p[1] = SENS_C(0.5);
    pb->np = NP, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p;
    return find_pattern(ctx, pb);
}

static SENS_PROBLEM(network) = {
    .name = "network",
    .summary = "exchange along edges",
    .options = options,
    .create = create,
    .rhs = rhs,
    .vjp = jvp, /* df/dx is symmetric */
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
};
static const struct sens_problem_type *const problems[] = {&sens_problem_network, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "network", .problems = problems};
