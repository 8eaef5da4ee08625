/* sens/lanes.h - linear algebra on lane blocks, for problems and methods.
 *
 * A lane block [n][L] holds L vectors of length n, row-major, lane index contiguous. Every sum over a
 * vector index runs in one fixed order that depends neither on L nor on the instruction set: without
 * contraction of a*b+c a lane has the same bits alone and among others. L and every size may be 0. Outputs
 * alias no input. Nothing allocates. */
#ifndef SENS_LANES_H
#define SENS_LANES_H

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

/* out [L] += sum_k a_k V[k], k < count, V [count][L], in four sums, each of a quarter, that do not wait for one
 * another. For a row that belongs to one point: of a sum over points, the last bits would depend on how a batch is
 * cut. */
void sens_lanes_add_row(size_t count, size_t L, const sens_real *a, const sens_real *V, sens_real *out);

/* y [rows] += A x, A [rows][cols], x [cols]. Four interleaved partial sums, an order of its own: not lane
 * 0 of sens_lanes_add_product, which cannot run along a row. */
void sens_matvec(size_t rows, size_t cols, const sens_real *A, const sens_real *x, sens_real *y);

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
