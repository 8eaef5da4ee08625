/* The matrix of an implicit stage, see stage_matrix.h. */
#include "stage_matrix.h"

#include <string.h>
#include <tgmath.h>

#include "pattern.h"
#include "residual.h"

static void release(void *system)
{
    sens_shifted_release(system);
}

sens_status sens_stage_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                     enum sens_product by, struct sens_stage_matrix *matrix)
{
    *matrix = (struct sens_stage_matrix){.J = NULL};
    sens_status status = sens_jacobian_create(ctx, pb, by, NULL, &matrix->J);
    if (status != SENS_OK) return status;
    matrix->value = SENS_NEW(ctx, sens_real, matrix->J->entries);
    if (!matrix->value) return SENS_NO_MEMORY;
    status = sens_shifted_create_mass(ctx, pb->n, pb->mass, matrix->J->pattern,
                                      by == SENS_VJP ? SENS_SHIFTED_TURNED : SENS_SHIFTED_PLAIN, false,
                                      &matrix->system);
    if (!matrix->system) return status;
    const sens_status attached = sens_arena_attach(&ctx->arena, release, matrix->system);
    if (attached != SENS_OK) sens_shifted_release(matrix->system);
    return status != SENS_OK ? status : attached;
}

void sens_stage_matrix_at(struct sens_stage_matrix *matrix, const struct sens_at *at)
{
    sens_jacobian_at(matrix->J, at, matrix->value);
}

sens_status sens_stage_matrix_factor(struct sens_stage_matrix *matrix, sens_real h_gamma)
{
    return sens_shifted_factor(matrix->system, (struct sens_shift){1, h_gamma, 0}, matrix->value);
}

sens_status sens_stage_matrix_room(struct sens_ctx *ctx, size_t L, struct sens_stage_matrix *matrix)
{
    const size_t n = matrix->J->pb->n;
    const bool mass = matrix->J->pb->mass;
    matrix->sum = SENS_NEW(ctx, sens_real, (mass ? 6 : 4) * n * L);
    matrix->unit = mass ? SENS_NEW(ctx, sens_real, n) : NULL;
    return matrix->sum && (matrix->unit || !mass) ? SENS_OK : SENS_NO_MEMORY;
}

/* sum += a x and size += |a x|, [L] */
static void add_term(size_t L, sens_real a, const sens_real *x, sens_real *sum, sens_real *size)
{
    for (size_t l = 0; l < L; l++) {
        const sens_real term = a * x[l];
        sum[l] += term;
        size[l] += fabs(term);
    }
}

/* sum = A x or A^T x, A [n][n] by rows or the values of a pattern; size the same of absolute values; all [n][L],
 * size behind sum */
static void multiply_by(size_t n, const struct sens_pattern *pattern, const sens_real *value, bool transposed,
                        size_t L, const sens_real *x, sens_real *sum, sens_real *size)
{
    memset(sum, 0, 2 * n * L * sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        const size_t first = pattern ? pattern->start[i] : i * n,
                     end = pattern ? pattern->start[i + 1] : first + n;
        for (size_t e = first; e < end; e++) {
            const size_t j = pattern ? pattern->col[e] : e - first;
            const size_t to = transposed ? j : i, from = transposed ? i : j;
            if (value[e] != 0) add_term(L, value[e], x + from * L, sum + to * L, size + to * L);
        }
    }
}

/* J x or J^T x in matrix->sum, and behind it the same of absolute values; where there is a mass matrix M, at the end
 * M x or M^T x, and likewise. */
static void multiply(const struct sens_stage_matrix *matrix, bool transposed, size_t L, const sens_real *x)
{
    const size_t n = matrix->J->pb->n, count = n * L;
    const struct sens_mass *const mass = matrix->J->pb->mass;
    sens_real *const sum = matrix->sum, *const Mx = sum + 4 * count;
    multiply_by(n, matrix->J->pattern, matrix->value, transposed, L, x, sum, sum + count);
    if (mass) multiply_by(n, &mass->pattern, mass->value, transposed, L, x, Mx, Mx + count);
}

/* Entry q of M x, and the size of its terms, by the multiplication before. */
static inline sens_real entry(const struct sens_stage_matrix *matrix, size_t count, const sens_real *x,
                              size_t q, sens_real *size)
{
    const bool mass = matrix->J->pb->mass;
    *size = mass ? matrix->sum[5 * count + q] : fabs(x[q]);
    return mass ? matrix->sum[4 * count + q] : x[q];
}

/* Of an equation, on average. */
static sens_real entries_of(const struct sens_stage_matrix *matrix)
{
    const struct sens_mass *const mass = matrix->J->pb->mass;
    const size_t entries = matrix->J->entries + (mass ? sens_pattern_entries(&mass->pattern) : 0);
    return (sens_real)entries / (sens_real)matrix->J->pb->n;
}

/* [n]: the largest entry of each row of the matrix, which the numbers of its equation are multiples of: rows of M and
 * f may have any units. They cancel in the transposed system, whose solution has one over them. NULL: all are 1. */
static const sens_real *find_units(const struct sens_stage_matrix *matrix, bool transposed, sens_real h_gamma)
{
    if (!matrix->unit || transposed) return NULL;
    const size_t n = matrix->J->pb->n;
    const struct sens_pattern *const J = matrix->J->pattern, *const M = &matrix->J->pb->mass->pattern;
    for (size_t i = 0; i < n; i++) {
        sens_real largest = 0;
        for (size_t e = J ? J->start[i] : i * n; e < (J ? J->start[i + 1] : (i + 1) * n); e++)
            largest = fmax(fabs(h_gamma * matrix->value[e]), largest);
        for (size_t e = M->start[i]; e < M->start[i + 1]; e++)
            largest = fmax(fabs(matrix->J->pb->mass->value[e]), largest);
        matrix->unit[i] = largest == 0 ? 1 : largest;
    }
    return matrix->unit;
}

bool sens_stage_matrix_residual(const struct sens_stage_matrix *matrix, bool transposed, sens_real h_gamma,
                                size_t L, const sens_real *B, const sens_real *X, sens_real *R)
{
    const size_t count = matrix->J->pb->n * L;
    sens_real *const sum = matrix->sum, *const size = sum + count, *const terms = size + 2 * count;
    multiply(matrix, transposed, L, X);
    for (size_t q = 0; q < count; q++) {
        sens_real own;
        R[q] = B[q] - (entry(matrix, count, X, q, &own) - h_gamma * sum[q]);
        terms[q] = fabs(B[q]) + own + fabs(h_gamma) * size[q];
    }
    return sens_residual_leave_off(matrix->J->pb->n, L, entries_of(matrix),
                                   find_units(matrix, transposed, h_gamma), terms, R);
}

/* R, and 0 in the lanes in which no equation is off. false: that is all of them. */
static bool find_residuals(const struct sens_stage_matrix *matrix, bool transposed,
                           const struct sens_stage_slope *of)
{
    const size_t count = matrix->J->pb->n * of->L;
    const sens_real *const sum = matrix->sum, *const size = sum + count;
    sens_real *const R = matrix->sum + 2 * count, *const terms = R + count;
    for (size_t q = 0; q < count; q++) {
        sens_real own;
        R[q] = of->c[q] - (entry(matrix, count, of->x, q, &own) - of->h_gamma * (sum[q] + of->f[q]));
        terms[q] = own + fabs(of->c[q]) + fabs(of->h_gamma) * (size[q] + fabs(of->f[q]));
    }
    return sens_residual_leave_off(matrix->J->pb->n, of->L, entries_of(matrix),
                                   find_units(matrix, transposed, of->h_gamma), terms, R);
}

void sens_stage_matrix_slope(const struct sens_stage_matrix *matrix, bool transposed, bool refine,
                             const struct sens_stage_slope *of)
{
    const size_t count = matrix->J->pb->n * of->L;
    const sens_real by = fabs(of->h_gamma), *const f = of->f;
    sens_real *const sum = matrix->sum, *const size = sum + count, *const R = size + count;
    sens_real *const x = of->x, *const c = of->c;
    multiply(matrix, transposed, of->L, x);
    if (refine && find_residuals(matrix, transposed, of)) {
        sens_shifted_solve(matrix->system, transposed, of->L, R);
        for (size_t q = 0; q < count; q++)
            if (R[q] != 0) x[q] += R[q];
        multiply(matrix, transposed, of->L, x);
    }
    for (size_t q = 0; q < count; q++) {
        sens_real own;
        const sens_real Mx = entry(matrix, count, x, q, &own), scale = fmax(own, fabs(c[q]));
        c[q] = by * (size[q] + fabs(f[q])) <= scale ? sum[q] + f[q] : (Mx - c[q]) / of->h_gamma;
    }
}
