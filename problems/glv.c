/* Generalised Lotka-Volterra system of n species, p = [r (n) | A row-major (n * n)]:
 *
 *     x_i' = x_i g_i,   g = r + A x,   x_i(0) = 0.1,   t in [0, 10]
 *     J = diag(g) + diag(x) A,   df_i/dr_i = x_i,   df_i/dA_ij = x_i x_j   (so M = A, d = g, s = x)
 *
 * The products by hand are what the figures of the paper compare, and an oracle for those that are derived.
 *
 * Martins and Lakshtanov, arXiv 2410.01911, section 4.3; random communities after May, Nature 238 (1972) 413.
 *
 * The instance `seed`: r_i = 0.1, A_ii = -10. The generator is gsl_rng_mt19937 with that seed; the off-
 * diagonal entries are visited in row-major order; each draws u = gsl_rng_uniform and, only if u < 0.5,
 * the value of one gsl_ran_gaussian(1); the others are 0. Draws are double in every precision. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <string.h>

#include "glv_exact.h"
#include "sens/lanes.h"
#include "sens/problem.h"

enum { KIND_RANDOM, KIND_UNCOUPLED };
enum { ROW_TILE = 64 }; /* species whose g is held on the stack */

static const sens_real *interactions(const struct sens_problem *pb, const sens_real *p)
{
    return p + pb->n;
}

/* g_i = r_i + sum_j A_ij x_j for i0 <= i < i0 + rows: the same bits wherever it is needed. */
static void growth(const struct sens_problem *pb, const struct sens_at *at, size_t i0, size_t rows,
                   sens_real *g)
{
    for (size_t i = 0; i < rows; i++) g[i] = at->p[i0 + i];
    sens_matvec(rows, pb->n, interactions(pb, at->p) + i0 * pb->n, at->x, g);
}

/* g_i of one of few species, with n known to the compiler; in the order of sens_matvec. */
static inline __attribute__((always_inline)) sens_real growth_known(const size_t n, sens_real r,
                                                                    const sens_real *A, const sens_real *x)
{
    sens_real s[4] = {0};
    for (size_t j = 0; j < n; j++) s[j % 4] = j < 4 ? A[j] * x[j] : s[j % 4] + A[j] * x[j];
    if (n == 1) return r + s[0]; /* no sum waits for a zero */
    if (n == 2) return r + (s[0] + s[1]);
    if (n == 3) return r + ((s[0] + s[2]) + s[1]);
    return r + ((s[0] + s[2]) + (s[1] + s[3]));
}

static inline __attribute__((always_inline)) void rhs_known(const size_t n, const sens_real *restrict r,
                                                            const sens_real *restrict A,
                                                            const sens_real *restrict x,
                                                            sens_real *restrict dx)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++) dx[i] = growth_known(n, r[i], A + i * n, x) * x[i];
}

/* Rows of 4 and more are made as vectors, and the diagonal is then put into them. */
static inline __attribute__((always_inline)) void jacobian_known(const size_t n, const sens_real *restrict r,
                                                                 const sens_real *restrict A,
                                                                 const sens_real *restrict x,
                                                                 sens_real *restrict J)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++) {
        const sens_real diagonal = x[i] * A[i * n + i] + growth_known(n, r[i], A + i * n, x);
        if (n < 4) {
#pragma GCC unroll 4
            for (size_t j = 0; j < n; j++) J[i * n + j] = i == j ? diagonal : x[i] * A[i * n + j];
        } else {
#pragma GCC unroll 1
            for (size_t j = 0; j < n; j++) J[i * n + j] = x[i] * A[i * n + j];
            J[i * n + i] = diagonal;
        }
    }
}

/* r: s = x, phi = 1; A: s = x, phi = x. */
static inline __attribute__((always_inline)) void outer_known(const size_t n, const sens_real *restrict x,
                                                              sens_real *restrict s, sens_real *restrict phi)
{
    phi[0] = 1;
    memcpy(s, x, n * sizeof *x);
    memcpy(phi + 1, x, n * sizeof *x);
}

/* Functions of their own for each number of few species: they need neither a frame nor a saved register. */
struct known {
    sens_status (*rhs)(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx);
    void (*jacobian)(const struct sens_problem *pb, const struct sens_at *at, sens_real *J);
    void (*outer)(const struct sens_problem *pb, const struct sens_at *at, sens_real *s, sens_real *phi);
};

#define KNOWN(n)                                                                                             \
    static sens_status rhs_of_##n(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)    \
    {                                                                                                        \
        (void)pb;                                                                                            \
        rhs_known(n, at->p, at->p + (n), at->x, dx);                                                         \
        return SENS_OK;                                                                                      \
    }                                                                                                        \
    static void jacobian_of_##n(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)       \
    {                                                                                                        \
        (void)pb;                                                                                            \
        jacobian_known(n, at->p, at->p + (n), at->x, J);                                                     \
    }                                                                                                        \
    static void outer_of_##n(const struct sens_problem *pb, const struct sens_at *at, sens_real *s,          \
                             sens_real *phi)                                                                 \
    {                                                                                                        \
        (void)pb;                                                                                            \
        outer_known(n, at->x, s, phi);                                                                       \
    }
KNOWN(1)
KNOWN(2)
KNOWN(3)
KNOWN(4)
KNOWN(5)
KNOWN(6)
KNOWN(7)
KNOWN(8)

enum { FEW = 8 };

static sens_status rhs_of_many(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    growth(pb, at, 0, pb->n, dx);
    for (size_t i = 0; i < pb->n; i++) dx[i] *= at->x[i];
    return SENS_OK;
}

/* OUT = g W + A^T (x W) */
static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    const size_t n = pb->n;
    sens_real g[ROW_TILE];
    for (size_t i = 0; i < n; i += ROW_TILE) {
        const size_t rows = n - i < ROW_TILE ? n - i : ROW_TILE;
        growth(pb, at, i, rows, g);
        sens_lanes_scale_rows(rows, L, g, W + i * L, OUT + i * L);
    }
    const struct sens_lanes xW = {.v = W, .step = L, .scale = at->x, .scale_step = 1};
    sens_lanes_add_product(sens_dense_transposed(n, n, interactions(pb, at->p)), xW, L, OUT);
}

/* OUT = g V + x (A V) */
static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    const size_t n = pb->n;
    sens_real g[ROW_TILE];
    for (size_t q = 0; q < n * L; q++) OUT[q] = 0;
    const struct sens_lanes lanes = {.v = V, .step = L};
    sens_lanes_add_product(sens_dense(n, n, interactions(pb, at->p)), lanes, L, OUT);
    for (size_t i = 0; i < n; i += ROW_TILE) {
        const size_t rows = n - i < ROW_TILE ? n - i : ROW_TILE;
        growth(pb, at, i, rows, g);
        sens_lanes_combine_rows(rows, L, g, V + i * L, at->x + i, OUT + i * L);
    }
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    const size_t n = pb->n;
    for (size_t l = 0; l < L; l++) {
        const size_t k = k0 + l;
        const size_t i = k < n ? k : (k - n) / n;
        OUT[i * L + l] += k < n ? at->x[i] : at->x[i] * at->x[(k - n) % n];
    }
}

/* One point and one cotangent, which is all that solvers without lanes ask for. */
static void add_rank_one(size_t n, const sens_real *restrict x, const sens_real *restrict w,
                         sens_real *restrict mu)
{
    for (size_t i = 0; i < n; i++) {
        const sens_real u = x[i] * w[i];
        sens_real *const row = mu + n + i * n;
        mu[i] += u;
        for (size_t j = 0; j < n; j++) row[j] += x[j] * u;
    }
}

/* With u_k = x_i(t_k) W_k[i]: MU_{r_i} += sum_k u_k and MU_{A_ij} += sum_k x_j(t_k) u_k, one product of
 * inner length K for each species i. */
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const size_t n = pb->n;
    const sens_real one = 1;
    const struct sens_matrix ones = {.rows = 1, .cols = K, .a = &one};
    const struct sens_matrix states = sens_dense_transposed(K, n, X);
    (void)t, (void)p;
    if (K == 1 && L == 1) {
        add_rank_one(n, X, W, MU);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct sens_lanes u = {.v = W + i * L, .step = n * L, .scale = X + i, .scale_step = n};
        sens_lanes_add_product(ones, u, L, MU + i * L);
        sens_lanes_add_product(states, u, L, MU + (n + i * n) * L);
    }
}

/* J_ij = x_i A_ij + delta_ij g_i */
static void jacobian_of_many(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    const size_t n = pb->n;
    sens_real g[ROW_TILE];
    sens_lanes_scale_rows(n, n, at->x, interactions(pb, at->p), J);
    for (size_t i0 = 0; i0 < n; i0 += ROW_TILE) {
        const size_t rows = n - i0 < ROW_TILE ? n - i0 : ROW_TILE;
        growth(pb, at, i0, rows, g);
        for (size_t i = i0; i < i0 + rows; i++) J[i * n + i] += g[i - i0];
    }
}

static void coupling(const struct sens_problem *pb, const sens_real *p, sens_real *M)
{
    memcpy(M, interactions(pb, p), pb->n * pb->n * sizeof *M);
}

static void diagonal(const struct sens_problem *pb, const struct sens_at *at, sens_real *d)
{
    growth(pb, at, 0, pb->n, d);
}

static void outer_of_many(const struct sens_problem *pb, const struct sens_at *at, sens_real *restrict s,
                          sens_real *restrict phi)
{
    outer_known(pb->n, at->x, s, phi);
}

static const struct known few[FEW + 1] = {
    [1] = {rhs_of_1, jacobian_of_1, outer_of_1}, [2] = {rhs_of_2, jacobian_of_2, outer_of_2},
    [3] = {rhs_of_3, jacobian_of_3, outer_of_3}, [4] = {rhs_of_4, jacobian_of_4, outer_of_4},
    [5] = {rhs_of_5, jacobian_of_5, outer_of_5}, [6] = {rhs_of_6, jacobian_of_6, outer_of_6},
    [7] = {rhs_of_7, jacobian_of_7, outer_of_7}, [8] = {rhs_of_8, jacobian_of_8, outer_of_8}};
static const struct known many = {rhs_of_many, jacobian_of_many, outer_of_many};

static const struct known *known_of(size_t n)
{
    return n <= FEW ? &few[n] : &many;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const struct known *const known = pb->data; /* found once: this is the innermost call of every solve */
    return known->rhs(pb, at, dx);
}

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const double n = (double)pb->n;
    ops->rhs = 2 * n * n + 2 * n;
}

/* ---- instance ------------------------------------------------------------------------------------------ */

enum { OPTION_N, OPTION_SEED, OPTION_KIND, OPTION_T };

static const char *const kinds[] = {"random", "uncoupled", NULL};
static const struct sens_option options[] = {
    [OPTION_N] = {.name = "n",
                  .kind = SENS_OPT_INT,
                  .fallback = 5,
                  .min = 1,
                  .max = 1000,
                  .help = "species; n + n^2 parameters"},
    [OPTION_SEED] = {.name = "seed",
                     .kind = SENS_OPT_INT,
                     .fallback = 1,
                     .min = 1,
                     .max = 4294967295.0,
                     .help = "instance: seed of gsl_rng_mt19937"},
    [OPTION_KIND] = {.name = "kind",
                     .kind = SENS_OPT_CHOICE,
                     .fallback = KIND_RANDOM,
                     .choices = kinds,
                     .help = "random interactions, or uncoupled identical species (closed form)"},
    [OPTION_T] =
        {.name = "T", .kind = SENS_OPT_REAL, .fallback = 10, .min = 1e-6, .max = 1e4, .help = "final time"},
    SENS_OPTIONS_END};

static sens_status draw_interactions(size_t n, unsigned long seed, sens_real *A)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng) return SENS_NO_MEMORY;
    gsl_rng_set(rng, seed);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j && gsl_rng_uniform(rng) < 0.5) A[i * n + j] = gsl_ran_gaussian(rng, 1);
    gsl_rng_free(rng);
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *problem)
{
    const size_t n = (size_t)option[OPTION_N].number;
    sens_real *state = SENS_NEW(ctx, sens_real, n);
    sens_real *parameter = SENS_NEW(ctx, sens_real, n + n * n);
    struct sens_outer *block = SENS_NEW(ctx, struct sens_outer, 2);
    struct sens_structure *declared = SENS_NEW(ctx, struct sens_structure, 1);
    if (!state || !parameter || !block || !declared) return SENS_NO_MEMORY;
    block[0] = (struct sens_outer){.first = 0, .cols = 1};
    block[1] = (struct sens_outer){.first = n, .cols = n};
    for (size_t i = 0; i < n; i++) {
        state[i] = SENS_C(0.1);
        parameter[i] = SENS_C(0.1);
        parameter[n + i * n + i] = -10;
    }
    if (option[OPTION_KIND].number == KIND_RANDOM) {
        const sens_status status =
            draw_interactions(n, (unsigned long)option[OPTION_SEED].number, parameter + n);
        if (status != SENS_OK) return status;
    }
    problem->n = n;
    problem->np = n + n * n;
    problem->t1 = option[OPTION_T].number;
    problem->x0 = state;
    problem->p = parameter;
    *declared = (struct sens_structure){.jacobian = known_of(n)->jacobian,
                                        .outer = known_of(n)->outer,
                                        .coupling = coupling,
                                        .diagonal = diagonal,
                                        .n_blocks = 2,
                                        .blocks = block};
    problem->structure = declared;
    problem->data = known_of(n);
    return SENS_OK;
}

SENS_PROBLEM(glv) = {
    .name = "glv",
    .summary = "generalised Lotka-Volterra, n species, n + n^2 parameters",
    .reference = "Martins and Lakshtanov, Appl. Math. Comput. 510 (2025) 129699, section 4.3",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .operations = operations,
    .exact = glv_exact,
    .identities = glv_identities,
};
