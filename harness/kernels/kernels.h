/* kernels/kernels.h - the lane kernels of our own methods, beside those of sens/lanes.h that a module outside
 * the tree has, too. What is said there holds here: fixed orders of summation, any sizes,
 * nothing allocates. */
#ifndef SENS_KERNELS_H
#define SENS_KERNELS_H

#include <stdbool.h>

#include "sens/lanes.h"

/* ---- one matrix, many products ------------------------------------------------------------------------- */

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

/* Numbers of a vector of these kernels, at most `bytes` of them, as many as a core multiplies at its full rate. */
size_t sens_full_vector(size_t bytes);

/* ---- sums of blocks ------------------------------------------------------------------------------------ */

/* out[q] = sum_j (scale w[j]) v[j][q], q < size, j < terms, terms >= 1; out may be one of the v. */
void sens_lanes_combine(size_t size, int terms, sens_real scale, const sens_real *w,
                        const sens_real *const *v, sens_real *out);

/* out[q] = base[q] + that, terms >= 0; out may be base, too. */
void sens_lanes_combine_onto(size_t size, int terms, sens_real scale, const sens_real *w,
                             const sens_real *const *v, const sens_real *base, sens_real *out);

/* u [n][L] = diag(s) kappa, kappa = sum_j (scale w[j]) v[j] as above, and beside it, in the same pass, other
 * = diag(d) kappa, or kappa where d is NULL. */
void sens_lanes_combine_scaled(size_t n, size_t L, int terms, sens_real scale, const sens_real *w,
                               const sens_real *const *v, const sens_real *s, sens_real *u,
                               const sens_real *d, sens_real *other);

/* rows [width][n] = the first `width` <= L lanes of block [n][L], transposed. false: one of these numbers is
 * not finite. */
bool sens_lanes_to_rows(size_t n, size_t L, size_t width, const sens_real *block, sens_real *rows);

/* ---- a reverse sweep ----------------------------------------------------------------------------------- */

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

#endif
