/* Linear algebra on lane blocks, see sens/lanes.h.
 *
 *     OUT[r][l] += sum_k A(r, k) V(k, l),  k ascending
 *
 * in register blocks (register_block.h) of the rows where they stand, by tiles of k; lanes that are scaled
 * are first copied into a tile. A row of one point has four sums (row_kernel.h). And products with sparse and with
 * diagonal matrices. */
#include "sens/lanes.h"

#include "register_block.h"

#define KERNEL         row_vector
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "row_kernel.h"

#define KERNEL         row_half
#define TYPE           half
#define TYPE_IN_MEMORY half_in_memory
#include "row_kernel.h"

#define KERNEL         row_lane
#define TYPE           sens_real
#define TYPE_IN_MEMORY sens_real
#include "row_kernel.h"

enum {
    TILE_LANES = 2 * VECTOR, /* lanes of a tile */
    TILE_DEPTH = 64          /* k of a tile: it stays in the first-level cache */
};

/* tile[k][l] = V(k0 + k, l0 + l), k < depth, l < lanes */
ALWAYS_INLINE void scale_tile(struct sens_lanes V, size_t k0, size_t l0, size_t depth, size_t lanes,
                              sens_real *restrict tile)
{
    for (size_t k = 0; k < depth; k++) {
        const sens_real *v = V.v + (k0 + k) * V.step + l0, s = V.scale[(k0 + k) * V.scale_step];
        for (size_t l = 0; l < lanes; l++) tile[k * lanes + l] = s * v[l];
    }
}

/* All rows of a tile, a few at a time. */
static void tile_rows(size_t rows, size_t lanes, const struct panel *tile, const sens_real *b, sens_real *out)
{
    struct panel q = *tile;
    for (size_t r = 0; r < rows; r += FEW_ROWS, q.a += FEW_ROWS * q.row_step) {
        q.first = out + r * q.out_step;
        panel_product(rows - r < FEW_ROWS ? rows - r : FEW_ROWS, lanes, true, STRIDED, &q, b, q.first);
    }
}

/* The lanes [l0, l0 + lanes) of a product. */
static void product_lanes(struct sens_matrix A, struct sens_lanes V, size_t L, size_t l0, size_t lanes,
                          sens_real *OUT)
{
    sens_real tile[TILE_DEPTH * TILE_LANES];
    struct panel q = {.a_step = A.col_step, .row_step = A.row_step, .out_step = L};
    for (size_t k0 = 0; k0 < A.cols; k0 += TILE_DEPTH) {
        const sens_real *b = V.scale ? tile : V.v + k0 * V.step + l0;
        q.depth = A.cols - k0 < TILE_DEPTH ? A.cols - k0 : TILE_DEPTH;
        q.a = A.a + k0 * A.col_step;
        q.b_step = V.scale ? lanes : V.step;
        if (V.scale && lanes == TILE_LANES)
            scale_tile(V, k0, l0, q.depth, TILE_LANES, tile);
        else if (V.scale && lanes == 1)
            scale_tile(V, k0, l0, q.depth, 1, tile);
        else if (V.scale)
            scale_tile(V, k0, l0, q.depth, lanes, tile);
        if (L > 1)
            tile_rows(A.rows, lanes, &q, b, OUT + l0);
        else if (A.row_step == 1)
            single_lane_along_rows(A.rows, &q, b, OUT);
        else
            single_lane_by_rows(A.rows, &q, b, OUT);
    }
}

void sens_lanes_add_product(struct sens_matrix A, struct sens_lanes V, size_t L, sens_real *OUT)
{
    for (size_t l0 = 0; l0 < L; l0 += TILE_LANES)
        product_lanes(A, V, L, l0, L - l0 < TILE_LANES ? L - l0 : TILE_LANES, OUT);
}

void sens_lanes_add_row(size_t count, size_t L, const sens_real *a, const sens_real *V, sens_real *out)
{
    size_t l = 0;
    for (; l + VECTOR <= L; l += VECTOR) row_vector(count, L, a, V + l, out + l);
    for (; l + HALF <= L; l += HALF) row_half(count, L, a, V + l, out + l);
    for (; l < L; l++) row_lane(count, L, a, V + l, out + l);
}

ALWAYS_INLINE void csr_body(size_t L, const struct sens_csr *A, const sens_real *V, sens_real *restrict OUT)
{
    for (size_t r = 0; r < A->rows; r++)
        for (size_t e = A->start[r]; e < A->start[r + 1]; e++)
            for (size_t l = 0; l < L; l++) OUT[r * L + l] += A->value[e] * V[A->col[e] * L + l];
}

void sens_lanes_add_csr(struct sens_csr A, size_t L, const sens_real *V, sens_real *OUT)
{
    switch (L) {
        CASE(1, csr_body, &A, V, OUT)
        CASE(2, csr_body, &A, V, OUT)
        CASE(4, csr_body, &A, V, OUT)
        CASE(8, csr_body, &A, V, OUT)
        CASE(16, csr_body, &A, V, OUT)
    default:
        csr_body(L, &A, V, OUT);
    }
}

ALWAYS_INLINE void csr_transposed_body(size_t L, const struct sens_csr *A, const sens_real *W,
                                       sens_real *restrict OUT)
{
    for (size_t r = 0; r < A->rows; r++)
        for (size_t e = A->start[r]; e < A->start[r + 1]; e++)
            for (size_t l = 0; l < L; l++) OUT[A->col[e] * L + l] += A->value[e] * W[r * L + l];
}

void sens_lanes_add_csr_transposed(struct sens_csr A, size_t L, const sens_real *W, sens_real *OUT)
{
    switch (L) {
        CASE(1, csr_transposed_body, &A, W, OUT)
        CASE(2, csr_transposed_body, &A, W, OUT)
        CASE(4, csr_transposed_body, &A, W, OUT)
        CASE(8, csr_transposed_body, &A, W, OUT)
        CASE(16, csr_transposed_body, &A, W, OUT)
    default:
        csr_transposed_body(L, &A, W, OUT);
    }
}

/* OUT = s W + u OUT, or s W where u is NULL. */
ALWAYS_INLINE void rows_body(size_t L, size_t n, const sens_real *s, const sens_real *W, const sens_real *u,
                             sens_real *restrict OUT)
{
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < L; l++)
            OUT[i * L + l] = u ? s[i] * W[i * L + l] + u[i] * OUT[i * L + l] : s[i] * W[i * L + l];
}

/* Rows of at least one vector; the last of a row is stored twice in part, which does no harm. */
ALWAYS_INLINE void scale_body(size_t L, size_t n, const sens_real *s, const sens_real *W, sens_real *OUT)
{
    for (size_t i = 0; i < n; i++, W += L, OUT += L) {
        const sens_real s_i = s[i];
        for (size_t l = 0; l + VECTOR <= L; l += VECTOR)
            *(vector_in_memory *)&OUT[l] = s_i * *(const vector_in_memory *)&W[l];
        if (L % VECTOR)
            *(vector_in_memory *)&OUT[L - VECTOR] = s_i * *(const vector_in_memory *)&W[L - VECTOR];
    }
}

void sens_lanes_scale_rows(size_t n, size_t L, const sens_real *s, const sens_real *W, sens_real *OUT)
{
    switch (L) {
        CASE(1, rows_body, n, s, W, NULL, OUT)
        CASE(4, rows_body, n, s, W, NULL, OUT)
        CASE(8, rows_body, n, s, W, NULL, OUT)
        CASE(16, rows_body, n, s, W, NULL, OUT)
    default:
        if (L < VECTOR)
            rows_body(L, n, s, W, NULL, OUT);
        else
            scale_body(L, n, s, W, OUT);
    }
}

void sens_lanes_combine_rows(size_t n, size_t L, const sens_real *s, const sens_real *W, const sens_real *u,
                             sens_real *OUT)
{
    switch (L) {
        CASE(1, rows_body, n, s, W, u, OUT)
        CASE(4, rows_body, n, s, W, u, OUT)
        CASE(8, rows_body, n, s, W, u, OUT)
        CASE(16, rows_body, n, s, W, u, OUT)
    default:
        rows_body(L, n, s, W, u, OUT);
    }
}

void sens_lanes_axpy(size_t n, size_t L, sens_real a, const sens_real *X, sens_real *restrict Y)
{
    for (size_t i = 0; i < n * L; i++) Y[i] += a * X[i];
}
