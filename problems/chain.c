/* A chain of n states, each fed by the one before it, with a parameter each:
 *
 *     y_0' = p_0,   y_i' = p_i y_(i-1),   y(0) = 0,   0 <= t <= T
 *
 * The problem of the ODE gradient in GradBench (github.com/gradbench/gradbench). With y_(-1) = 1 the equations
 * are linear, y_i' = p_i y_(i-1) for all i, and what starts at k < i arrives at i as
 *
 *     y_i(t) = sum_(k=-1..i) F_ik y_k(0),   F_ik = prod_(j=k+1..i) p_j t / (j - k),   F_ii = 1.
 *
 * a polynomial in t: a method of order n or more makes no error. The nominal p_i = (i + 1)/T makes y_i(T) = 1
 * for all i, so that long chains do not vanish. Products are written by hand: an oracle for those that are
 * not. */
#include <string.h>
#include <tgmath.h>

#include "sens/problem.h"

/* y_(i-1) */
static sens_real before(const sens_real *y, size_t i)
{
    return i > 0 ? y[i - 1] : 1;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    dx[0] = at->p[0];
    for (size_t i = 1; i < pb->n; i++) dx[i] = at->p[i] * at->x[i - 1];
    return SENS_OK;
}

/* ---- products: J_(i,i-1) = p_i, df_i/dp_i = y_(i-1) ---------------------------------------------------- */

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    const size_t n = pb->n;
    for (size_t i = 1; i < n; i++)
        for (size_t l = 0; l < L; l++) OUT[(i - 1) * L + l] = at->p[i] * W[i * L + l];
    for (size_t l = 0; l < L; l++) OUT[(n - 1) * L + l] = 0;
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    for (size_t l = 0; l < L; l++) OUT[l] = 0;
    for (size_t i = 1; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] = at->p[i] * V[(i - 1) * L + l];
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[(k0 + l) * L + l] += before(at->x, k0 + l);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const size_t n = pb->n;
    (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < L; l++) MU[i * L + l] += before(X + k * n, i) * W[(k * n + i) * L + l];
}

/* f has the second derivatives d2f_i / (dp_i dy_(i-1)) = 1, i > 0, and no others. */
static void hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const sens_real *W, sens_real *OUT, sens_real *MU)
{
    const size_t n = pb->n;
    (void)at;
    memset(OUT, 0, n * L * sizeof *OUT);
    for (size_t i = 1; i < n; i++)
        for (size_t l = 0; l < L; l++) {
            if (v->p) OUT[(i - 1) * L + l] = v->p[i * L + l] * W[i * L + l];
            if (v->x && MU) MU[i * L + l] += v->x[(i - 1) * L + l] * W[i * L + l];
        }
}

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const double n = (double)pb->n;
    ops->rhs = ops->vjp = ops->jvp = n - 1;
    ops->vjp_p = 2 * n;
    ops->jvp_p = 1;
}

/* ---- closed form --------------------------------------------------------------------------------------- */

/* x[i step] += F_ik y, k < i < n, for the start y of state k = from - 1. */
static void add_flow(size_t n, size_t from, sens_real y, sens_real t, const sens_real *p, size_t step,
                     sens_real *x)
{
    for (size_t i = from; i < n; i++) {
        y *= p[i] * t / (sens_real)(i - from + 1);
        x[i * step] += y;
    }
}

/* S[i][j] += dF_ik/dp_j y: F_ik without its factor p_j. */
static void add_flow_p(size_t n, size_t from, sens_real y, sens_real t, const sens_real *p, sens_real *S)
{
    for (size_t j = from; j < n; j++) {
        sens_real without = y * t / (sens_real)(j - from + 1);
        S[j * n + j] += without;
        for (size_t i = j + 1; i < n; i++) {
            without *= p[i] * t / (sens_real)(i - from + 1);
            S[i * n + j] += without;
        }
        y *= p[j] * t / (sens_real)(j - from + 1);
    }
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const size_t n = pb->n;
    const sens_real t = q->t - pb->t0;
    if (q->level != SENS_EXACT_ODE) return false;
    memcpy(x, pb->x0, n * sizeof *x);
    if (S) memset(S, 0, n * n * sizeof *S);
    if (S0) memset(S0, 0, n * n * sizeof *S0);
    for (size_t from = 0; from <= n; from++) {
        const sens_real start = before(pb->x0, from);
        if (start != 0) add_flow(n, from, start, t, p, 1, x);
        if (S && start != 0) add_flow_p(n, from, start, t, p, S);
        if (S0 && from > 0) {
            S0[(from - 1) * n + from - 1] = 1;
            add_flow(n, from, 1, t, p, n, S0 + from - 1);
        }
    }
    return true;
}

/* With p times s and y_k(0) times s^(k+1), y_i is multiplied with s^(i+1), by every Runge-Kutta map as well:
 *     sum_j p_j dy_i/dp_j + sum_k (k + 1) y_k(0) dy_i/dy_k(0) = (i + 1) y_i. */
static size_t rows(const struct sens_problem *pb)
{
    return pb->n;
}

static void scaling(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                    const sens_real *S0, sens_real *residual, sens_real *size)
{
    const size_t n = pb->n;
    for (size_t i = 0; i < n; i++) {
        residual[i] = -(sens_real)(i + 1) * x1[i];
        size[i] = fabs(residual[i]);
        for (size_t j = 0; j < n; j++) {
            const sens_real by_p = pb->p[j] * S[i * n + j],
                            by_x0 = (sens_real)(j + 1) * pb->x0[j] * S0[i * n + j];
            residual[i] += by_p + by_x0;
            size[i] += fabs(by_p) + fabs(by_x0);
        }
    }
}

static const struct sens_identity identities[] = {
    {.name = "scaling",
     .summary = "sum_j p_j dy_i/dp_j + sum_k (k + 1) y_k(0) dy_i/dy_k(0) = (i + 1) y_i",
     .discrete = true,
     .rows = rows,
     .residual = scaling},
    {.name = NULL},
};

/* ---- instance ------------------------------------------------------------------------------------------ */

enum { OPT_N, OPT_T };
static const struct sens_option options[] = {
    {.name = "n",
     .kind = SENS_OPT_INT,
     .fallback = 12,
     .min = 1,
     .max = 1e6,
     .help = "states, and as many parameters"},
    {.name = "T", .kind = SENS_OPT_REAL, .fallback = 2, .min = 1e-6, .max = 1e6, .help = "final time"},
    SENS_OPTIONS_END,
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    const size_t n = (size_t)option[OPT_N].number;
    sens_real *p = SENS_NEW(ctx, sens_real, n);
    pb->n = pb->np = n;
    pb->t1 = option[OPT_T].number;
    pb->x0 = SENS_NEW(ctx, sens_real, n);
    pb->p = p;
    if (!pb->x0 || !p) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) p[i] = (double)(i + 1) / option[OPT_T].number;
    return SENS_OK;
}

SENS_PROBLEM(chain) = {
    .name = "chain",
    .summary = "chain of n states, each fed by the one before, n parameters",
    .reference = "GradBench, evaluation ode; closed form",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .hvp = hvp,
    .operations = operations,
    .exact = exact,
    .identities = identities,
};
