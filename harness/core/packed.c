/* Products of one matrix with many lane blocks, see sens/lanes.h.
 *
 *     OUT(r, l) (+)= sum_k A(r, k) V(k, l),   k ascending from OUT or from 0
 *
 * Register blocking after Goto and van de Geijn, ACM TOMS 34 (2008). The rows are split evenly into panels
 * of at most PANEL, so that no panel is left with a row or two whose sums would wait for each other. */
#include "vectors.h"

#include "sens/lanes.h"

enum {
    PANEL = 12, /* rows of a panel: as many sums of one vector as 16 registers hold with operands */
    PAIR = REGISTERS * 3 / 8 /* the same for two vectors */
};

struct panel { /* rows of A: A(r, k) = a[k * a_step + r], k < depth */
    const sens_real *a;
    size_t a_step, depth;
    size_t b_step, out_step;
};

#define KERNEL         kernel_vectors
#define WIDTH          VECTOR
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "packed_kernel.h"

#define KERNEL         kernel_half
#define WIDTH          HALF
#define TYPE           half
#define TYPE_IN_MEMORY half_in_memory
#include "packed_kernel.h"

enum width { PAIRED, SINGLE, HALVED }; /* lanes of a register block: 2 VECTOR, VECTOR, HALF */

ALWAYS_INLINE void block(const size_t R, const enum width width, const bool add, const struct panel *q,
                         const sens_real *b, sens_real *out)
{
    if (width == HALVED)
        kernel_half(R, 1, add, q, b, out);
    else
        kernel_vectors(R, width == PAIRED ? 2 : 1, add, q, b, out);
}

ALWAYS_INLINE void choose_rows(size_t R, const enum width width, const bool add, const struct panel *q,
                               const sens_real *b, sens_real *out)
{
    switch (R) {
    case 1:
        block(1, width, add, q, b, out);
        return;
    case 2:
        block(2, width, add, q, b, out);
        return;
    case 3:
        block(3, width, add, q, b, out);
        return;
    case 4:
        block(4, width, add, q, b, out);
        return;
    case 5:
        block(5, width, add, q, b, out);
        return;
    case 6:
        block(6, width, add, q, b, out);
        return;
    default:
        break;
    }
    if (width == PAIRED && PAIR <= 6) return; /* the caller asks for no more */
    switch (R) {
    case 7:
        block(7, width, add, q, b, out);
        return;
    case 8:
        block(8, width, add, q, b, out);
        return;
    case 9:
        block(9, width, add, q, b, out);
        return;
    case 10:
        block(10, width, add, q, b, out);
        return;
    case 11:
        block(11, width, add, q, b, out);
        return;
    default:
        block(PANEL, width, add, q, b, out);
        return;
    }
}

/* Pairs of vectors hold fewer rows at a time. */
ALWAYS_INLINE void paired(size_t R, const bool add, const struct panel *q, const sens_real *b, sens_real *out)
{
    struct panel part = *q;
    for (size_t left = R, parts = (R + PAIR - 1) / PAIR; parts > 0; parts--) {
        const size_t rows = (left + parts - 1) / parts;
        choose_rows(rows, PAIRED, add, &part, b, out);
        part.a += rows, out += rows * q->out_step, left -= rows;
    }
}

/* w < VECTOR lanes, beside OUT in a block of a whole vector or half of one; the rest is dropped. */
static void ragged(size_t R, size_t w, bool add, const struct panel *q, const sens_real *b, sens_real *out)
{
    enum { DEPTH = 64 };
    const size_t width = w > HALF ? VECTOR : HALF;
    sens_real tile[DEPTH * VECTOR] = {0}, edge[PANEL * VECTOR] = {0};
    struct panel part = *q;
    part.b_step = part.out_step = width;
    for (size_t r = 0; add && r < R; r++)
        for (size_t l = 0; l < w; l++) edge[r * width + l] = out[r * q->out_step + l];
    for (size_t k0 = 0; k0 < q->depth; k0 += DEPTH, part.a += DEPTH * q->a_step) {
        part.depth = q->depth - k0 < DEPTH ? q->depth - k0 : DEPTH;
        for (size_t k = 0; k < part.depth; k++)
            for (size_t l = 0; l < w; l++) tile[k * width + l] = b[(k0 + k) * q->b_step + l];
        if (width == VECTOR)
            choose_rows(R, SINGLE, true, &part, tile, edge);
        else
            choose_rows(R, HALVED, true, &part, tile, edge);
    }
    for (size_t r = 0; r < R; r++)
        for (size_t l = 0; l < w; l++) out[r * q->out_step + l] = edge[r * width + l];
}

/* R rows of all L lanes. */
ALWAYS_INLINE void panel_product(size_t R, size_t L, const bool add, const struct panel *q,
                                 const sens_real *V, sens_real *OUT)
{
    size_t l = 0;
    for (; l + 2 * VECTOR <= L; l += 2 * VECTOR) paired(R, add, q, V + l, OUT + l);
    if (l + VECTOR <= L) {
        choose_rows(R, SINGLE, add, q, V + l, OUT + l);
        l += VECTOR;
    }
    if (l + HALF == L)
        choose_rows(R, HALVED, add, q, V + l, OUT + l);
    else if (l < L)
        ragged(R, L - l, add, q, V + l, OUT + l);
}

/* ---- the matrix ---------------------------------------------------------------------------------------- */

/* Rows of each of the panels left: as even as can be. */
static size_t next_panel(size_t rows_left)
{
    if (rows_left <= PANEL) return rows_left;
    const size_t panels = (rows_left + PANEL - 1) / PANEL;
    return (rows_left + panels - 1) / panels;
}

struct sens_packed sens_pack(struct sens_matrix A, sens_real *memory)
{
    for (size_t r = 0, R; r < A.rows; r += R) {
        R = next_panel(A.rows - r);
        sens_real *restrict panel = memory + r * A.cols;
        for (size_t k = 0; k < A.cols; k++) {
            const sens_real *a = A.a + r * A.row_step + k * A.col_step;
            for (size_t q = 0; q < R; q++) panel[k * R + q] = a[q * A.row_step];
        }
    }
    return (struct sens_packed){.rows = A.rows, .cols = A.cols, .a = memory};
}

struct sens_packed sens_packed_view(size_t rows, size_t cols, const sens_real *a, size_t step)
{
    return (struct sens_packed){.rows = rows, .cols = cols, .a = a, .step = step};
}

/* A single lane of a matrix whose rows are contiguous: the sums run along them, four k at a time. */
static void single_lane(const struct sens_packed *A, bool add, const sens_real *restrict v,
                        sens_real *restrict out)
{
    const size_t step = A->step;
    const sens_real *restrict a = A->a;
    size_t k = 0;
    for (size_t r = 0; !add && r < A->rows; r++) out[r] = 0;
    for (; k + 4 <= A->cols; k += 4, a += 4 * step) {
        const sens_real v0 = v[k], v1 = v[k + 1], v2 = v[k + 2], v3 = v[k + 3];
        for (size_t r = 0; r < A->rows; r++)
            out[r] = out[r] + a[r] * v0 + a[r + step] * v1 + a[r + 2 * step] * v2 + a[r + 3 * step] * v3;
    }
    for (; k < A->cols; k++, a += step)
        for (size_t r = 0; r < A->rows; r++) out[r] += a[r] * v[k];
}

ALWAYS_INLINE void product(const struct sens_packed *A, size_t L, const bool add, const sens_real *V,
                           sens_real *OUT)
{
    struct panel q = {.depth = A->cols, .b_step = L, .out_step = L};
    if (L == 1 && A->step) {
        single_lane(A, add, V, OUT);
        return;
    }
    for (size_t r = 0, R; r < A->rows; r += R) {
        R = next_panel(A->rows - r);
        q.a = A->step ? A->a + r : A->a + r * A->cols;
        q.a_step = A->step ? A->step : R;
        panel_product(R, L, add, &q, V, OUT + r * L);
    }
}

void sens_packed_multiply(const struct sens_packed *A, size_t L, const sens_real *V, sens_real *OUT)
{
    product(A, L, false, V, OUT);
}

void sens_packed_add_product(const struct sens_packed *A, size_t L, const sens_real *V, sens_real *OUT)
{
    product(A, L, true, V, OUT);
}
