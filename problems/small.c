/* Products with the hand-written Jacobians of small problems:
 *
 *     J V,   J^T W,   columns of F,   MU += sum_k F(t_k, X_k)^T W_k,   dJ^T W,   MU += dF^T W
 *
 * Sums run over states in one order whatever L is, so that a lane does not depend on its neighbours. They stay
 * beside the derived products as an oracle for these. */
#include "small.h"

#include <string.h>
#include <tgmath.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A factor A(i,j) = a[i row + j col], i < rows, j < cols. */
struct factor {
    const sens_real *a;
    size_t rows, cols, row, col;
};

/* OUT = A B, or OUT += A B with `add`, for blocks B [cols][L] and OUT [rows][L]. */
ALWAYS_INLINE void multiply_lanes(const struct factor *A, const bool add, const size_t L,
                                  const sens_real *restrict B, sens_real *restrict OUT)
{
    for (size_t i = 0; i < A->rows; i++) {
        const sens_real *a = A->a + i * A->row;
        sens_real *restrict out = OUT + i * L;
        for (size_t l = 0; l < L; l++) out[l] = add ? out[l] + a[0] * B[l] : a[0] * B[l];
        for (size_t j = 1; j < A->cols; j++)
            for (size_t l = 0; l < L; l++) out[l] += a[j * A->col] * B[j * L + l];
    }
}

/* The same, with the usual numbers of lanes known to the compiler. */
ALWAYS_INLINE void multiply(const struct factor *A, const bool add, size_t L, const sens_real *B,
                            sens_real *OUT)
{
    switch (L) {
    case 1:
        multiply_lanes(A, add, 1, B, OUT);
        break;
    case 2:
        multiply_lanes(A, add, 2, B, OUT);
        break;
    case 4:
        multiply_lanes(A, add, 4, B, OUT);
        break;
    case 8:
        multiply_lanes(A, add, 8, B, OUT);
        break;
    default:
        multiply_lanes(A, add, L, B, OUT);
        break;
    }
}

static const struct small_jacobians *jacobians(const struct sens_problem *pb)
{
    return pb->data;
}

void small_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
               sens_real *OUT)
{
    sens_real J[SMALL_STATES * SMALL_STATES];
    jacobians(pb)->dx(pb, at, J);
    multiply(&(struct factor){J, pb->n, pb->n, 1, pb->n}, false, L, W, OUT);
}

void small_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
               sens_real *OUT)
{
    sens_real J[SMALL_STATES * SMALL_STATES];
    jacobians(pb)->dx(pb, at, J);
    multiply(&(struct factor){J, pb->n, pb->n, pb->n, 1}, false, L, V, OUT);
}

void small_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                      sens_real *OUT)
{
    sens_real F[SMALL_STATES * SMALL_PARAMETERS];
    jacobians(pb)->dp(pb, at, F);
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += F[i * pb->np + k0 + l];
}

void small_vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                       const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const size_t n = pb->n, np = pb->np;
    sens_real F[SMALL_STATES * SMALL_PARAMETERS];
    for (size_t k = 0; k < K; k++) {
        jacobians(pb)->dp(pb, &(struct sens_at){t[k], X + k * n, p}, F);
        multiply(&(struct factor){F, np, n, 1, np}, true, L, W + k * n * L, MU);
    }
}

/* from [count][L], lane l. */
static void pick_lane(size_t count, size_t L, size_t l, const sens_real *from, sens_real *one)
{
    for (size_t q = 0; q < count; q++) one[q] = from ? from[q * L + l] : 0;
}

/* The end of the lanes from `first` on whose direction part from [count][L] is that of `first`, at most `end`. */
static size_t end_of_same(size_t count, size_t L, size_t first, size_t end, const sens_real *from)
{
    for (size_t q = 0; from && q < count; q++)
        for (size_t l = first + 1; l < end; l++)
            if (from[q * L + l] != from[q * L + first]) end = l;
    return end;
}

/* OUT = dJ^T W and MU += dF^T W, for lanes first ... end - 1. */
static void multiply_second(const struct sens_problem *pb, const sens_real *dJ, const sens_real *dF, size_t L,
                            size_t first, size_t end, const sens_real *W, sens_real *OUT, sens_real *MU)
{
    const size_t n = pb->n, np = pb->np;
    for (size_t j = 0; j < n; j++) {
        for (size_t l = first; l < end; l++) OUT[j * L + l] = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t l = first; l < end; l++) OUT[j * L + l] += dJ[i * n + j] * W[i * L + l];
    }
    for (size_t q = 0; MU && q < np; q++)
        for (size_t i = 0; i < n; i++)
            for (size_t l = first; l < end; l++) MU[q * L + l] += dF[i * np + q] * W[i * L + l];
}

/* Lanes with one direction, as an adjoint has them, share its derivatives. */
void small_hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
               const struct sens_direction *v, const sens_real *W, sens_real *OUT, sens_real *MU)
{
    const size_t n = pb->n, np = pb->np;
    sens_real dt, dx[SMALL_STATES], dp[SMALL_PARAMETERS];
    sens_real dJ[SMALL_STATES * SMALL_STATES], dF[SMALL_STATES * SMALL_PARAMETERS];
    for (size_t l = 0, end; l < L; l = end) {
        end = end_of_same(n, L, l, end_of_same(1, L, l, L, v->t), v->x);
        end = end_of_same(np, L, l, end, v->p);
        pick_lane(1, L, l, v->t, &dt), pick_lane(n, L, l, v->x, dx), pick_lane(np, L, l, v->p, dp);
        jacobians(pb)->along(pb, at, &(struct sens_direction){&dt, dx, dp}, dJ, dF);
        multiply_second(pb, dJ, dF, L, l, end, W, OUT, MU);
    }
}

/* Of the loops above: n products and n (n - 1) terms, n np terms, n sums. */
void small_operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const double n = (double)pb->n, np = (double)pb->np;
    ops->rhs = jacobians(pb)->rhs;
    ops->vjp = ops->jvp = n + 2 * n * (n - 1);
    ops->vjp_p = 2 * n * np;
    ops->jvp_p = n;
    ops->jacobian = n * n;
}

/* NULL without memory. */
static const sens_real *copy(struct sens_ctx *ctx, size_t count, const sens_real *v)
{
    sens_real *made = SENS_NEW(ctx, sens_real, count);
    return made ? memcpy(made, v, count * sizeof *v) : NULL;
}

sens_status small_create(struct sens_ctx *ctx, size_t n, const sens_real *x0, size_t np, const sens_real *p,
                         double T, const struct small_jacobians *data, struct sens_problem *pb)
{
    pb->n = n;
    pb->np = np;
    pb->t0 = 0;
    pb->t1 = T;
    pb->x0 = copy(ctx, n, x0);
    pb->p = copy(ctx, np, p);
    pb->data = data;
    return pb->x0 && pb->p ? SENS_OK : SENS_NO_MEMORY;
}

/* ---- identities ---------------------------------------------------------------------------------------- */

size_t small_rows(const struct sens_problem *pb)
{
    return pb->n;
}

void small_homogeneous(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                       const sens_real *S0, sens_real *residual, sens_real *size)
{
    (void)S;
    for (size_t i = 0; i < pb->n; i++) {
        residual[i] = -x1[i], size[i] = fabs(x1[i]);
        for (size_t j = 0; j < pb->n; j++) {
            const sens_real term = S0[i * pb->n + j] * pb->x0[j];
            residual[i] += term, size[i] += fabs(term);
        }
    }
}

void small_time_scaling(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                        const sens_real *S0, sens_real *residual, sens_real *size)
{
    const sens_real T = pb->t1 - pb->t0;
    const struct sens_at end = {pb->t1, x1, pb->p};
    sens_real f[SMALL_STATES];
    (void)S0;
    const bool defined = pb->type->rhs(pb, &end, f) == SENS_OK;
    for (size_t i = 0; i < pb->n; i++) {
        residual[i] = defined ? -T * f[i] : (sens_real)NAN, size[i] = fabs(residual[i]);
        for (size_t k = 0; k < pb->np; k++) {
            const sens_real term = pb->p[k] * S[i * pb->np + k];
            residual[i] += term, size[i] += fabs(term);
        }
    }
}

/* Swaps rows a and b of M. */
static void swap_rows(size_t n, sens_real *M, size_t a, size_t b)
{
    for (size_t j = 0; j < n; j++) {
        const sens_real kept = M[a * n + j];
        M[a * n + j] = M[b * n + j], M[b * n + j] = kept;
    }
}

sens_real small_determinant(size_t n, const sens_real *A, sens_real *size)
{
    sens_real M[SMALL_STATES * SMALL_STATES], det = 1;
    memcpy(M, A, n * n * sizeof *A);
    *size = 1;
    for (size_t k = 0; k < n; k++) {
        sens_real row = 0;
        size_t pivot = k;
        for (size_t j = 0; j < n; j++) row += fabs(A[k * n + j]);
        for (size_t i = k + 1; i < n; i++)
            if (fabs(M[i * n + k]) > fabs(M[pivot * n + k])) pivot = i;
        if (pivot != k) swap_rows(n, M, k, pivot), det = -det;
        det *= M[k * n + k], *size *= row;
        for (size_t i = k + 1; i < n && M[k * n + k] != 0; i++) {
            const sens_real factor = M[i * n + k] / M[k * n + k];
            for (size_t j = k; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
        }
    }
    return det;
}
