/* Heat conduction in an insulated rod of n cells, one conductivity for each edge between two of them:
 *
 *     u_i' = n^2 (k_i (u_(i+1) - u_i) - k_(i-1) (u_i - u_(i-1))),   k_(-1) = k_(n-1) = 0
 *
 * with p = k [n - 1], u_i(0) = 1 + exp(-8 (x_i - 1/3)^2) at the centres x_i = (i + 1/2) / n. Finite volumes
 * of -u_t + (k(x) u_x)_x = 0: LeVeque, Finite Difference Methods for Ordinary and Partial Differential
 * Equations, SIAM 2007, section 2.15. J is tridiagonal and symmetric, and k_j enters two components only:
 *
 *     J_i,i+1 = n^2 k_i,   J_ii = -n^2 (k_i + k_(i-1)),   df_j/dk_j = -df_(j+1)/dk_j = n^2 (u_(j+1) - u_j)
 *
 * The products by hand are an oracle for those that are derived.
 *
 * Where all conductivities are k, J = -k sum_q lam_q w_q w_q^T with the cosine modes
 *
 *     w_q(i) = sqrt((2 - delta_q0) / n) cos(q pi (i + 1/2) / n),   lam_q = 4 n^2 sin^2(q pi / 2n),   q < n,
 *
 * and with E_q = exp(-k lam_q t), c = w^T u(0), d_j = e_(j+1) - e_j (the variation of constants)
 *
 *     u = sum_q w_q E_q c_q,   du/du(0) = sum_q w_q E_q w_q^T,
 *     du/dk_j = -n^2 sum_q w_q (w_q d_j) sum_m I_qm c_m (w_m d_j),   I_qm = int_0^t E_q(t - s) E_m(s) ds */
#include <tgmath.h>

#include "sens/problem.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static const long double PI = 3.14159265358979323846264338327950288L;
enum { MAX_CELLS = 1000 };
enum { KIND_GRADED, KIND_UNIFORM };

struct rod {
    size_t n;
    const long double *cosine; /* [4 n] cos(a pi / 2n) */
};

/* ---- the equations ------------------------------------------------------------------------------------- */

static sens_real inverse_square(const struct sens_problem *pb)
{
    return (sens_real)(pb->n * pb->n);
}

/* OUT = J U. A cell at an end has no flux through it. */
ALWAYS_INLINE void exchange(const struct sens_problem *pb, const sens_real *k, size_t L,
                            const sens_real *restrict U, sens_real *restrict OUT)
{
    const size_t n = pb->n;
    const sens_real scale = inverse_square(pb);
    for (size_t i = 0; i < n; i++) {
        const bool first = i == 0, last = i + 1 == n;
        const sens_real *own = U + i * L, *left = first ? own : own - L, *right = last ? own : own + L;
        const sens_real to_left = first ? 0 : scale * k[i - 1], to_right = last ? 0 : scale * k[i];
        for (size_t l = 0; l < L; l++)
            OUT[i * L + l] = to_right * (right[l] - own[l]) - to_left * (own[l] - left[l]);
    }
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    exchange(pb, at->p, 1, at->x, dx);
    return SENS_OK;
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    exchange(pb, at->p, L, V, OUT);
}

/* J is symmetric. */
static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    exchange(pb, at->p, L, W, OUT);
}

/* df_j/dk_j */
static sens_real slope(const struct sens_problem *pb, const sens_real *x, size_t j)
{
    return inverse_square(pb) * (x[j + 1] - x[j]);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    for (size_t l = 0; l < L; l++) {
        const size_t j = k0 + l;
        const sens_real d = slope(pb, at->x, j);
        OUT[j * L + l] += d;
        OUT[(j + 1) * L + l] -= d;
    }
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *restrict MU)
{
    const size_t n = pb->n;
    (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j + 1 < n; j++) {
            const sens_real d = slope(pb, X + k * n, j), *w = W + (k * n + j) * L;
            for (size_t l = 0; l < L; l++) MU[j * L + l] += d * (w[l] - w[L + l]);
        }
}

/* ---- structure ----------------------------------------------------------------------------------------- */

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *restrict J)
{
    const size_t n = pb->n;
    const sens_real scale = inverse_square(pb);
    sens_real left = 0;
    for (size_t i = 0; i < n; i++) {
        const sens_real right = i + 1 < n ? scale * at->p[i] : 0;
        if (i > 0) *J++ = left;
        *J++ = -(left + right);
        if (i + 1 < n) *J++ = right;
        left = right;
    }
}

static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *restrict value)
{
    for (size_t j = 0; j + 1 < pb->n; j++) {
        value[2 * j] = slope(pb, at->x, j);
        value[2 * j + 1] = -value[2 * j];
    }
}

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    ops->rhs = 7 * (double)pb->n;
}

/* Entries of a pattern, row after row. */
struct writer {
    size_t *start, *col, row;
};

static void add_entry(struct writer *to, size_t col)
{
    to->col[to->start[to->row + 1]++] = col;
}

static void next_row(struct writer *to)
{
    to->row++;
    to->start[to->row + 1] = to->start[to->row];
}

/* The patterns of J and of (df/dk)^T. */
static sens_status declare(struct sens_ctx *ctx, struct sens_problem *problem)
{
    const size_t n = problem->n;
    struct sens_pattern *pattern = SENS_NEW(ctx, struct sens_pattern, 2);
    struct writer J = {SENS_NEW(ctx, size_t, n + 2), SENS_NEW(ctx, size_t, 3 * n), 0};
    struct writer F = {SENS_NEW(ctx, size_t, n + 2), SENS_NEW(ctx, size_t, 2 * n), 0};
    struct sens_structure *declared = SENS_NEW(ctx, struct sens_structure, 1);
    if (!declared || !pattern || !J.start || !J.col || !F.start || !F.col) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++, next_row(&J)) {
        if (i > 0) add_entry(&J, i - 1);
        add_entry(&J, i);
        if (i + 1 < n) add_entry(&J, i + 1);
    }
    for (size_t j = 0; j + 1 < n; j++, next_row(&F)) add_entry(&F, j), add_entry(&F, j + 1);
    pattern[0] = (struct sens_pattern){.rows = n, .cols = n, .start = J.start, .col = J.col};
    pattern[1] = (struct sens_pattern){.rows = n - 1, .cols = n, .start = F.start, .col = F.col};
    *declared = (struct sens_structure){.jacobian = jacobian,
                                        .jacobian_p = jacobian_p,
                                        .sparsity = &pattern[0],
                                        .sparsity_p = &pattern[1],
                                        .jacobian_constant = true};
    problem->structure = declared;
    return SENS_OK;
}

/* ---- closed form for equal conductivities, in long double in every variant ----------------------------- */

/* sin(a pi / 2n) = cos((a - n) pi / 2n) */
static long double sine(const struct rod *rod, size_t a)
{
    return rod->cosine[(a + 3 * rod->n) % (4 * rod->n)];
}

static long double mode(const struct rod *rod, size_t q, size_t i)
{
    const long double norm = sqrt((long double)(q ? 2 : 1) / (long double)rod->n);
    return norm * rod->cosine[q * (2 * i + 1) % (4 * rod->n)];
}

/* w_q(j + 1) - w_q(j) */
static long double mode_difference(const struct rod *rod, size_t q, size_t j)
{
    return -2 * sqrt(2 / (long double)rod->n) * sine(rod, 2 * q * (j + 1)) * sine(rod, q);
}

/* lam_q - lam_m = 4 n^2 sin((q + m) pi / 2n) sin((q - m) pi / 2n) */
static long double eigenvalue_difference(const struct rod *rod, size_t q, size_t m)
{
    const long double n = (long double)rod->n;
    return 4 * n * n * sine(rod, q + m) * (q > m ? sine(rod, q - m) : -sine(rod, m - q));
}

/* I_qm = E_m (1 - exp(-(lam_q - lam_m) k t)) / ((lam_q - lam_m) k) for lam_q >= lam_m; symmetric. */
static long double overlap(const struct rod *rod, const long double *E, long double k, long double t,
                           size_t q, size_t m)
{
    const long double apart = k * eigenvalue_difference(rod, q > m ? q : m, q > m ? m : q);
    const long double slower = E[q > m ? m : q], faster = E[q > m ? q : m];
    if (q == m) return t * slower;
    return apart * t > 1 ? (slower - faster) / apart : slower * -expm1(-apart * t) / apart;
}

static bool uniform(size_t count, const sens_real *k)
{
    for (size_t j = 1; j < count; j++)
        if (k[j] != k[0]) return false;
    return true;
}

/* S[:, j] of S [n][n - 1] */
static void conductivity_column(const struct rod *rod, const long double *E, const long double *c,
                                long double k, long double t, size_t j, sens_real *S)
{
    const size_t n = rod->n;
    const long double scale = (long double)(n * n);
    long double g[MAX_CELLS];
    for (size_t q = 0; q < n; q++) {
        long double sum = 0;
        for (size_t m = 0; m < n; m++) sum += overlap(rod, E, k, t, q, m) * c[m] * mode_difference(rod, m, j);
        g[q] = -scale * sum * mode_difference(rod, q, j);
    }
    for (size_t i = 0; i < n; i++) {
        long double sum = 0;
        for (size_t q = 0; q < n; q++) sum += mode(rod, q, i) * g[q];
        S[i * (n - 1) + j] = (sens_real)sum;
    }
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const struct rod *rod = pb->data;
    const size_t n = pb->n;
    const long double k = (long double)p[0], t = (long double)(q->t - pb->t0);
    long double E[MAX_CELLS] = {0}, c[MAX_CELLS] = {0};
    if (q->level != SENS_EXACT_ODE || !uniform(pb->np, p)) return false;
    for (size_t m = 0; m < n; m++) {
        E[m] = exp(-k * t * eigenvalue_difference(rod, m, 0));
        c[m] = 0;
        for (size_t i = 0; i < n; i++) c[m] += mode(rod, m, i) * (long double)pb->x0[i];
    }
    for (size_t i = 0; i < n; i++) {
        long double sum = 0;
        for (size_t m = 0; m < n; m++) sum += mode(rod, m, i) * E[m] * c[m];
        x[i] = (sens_real)sum;
        for (size_t j = 0; S0 && j < n; j++) {
            long double entry = 0;
            for (size_t m = 0; m < n; m++) entry += mode(rod, m, i) * E[m] * mode(rod, m, j);
            S0[i * n + j] = (sens_real)entry;
        }
    }
    for (size_t j = 0; S && j < pb->np; j++) conductivity_column(rod, E, c, k, t, j, S);
    return true;
}

/* ---- identities ---------------------------------------------------------------------------------------- */

/* Nothing is lost at the ends: sum_i du_i/dk_j = 0 and sum_i du_i/du_j(0) = 1, whatever the steps. */
static void conservation(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                         const sens_real *S0, sens_real *residual, sens_real *size)
{
    const size_t n = pb->n, np = pb->np;
    (void)x1;
    for (size_t j = 0; j < np + n; j++) {
        residual[j] = j < np ? 0 : -1, size[j] = j < np ? 0 : 1;
        for (size_t i = 0; i < n; i++) {
            const sens_real term = j < np ? S[i * np + j] : S0[i * n + (j - np)];
            residual[j] += term, size[j] += fabs(term);
        }
    }
}

static size_t conservation_rows(const struct sens_problem *pb)
{
    return pb->np + pb->n;
}

/* A rod of one temperature keeps it: sum_j du_i/du_j(0) = 1, whatever the steps. */
static void equilibrium(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                        const sens_real *S0, sens_real *residual, sens_real *size)
{
    const size_t n = pb->n;
    (void)x1, (void)S;
    for (size_t i = 0; i < n; i++) {
        residual[i] = -1, size[i] = 1;
        for (size_t j = 0; j < n; j++) residual[i] += S0[i * n + j], size[i] += fabs(S0[i * n + j]);
    }
}

/* f is linear in k: scaling k is scaling time.   sum_j k_j du/dk_j = T f(u(T)) */
static void time_scaling(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                         const sens_real *S0, sens_real *residual, sens_real *size)
{
    const size_t n = pb->n, np = pb->np;
    const sens_real T = pb->t1 - pb->t0, *k = pb->p;
    (void)S0;
    for (size_t i = 0; i < n; i++) {
        residual[i] = size[i] = 0;
        for (size_t j = 0; j < np; j++)
            residual[i] += k[j] * S[i * np + j], size[i] += fabs(k[j] * S[i * np + j]);
        for (size_t j = i ? i - 1 : 0; j < np && j <= i; j++) { /* f_i = sum over its edges */
            const sens_real flow = T * k[j] * slope(pb, x1, j);
            residual[i] -= j == i ? flow : -flow;
            size[i] += T * k[j] * inverse_square(pb) * (fabs(x1[j + 1]) + fabs(x1[j]));
        }
    }
}

static size_t cells(const struct sens_problem *pb)
{
    return pb->n;
}

static const struct sens_identity identities[] = {
    {.name = "conservation",
     .summary = "sum_i du_i/dk_j = 0, sum_i du_i/du_j0 = 1",
     .discrete = true,
     .rows = conservation_rows,
     .residual = conservation},
    {.name = "equilibrium",
     .summary = "sum_j du_i/du_j0 = 1",
     .discrete = true,
     .rows = cells,
     .residual = equilibrium},
    {.name = "time scaling",
     .summary = "sum_j k_j du/dk_j = T f(u(T))",
     .rows = cells,
     .residual = time_scaling},
    {.name = NULL},
};

/* ---- instance ------------------------------------------------------------------------------------------ */

enum { OPTION_N, OPTION_K, OPTION_KIND, OPTION_T };

static const char *const kinds[] = {"graded", "uniform", NULL};
static const struct sens_option options[] = {
    [OPTION_N] = {.name = "n",
                  .kind = SENS_OPT_INT,
                  .fallback = 10,
                  .min = 2,
                  .max = MAX_CELLS,
                  .help = "cells; n - 1 parameters"},
    [OPTION_K] = {.name = "k",
                  .kind = SENS_OPT_REAL,
                  .fallback = 1,
                  .min = 1e-6,
                  .max = 1e6,
                  .help = "conductivity, in the middle of the rod"},
    [OPTION_KIND] = {.name = "kind",
                     .kind = SENS_OPT_CHOICE,
                     .fallback = KIND_GRADED,
                     .choices = kinds,
                     .help = "conductivities k exp(sin 2 pi x), or all of them k (closed form)"},
    [OPTION_T] =
        {.name = "T", .kind = SENS_OPT_REAL, .fallback = 0.1, .min = 1e-9, .max = 1e3, .help = "final time"},
    SENS_OPTIONS_END};

static void fill(size_t n, long double k, bool graded, sens_real *state, sens_real *parameter,
                 long double *cosine)
{
    const long double cells = (long double)n;
    for (size_t i = 0; i < n; i++) {
        const long double x = ((long double)i + 0.5L) / cells - 1 / 3.0L;
        state[i] = (sens_real)(double)(1 + exp(-8 * x * x));
    }
    for (size_t j = 0; j + 1 < n; j++) {
        const long double x = (long double)(j + 1) / cells;
        parameter[j] = (sens_real)(double)(graded ? k * exp(sin(2 * PI * x)) : k);
    }
    for (size_t a = 0; a < 4 * n; a++) cosine[a] = cos((long double)a * PI / (2 * cells));
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *problem)
{
    const size_t n = (size_t)option[OPTION_N].number;
    struct rod *rod = SENS_NEW(ctx, struct rod, 1);
    long double *cosine = SENS_NEW(ctx, long double, 4 * n);
    sens_real *state = SENS_NEW(ctx, sens_real, n), *parameter = SENS_NEW(ctx, sens_real, n);
    if (!rod || !cosine || !state || !parameter) return SENS_NO_MEMORY;
    fill(n, option[OPTION_K].number, option[OPTION_KIND].number == KIND_GRADED, state, parameter, cosine);
    *rod = (struct rod){.n = n, .cosine = cosine};
    problem->n = n;
    problem->np = n - 1;
    problem->t1 = option[OPTION_T].number;
    problem->x0 = state;
    problem->p = parameter;
    problem->data = rod;
    return declare(ctx, problem);
}

SENS_PROBLEM(conduction) = {
    .name = "conduction",
    .summary = "heat conduction in a rod of n cells, n - 1 conductivities, sparse Jacobians",
    .reference = "LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2.15",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .operations = operations,
    .exact = exact,
    .identities = identities,
};
