/* sens/lanes.h - linear algebra on lane blocks, for problems and methods.
 *
 * A lane block [n][L] holds L vectors of length n, row-major, lane index contiguous. Every sum over a
 * vector index runs in one fixed order that depends neither on L nor on the instruction set: without
 * contraction of a*b+c a lane has the same bits alone and among others. L and every size may be 0. Outputs
 * alias no input. Nothing allocates. */
#ifndef SENS_LANES_H
#define SENS_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "sens/real.h"

/* A(r, k) = a[r * row_step + k * col_step] for r < rows, k < cols; steps may be 0 (a constant matrix). */
struct sens_matrix {
    size_t rows, cols;
    const sens_real *a;
    size_t row_step, col_step;
};

/* V(k, l) = scale[k * scale_step] * v[k * step + l]; scale NULL stands for ones. */
struct sens_lanes {
    const sens_real *v;
    size_t step;
    const sens_real *scale;
    size_t scale_step;
};

/* The matrix a [rows][cols]. */
static inline struct sens_matrix sens_dense(size_t rows, size_t cols, const sens_real *a)
{
    return (struct sens_matrix){.rows = rows, .cols = cols, .a = a, .row_step = cols, .col_step = 1};
}

/* The transpose of a [rows][cols]. */
static inline struct sens_matrix sens_dense_transposed(size_t rows, size_t cols, const sens_real *a)
{
    return (struct sens_matrix){.rows = cols, .cols = rows, .a = a, .row_step = 1, .col_step = cols};
}

/* OUT [rows][L] += A V. With the right steps this is a dense product, its transpose, and the sum over k of
 * the outer products u_k w_k^T that a batch of parameter cotangents is made of. */
void sens_lanes_add_product(struct sens_matrix A, struct sens_lanes V, size_t L, sens_real *OUT);

/* y [rows] += A x, A [rows][cols], x [cols]. Four interleaved partial sums, an order of its own: not lane
 * 0 of sens_lanes_add_product, which cannot run along a row. */
void sens_matvec(size_t rows, size_t cols, const sens_real *A, const sens_real *x, sens_real *y);

/* A matrix laid out for many products: a[k * step + r], or (step 0) in the order that sens_pack chooses. */
struct sens_packed {
    size_t rows, cols;
    const sens_real *a;
    size_t step;
};

/* A copied into `memory` [rows * cols], which has to stay. Worth it from a few products of a matrix that does
 * not fit the first-level cache, or whose columns are not contiguous. */
struct sens_packed sens_pack(struct sens_matrix A, sens_real *memory);

/* The matrix A(r, k) = a[k * step + r], step >= rows, where it stands: the transpose of a row-major one. */
struct sens_packed sens_packed_view(size_t rows, size_t cols, const sens_real *a, size_t step);

/* OUT [rows][L] = A V and OUT += A V, V [cols][L]. */
void sens_packed_multiply(const struct sens_packed *A, size_t L, const sens_real *V, sens_real *OUT);
void sens_packed_add_product(const struct sens_packed *A, size_t L, const sens_real *V, sens_real *OUT);

/* Several blocks at once, which each panel of A serves: V_c(k, l) = v[k * v_step + c * L + l], k < cols, c <
 * count, and OUT_c = out + c * out_step. Row 0 of OUT_c lies apart, at first + c * first_step, unless first
 * is NULL; `out` then starts with row 1. */
struct sens_many {
    size_t count;
    const sens_real *v;
    size_t v_step;
    sens_real *out;
    size_t out_step;
    sens_real *first;
    size_t first_step;
    const sens_real *next; /* the v of the blocks after these, which is asked for meanwhile; NULL: none */
};

/* OUT_c = A V_c, or OUT_c += A V_c with `add`, for all c. */
void sens_packed_many(const struct sens_packed *A, size_t L, bool add, const struct sens_many *many);

/* A stage of a reverse sweep: theta [n][L] = J^T sum_j (scale w_j) v_j, j < terms, terms >= 1. */
struct sens_stage {
    int terms;
    const sens_real *w;
    const sens_real *const *v; /* [terms] of [n][L]; may be the theta of stages before */
    sens_real *theta;
};

/* So few states are faster taken a step at a time than a stage at a time (L = 8 or 4). */
enum { SENS_FEW_STATES = 8 };

/* One stage after the other: kappa [count][n][L] are the sums, as by sens_lanes_combine, J [count][n][n].
 * Then lambda [n][L], which may be among the v, += the sum of the theta; NULL: left alone. Faster than one
 * call each where states are few. */
void sens_lanes_stages(size_t n, size_t L, size_t count, const struct sens_stage *stage, sens_real scale,
                       const sens_real *J, sens_real *kappa, sens_real *lambda);

/* Rows that lie apart, V(k, l) = v[k * v_step + l], with their factors s_k = s[k * s_step], k < depth. */
struct sens_gather {
    size_t depth;
    const sens_real *v;
    size_t v_step;
    const sens_real *s;
    size_t s_step;
};

/* So many sums of one vector fit the registers, with their operands. */
enum { SENS_FEW_COLUMNS = 12 };

/* out_q [L] += sum_k phi[k cols + q] s_k V(k, :), or = without `add`, q < cols: in one pass where the sums
 * fit the registers. false: they do not, and nothing is done. */
bool sens_lanes_add_gathered(const struct sens_gather *g, size_t L, size_t cols, const sens_real *phi,
                             bool add, sens_real *const *out);

/* rows [width][n] = the first `width` <= L lanes of block [n][L], transposed. false: one of these numbers is
 * not finite. */
bool sens_lanes_to_rows(size_t n, size_t L, size_t width, const sens_real *block, sens_real *rows);

/* out[q] = sum_j (scale w[j]) v[j][q], q < size, j < terms, terms >= 1; out may be one of the v. */
void sens_lanes_combine(size_t size, int terms, sens_real scale, const sens_real *w,
                        const sens_real *const *v, sens_real *out);

/* u [n][L] = diag(s) kappa, kappa = sum_j (scale w[j]) v[j] as above, and beside it, in the same pass, other
 * = diag(d) kappa, or kappa where d is NULL. */
void sens_lanes_combine_scaled(size_t n, size_t L, int terms, sens_real scale, const sens_real *w,
                               const sens_real *const *v, const sens_real *s, sens_real *u,
                               const sens_real *d, sens_real *other);

/* Compressed sparse rows: row r holds value[e] in column col[e], start[r] <= e < start[r + 1]. */
struct sens_csr {
    size_t rows, cols;
    const size_t *start; /* [rows + 1] */
    const size_t *col;
    const sens_real *value;
};

/* OUT [rows][L] += A V, V [cols][L]. */
void sens_lanes_add_csr(struct sens_csr A, size_t L, const sens_real *V, sens_real *OUT);

/* OUT [cols][L] += A^T W, W [rows][L]. */
void sens_lanes_add_csr_transposed(struct sens_csr A, size_t L, const sens_real *W, sens_real *OUT);

/* OUT[i][l] = s[i] W[i][l], i < n. */
void sens_lanes_scale_rows(size_t n, size_t L, const sens_real *s, const sens_real *W, sens_real *OUT);

/* OUT[i][l] = s[i] W[i][l] + u[i] OUT[i][l], i < n. */
void sens_lanes_combine_rows(size_t n, size_t L, const sens_real *s, const sens_real *W, const sens_real *u,
                             sens_real *OUT);

/* Y[i][l] += a X[i][l], i < n. */
void sens_lanes_axpy(size_t n, size_t L, sens_real a, const sens_real *X, sens_real *Y);

#endif
