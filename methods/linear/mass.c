/* The mass matrix of a problem, see mass.h. */
#include "mass.h"

#include <string.h>
#include <tgmath.h>

#include "pattern.h"

/* ---- M --------------------------------------------------------------------------------------------------- */

bool sens_mass_row_zero(const struct sens_mass *mass, size_t i)
{
    for (size_t e = mass->pattern.start[i]; e < mass->pattern.start[i + 1]; e++)
        if (mass->value[e] != 0) return false;
    return true;
}

size_t sens_mass_open_columns(const struct sens_mass *mass, size_t *column)
{
    const size_t n = mass->pattern.cols;
    size_t open = 0;
    for (size_t j = 0; j < n; j++) column[j] = 0;
    for (size_t e = 0; e < sens_pattern_entries(&mass->pattern); e++)
        if (mass->value[e] != 0) column[mass->pattern.col[e]] = 1;
    for (size_t j = 0; j < n; j++)
        if (column[j] == 0) column[open++] = j; /* behind it nothing was written yet */
    return open;
}

void sens_mass_multiply(const struct sens_mass *mass, bool transposed, size_t L, const sens_real *x,
                        sens_real *out)
{
    const struct sens_pattern *const pattern = &mass->pattern;
    memset(out, 0, pattern->rows * L * sizeof *out);
    for (size_t i = 0; i < pattern->rows; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
            const size_t j = pattern->col[e], to = transposed ? j : i, from = transposed ? i : j;
            for (size_t l = 0; l < L; l++) out[to * L + l] += mass->value[e] * x[from * L + l];
        }
}

/* ---- A --------------------------------------------------------------------------------------------------- */

/* The factors of A at (t0, x0); of J only the algebraic rows stay. */
static sens_status factor(const struct sens_problem *pb, const sens_real *x0, struct sens_mass_matrix *mass)
{
    const struct sens_pattern *const pattern = mass->A.J->pattern;
    const size_t n = pb->n;
    const struct sens_at at = {pb->t0, x0, pb->p};
    sens_stage_matrix_at(&mass->A, &at);
    for (size_t i = 0; i < n; i++) {
        const size_t first = pattern ? pattern->start[i] : i * n,
                     end = pattern ? pattern->start[i + 1] : first + n;
        if (sens_mass_row_zero(pb->mass, i))
            mass->algebraic++;
        else
            memset(mass->A.value + first, 0, (end - first) * sizeof *mass->A.value);
    }
    const sens_status status = sens_stage_matrix_factor(&mass->A, 1);
    if (status == SENS_OK) mass->negative = sens_shifted_negative(mass->A.system);
    return status;
}

/* size_i = sum_j |A_ij| */
static void find_sizes(const struct sens_problem *pb, const struct sens_mass_matrix *mass, sens_real *size)
{
    const struct sens_pattern *const M = &pb->mass->pattern, *const J = mass->A.J->pattern;
    for (size_t i = 0; i < pb->n; i++) {
        const size_t first = J ? J->start[i] : i * pb->n, end = J ? J->start[i + 1] : first + pb->n;
        size[i] = 0;
        for (size_t e = M->start[i]; e < M->start[i + 1]; e++) size[i] += fabs(pb->mass->value[e]);
        for (size_t e = first; e < end; e++) size[i] += fabs(mass->A.value[e]);
    }
}

static size_t largest(size_t n, const sens_real *v)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(v[i])) return i; /* what is no number is large */
        if (fabs(v[i]) > fabs(v[at])) at = i;
    }
    return at;
}

/* A lower bound, mostly near, of the largest row sum of |A^-1| |A| (the condition of Skeel, Math. Comp. 35 (1980),
 * which no scale of an equation changes), by the estimator of Hager, SIAM J. Sci. Stat. Comput. 5 (1984) 311-316,
 * for B = A^-1 D, D the diagonal of the row sums of |A|: v = B^T u, w = B sign(v). */
static sens_real condition(const struct sens_mass_matrix *mass, size_t n, const sens_real *D, sens_real *u,
                           sens_real *v)
{
    enum { ROUNDS = 5 };
    sens_real found = 0;
    for (size_t i = 0; i < n; i++) u[i] = 1 / (sens_real)n;
    for (int round = 0; round < ROUNDS; round++) {
        sens_real sum = 0, along = 0;
        memcpy(v, u, n * sizeof *v);
        sens_shifted_solve(mass->A.system, true, 1, v);
        for (size_t i = 0; i < n; i++) sum += fabs(D[i] * v[i]);
        if (!(sum > found)) return isfinite(sum) ? found : sum;
        found = sum;
        for (size_t i = 0; i < n; i++) v[i] = v[i] < 0 ? -D[i] : D[i];
        sens_shifted_solve(mass->A.system, false, 1, v);
        for (size_t i = 0; i < n; i++) along += v[i] * u[i];
        const size_t at = largest(n, v);
        if (fabs(v[at]) <= along) return found;
        for (size_t i = 0; i < n; i++) u[i] = i == at;
    }
    return found;
}

/* ---- refusals -------------------------------------------------------------------------------------------- */

static sens_status refuse_singular(struct sens_ctx *ctx, size_t algebraic)
{
    if (algebraic == 0)
        return sens_fail(ctx, SENS_SINGULAR,
                         "the mass matrix is singular: combine its equations so that the algebraic ones are "
                         "rows of zeros");
    return sens_fail(
        ctx, SENS_SINGULAR,
        "the mass matrix is singular beside its rows of zeros, or its algebraic equations do not fix "
        "what it leaves open: their df/dx with the other rows of M is singular at the start (index "
        "above 1)");
}

/* Where A is so near to a singular matrix that a digit or none of a solution is right. */
static bool nearly_singular(sens_real condition)
{
    return !(condition * SENS_EPSILON < SENS_C(0.01));
}

/* f [n] at the start; d = A^-1 f of the algebraic rows is what Newton's method would move x0 by. */
static sens_status check_initial(struct sens_ctx *ctx, const struct sens_problem *pb,
                                 const struct sens_mass_matrix *mass, const sens_real *x0, sens_real *f,
                                 sens_real *d)
{
    const size_t n = pb->n;
    const struct sens_at at = {pb->t0, x0, pb->p};
    const sens_status status = pb->type->rhs(pb, &at, f);
    if (status != SENS_OK) return status;
    for (size_t i = 0; i < n; i++) d[i] = f[i] = sens_mass_row_zero(pb->mass, i) ? f[i] : 0;
    sens_shifted_solve(mass->A.system, false, 1, d);
    const size_t row = largest(n, f), moved = largest(n, d);
    const sens_real size = fabs(x0[largest(n, x0)]);
    if (fabs(d[moved]) <= sqrt(SENS_EPSILON) * size) return SENS_OK;
    return sens_fail(
        ctx, SENS_BAD_INPUT,
        "the initial state is not consistent: equation %zu of %zu is algebraic, and its residual is "
        "%.3g at t0; x0[%zu] = %.6g would have to move by %.3g",
        row + 1, n, (double)f[row], moved, (double)x0[moved], (double)d[moved]);
}

sens_status sens_mass_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                    struct sens_mass_matrix *mass)
{
    const size_t n = pb->n;
    *mass = (struct sens_mass_matrix){.algebraic = 0};
    sens_real *const x0 = SENS_NEW(ctx, sens_real, n), *const D = SENS_NEW(ctx, sens_real, n);
    sens_real *const u = SENS_NEW(ctx, sens_real, n), *const v = SENS_NEW(ctx, sens_real, n);
    if (!x0 || !D || !u || !v) return SENS_NO_MEMORY;
    sens_status status = sens_stage_matrix_create(ctx, pb, SENS_JVP, &mass->A);
    if (status != SENS_OK) return status;
    sens_problem_x0(pb, pb->p, x0);
    status = factor(pb, x0, mass);
    if (status == SENS_SINGULAR) return refuse_singular(ctx, mass->algebraic);
    if (status != SENS_OK) return status;
    find_sizes(pb, mass, D);
    if (nearly_singular(condition(mass, n, D, u, v))) return refuse_singular(ctx, mass->algebraic);
    return mass->algebraic ? check_initial(ctx, pb, mass, x0, u, v) : SENS_OK;
}

void sens_mass_rate(const struct sens_mass_matrix *mass, sens_real *f)
{
    const struct sens_problem *const pb = mass->A.J->pb;
    for (size_t i = 0; i < pb->n; i++)
        if (sens_mass_row_zero(pb->mass, i)) f[i] = 0;
    sens_shifted_solve(mass->A.system, false, 1, f);
}
