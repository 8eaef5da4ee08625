/* M x' = f(t, x, p) solved for x': x' = M^-1 f, with the products
 *
 *     J V -> M^-1 (J V),   J^T W -> J^T (M^-T W),   and likewise by p. */
#include <gsl/gsl_linalg.h>
#include <string.h>

#include "decorate.h"

enum { MOST = DECORATE_FAINT_MOST };

/* out = A in, or A^T in, A [n][n] */
static void multiply(size_t n, const double *A, bool transposed, const double *in, double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t j = 0; j < n; j++) out[i] += (transposed ? A[j * n + i] : A[i * n + j]) * in[j];
    }
}

static void take_lane(size_t n, size_t L, size_t l, const double *block, double *lane)
{
    for (size_t i = 0; i < n; i++) lane[i] = block[i * L + l];
}

static void put_lane(size_t n, size_t L, size_t l, const double *lane, double *block)
{
    for (size_t i = 0; i < n; i++) block[i * L + l] = lane[i];
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    double f[MOST];
    const sens_status status = pb->inner->type->rhs(pb->inner, at, f);
    if (status == SENS_OK) multiply(pb->n, pb->data, false, f, dx);
    return status;
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    double in[MOST], product[MOST], out[MOST];
    for (size_t l = 0; l < L; l++) {
        take_lane(pb->n, L, l, V, in);
        pb->inner->type->jvp(pb->inner, at, 1, in, product);
        multiply(pb->n, pb->data, false, product, out);
        put_lane(pb->n, L, l, out, OUT);
    }
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    double in[MOST], solved[MOST], out[MOST];
    for (size_t l = 0; l < L; l++) {
        take_lane(pb->n, L, l, W, in);
        multiply(pb->n, pb->data, true, in, solved);
        pb->inner->type->vjp(pb->inner, at, 1, solved, out);
        put_lane(pb->n, L, l, out, OUT);
    }
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    double out[MOST];
    for (size_t l = 0; l < L; l++) {
        double column[MOST] = {0};
        pb->inner->type->jvp_p_cols(pb->inner, at, k0 + l, 1, column);
        multiply(pb->n, pb->data, false, column, out);
        for (size_t i = 0; i < pb->n; i++) OUT[i * L + l] += out[i];
    }
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const size_t n = pb->n;
    double in[MOST], solved[MOST];
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) {
            double mu[MOST] = {0};
            take_lane(n, L, l, W + k * n * L, in);
            multiply(n, pb->data, true, in, solved);
            pb->inner->type->vjp_p_batch(pb->inner, 1, t + k, X + k * n, p, 1, solved, mu);
            for (size_t q = 0; q < pb->np; q++) MU[q * L + l] += mu[q];
        }
}

/* [n][n]; the arena's */
static double *inverse_of(struct verify *v, const struct sens_mass *mass)
{
    const struct sens_pattern *const pattern = &mass->pattern;
    const size_t n = pattern->rows;
    double *const dense = verify_array(v, n * n), *const inverse = verify_array(v, n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            dense[i * n + pattern->col[e]] = mass->value[e];
    gsl_matrix_view M = gsl_matrix_view_array(dense, n, n), made = gsl_matrix_view_array(inverse, n, n);
    gsl_permutation *const rows = gsl_permutation_alloc(n);
    int sign;
    if (!rows) return NULL;
    gsl_linalg_LU_decomp(&M.matrix, rows, &sign);
    gsl_linalg_LU_invert(&M.matrix, rows, &made.matrix);
    gsl_permutation_free(rows);
    return inverse;
}

bool decorate_solved(struct verify *v, const struct sens_problem *inner, struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {
        .type = {.rhs = rhs, .vjp = vjp, .jvp = jvp, .jvp_p_cols = jvp_p_cols, .vjp_p_batch = vjp_p_batch}};
    const double *const inverse = inverse_of(v, inner->mass);
    if (!inverse) return false;
    decorate_wrap(v, inner, &with, inverse, problem);
    problem->mass = NULL;
    return true;
}
