/* kernels/register_block.h - products of a few rows with all lanes of a block, whose sums are held in
 * registers: what packed.c and lanes.c are made of.
 *
 *     OUT(r, l) (+)= sum_k A(r, k) V(k, l),   k ascending from OUT or from 0
 *
 * Register blocking after Goto and van de Geijn, ACM TOMS 34 (2008). */
#ifndef SENS_REGISTER_BLOCK_H
#define SENS_REGISTER_BLOCK_H

#include "vectors.h"

enum {
    PANEL = 12, /* rows of a panel: as many sums of one vector as 16 registers hold with operands */
    PAIR = REGISTERS * 3 / 8, /* the same for two vectors */
    FEW_ROWS = 6              /* of a strided panel, whose rows need a pointer each */
};

enum layout { CONTIGUOUS, STRIDED }; /* is row_step of a panel 1? */

struct panel { /* rows of A: A(r, k) = a[k * a_step + r * row_step], k < depth */
    const sens_real *a;
    size_t a_step, row_step, depth;
    size_t b_step, out_step;
    size_t ahead;     /* rows to the sums that are wanted next but one, or so: they may come from far */
    sens_real *first; /* where row 0 of the panel's OUT is */
};

#define KERNEL         kernel_vectors
#define WIDTH          VECTOR
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "register_kernel.h"

#define KERNEL         kernel_half
#define WIDTH          HALF
#define TYPE           half
#define TYPE_IN_MEMORY half_in_memory
#include "register_kernel.h"

enum width { PAIRED, SINGLE, HALVED }; /* lanes of a register block: 2 VECTOR, VECTOR, HALF */

ALWAYS_INLINE void block(const size_t R, const enum width width, const bool add, const enum layout layout,
                         const struct panel *q, const sens_real *b, sens_real *out)
{
    if (width == HALVED)
        kernel_half(R, 1, add, layout, q, b, out);
    else
        kernel_vectors(R, width == PAIRED ? 2 : 1, add, layout, q, b, out);
}

ALWAYS_INLINE void choose_rows(size_t R, const enum width width, const bool add, const enum layout layout,
                               const struct panel *q, const sens_real *b, sens_real *out)
{
    switch (R) {
        CASES_1_TO_6(block, width, add, layout, q, b, out)
    default:
        break;
    }
    if (layout == STRIDED || (width == PAIRED && PAIR <= FEW_ROWS)) return; /* the caller asks for no more */
    switch (R) {
        CASES_7_TO_12(block, width, add, layout, q, b, out)
    default:
        return;
    }
}

/* Pairs of vectors hold fewer rows at a time. */
ALWAYS_INLINE void paired(size_t R, const bool add, const enum layout layout, const struct panel *q,
                          const sens_real *b, sens_real *out)
{
    struct panel part = *q;
    for (size_t left = R, parts = (R + PAIR - 1) / PAIR; parts > 0; parts--) {
        const size_t rows = (left + parts - 1) / parts;
        choose_rows(rows, PAIRED, add, layout, &part, b, out);
        part.a += layout == CONTIGUOUS ? rows : rows * q->row_step, out += rows * q->out_step, left -= rows;
        part.first = out;
    }
}

/* w lanes, and zeros behind them up to `width`. */
static inline void pad(size_t w, size_t width, const sens_real *from, sens_real *to)
{
    for (size_t l = 0; l < w; l++) to[l] = from[l];
    for (size_t l = w; l < width; l++) to[l] = 0;
}

/* w < VECTOR lanes, beside OUT in a block of a whole vector or half of one; the rest is dropped. */
static inline void ragged(size_t R, size_t w, bool add, const enum layout layout, const struct panel *q,
                          const sens_real *b, sens_real *out)
{
    enum { DEPTH = 64 };
    const size_t width = w > HALF ? VECTOR : HALF, step = q->out_step;
    sens_real tile[DEPTH * VECTOR], edge[PANEL * VECTOR];
    struct panel part = *q;
    part.b_step = part.out_step = width;
    part.first = edge;
    for (size_t r = 0; r < R; r++) pad(add ? w : 0, width, r ? out + r * step : q->first, edge + r * width);
    for (size_t k0 = 0; k0 < q->depth; k0 += DEPTH, part.a += DEPTH * q->a_step) {
        part.depth = q->depth - k0 < DEPTH ? q->depth - k0 : DEPTH;
        for (size_t k = 0; k < part.depth; k++) pad(w, width, b + (k0 + k) * q->b_step, tile + k * width);
        if (width == VECTOR)
            choose_rows(R, SINGLE, true, layout, &part, tile, edge);
        else
            choose_rows(R, HALVED, true, layout, &part, tile, edge);
    }
    for (size_t r = 0; r < R; r++)
        for (size_t l = 0; l < w; l++) (r ? out + r * step : q->first)[l] = edge[r * width + l];
}

/* R rows of all L lanes. */
ALWAYS_INLINE void panel_product(size_t R, size_t L, const bool add, const enum layout layout,
                                 const struct panel *q, const sens_real *V, sens_real *OUT)
{
    struct panel part = *q;
    size_t l = 0;
    for (; l + 2 * VECTOR <= L; l += 2 * VECTOR, part.first += 2 * VECTOR)
        paired(R, add, layout, &part, V + l, OUT + l);
    if (l + VECTOR <= L) {
        choose_rows(R, SINGLE, add, layout, &part, V + l, OUT + l);
        l += VECTOR, part.first += VECTOR;
    }
    if (l + HALF == L)
        choose_rows(R, HALVED, add, layout, &part, V + l, OUT + l);
    else if (l < L)
        ragged(R, L - l, add, layout, &part, V + l, OUT + l);
}

/* out[r] += sum_k A(r, k) b[k * b_step], a single lane of any rows: four independent sums hide the latency. */
static __attribute__((noinline)) void single_lane_by_rows(size_t rows, const struct panel *q,
                                                          const sens_real *b, sens_real *out)
{
    const size_t rs = q->row_step, cs = q->a_step;
    size_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        const sens_real *a = q->a + r * rs;
        sens_real s0 = out[r], s1 = out[r + 1], s2 = out[r + 2], s3 = out[r + 3];
        for (size_t k = 0; k < q->depth; k++, a += cs) {
            const sens_real b_k = b[k * q->b_step];
            s0 += a[0] * b_k;
            s1 += a[rs] * b_k;
            s2 += a[2 * rs] * b_k;
            s3 += a[3 * rs] * b_k;
        }
        out[r] = s0, out[r + 1] = s1, out[r + 2] = s2, out[r + 3] = s3;
    }
    for (; r < rows; r++) {
        sens_real sum = out[r];
        for (size_t k = 0; k < q->depth; k++) sum += q->a[r * rs + k * cs] * b[k * q->b_step];
        out[r] = sum;
    }
}

/* The same of contiguous rows, at least VECTOR of them: NV vectors run along them, the last one ends with the last row
 * and may share rows with the one before, which both sum alike. */
ALWAYS_INLINE void along_rows(const size_t NV, size_t rows, const struct panel *q, const sens_real *b,
                              sens_real *out)
{
    const sens_real *a = q->a, *last = q->a + rows - VECTOR;
    vector sum[PANEL];
#pragma GCC unroll 16
    for (size_t v = 0; v + 1 < NV; v++) sum[v] = *(const vector_in_memory *)&out[v * VECTOR];
    sum[NV - 1] = *(const vector_in_memory *)&out[rows - VECTOR];
    for (size_t k = q->depth; k > 0; k--, a += q->a_step, last += q->a_step, b += q->b_step) {
#pragma GCC unroll 16
        for (size_t v = 0; v + 1 < NV; v++) sum[v] += *(const vector_in_memory *)&a[v * VECTOR] * b[0];
        sum[NV - 1] += *(const vector_in_memory *)last * b[0];
    }
#pragma GCC unroll 16
    for (size_t v = 0; v + 1 < NV; v++) *(vector_in_memory *)&out[v * VECTOR] = sum[v];
    *(vector_in_memory *)&out[rows - VECTOR] = sum[NV - 1];
}

/* ... of no more than PANEL * VECTOR rows. */
static inline void panel_along_rows(size_t rows, const struct panel *q, const sens_real *b, sens_real *out)
{
    switch ((rows + VECTOR - 1) / VECTOR) {
        CASES_1_TO_6(along_rows, rows, q, b, out)
        CASES_7_TO_12(along_rows, rows, q, b, out)
    default:
        return;
    }
}

/* ... of any number of rows: panels of many vectors, and a last one of up to PANEL, so that it has one at least. */
static __attribute__((noinline)) void single_lane_along_rows(size_t rows, const struct panel *q,
                                                             const sens_real *b, sens_real *out)
{
    enum { MANY = 8 * VECTOR };
    struct panel part = *q;
    part.row_step = 1;
    for (; rows > PANEL * VECTOR; rows -= MANY, part.a += MANY, out += MANY)
        panel_along_rows(MANY, &part, b, out);
    if (rows >= VECTOR)
        panel_along_rows(rows, &part, b, out);
    else
        single_lane_by_rows(rows, &part, b, out);
}

#endif
