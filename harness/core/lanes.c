/* Linear algebra on lane blocks, see sens/lanes.h.
 *
 *     OUT[r][l] += sum_k A(r, k) V(k, l),  k ascending
 *
 * Register blocking after Goto and van de Geijn, ACM TOMS 34 (2008): a block of R rows times NV vectors of
 * lanes is accumulated in registers over a tile of k. Operands that are scaled, or narrower than the
 * block, are first packed into a panel. Explicit vectors, because gcc keeps an array of scalar
 * accumulators in memory. */
#include "sens/lanes.h"

#include "vectors.h"

enum {
    ROWS = 6, /* rows of a register block */
    WIDTH =
        2 *
        VECTOR, /* lanes of a register block: 12 accumulators, which leaves 4 of 16 registers to operands */
    DEPTH = 64  /* k of a tile: the packed panel stays in the first-level cache */
};

/* One tile of a product: A(r, k) as in sens_matrix and b[k * b_step + l], k < depth. */
struct tile {
    size_t depth;
    const sens_real *a;
    size_t row_step, col_step;
    const sens_real *b;
    size_t b_step;
};

/* out[r * step + l] += sum_k A(r, k) b(k, l), r < R, l < NV * VECTOR; R and NV are constants after
 * inlining. */
ALWAYS_INLINE void register_block(size_t R, size_t NV, const struct tile *q, sens_real *out, size_t step)
{
    const size_t row_step = q->row_step, col_step = q->col_step, b_step = q->b_step;
    vector sum[ROWS][2];
    for (size_t r = 0; r < R; r++)
        for (size_t v = 0; v < NV; v++) sum[r][v] = *(const vector_in_memory *)&out[r * step + v * VECTOR];
    const sens_real *a = q->a, *b = q->b;
    for (size_t k = 0; k < q->depth; k++, a += col_step, b += b_step) {
        vector lanes[2];
        for (size_t v = 0; v < NV; v++) lanes[v] = *(const vector_in_memory *)&b[v * VECTOR];
        for (size_t r = 0; r < R; r++)
            for (size_t v = 0; v < NV; v++) sum[r][v] += a[r * row_step] * lanes[v];
    }
    for (size_t r = 0; r < R; r++)
        for (size_t v = 0; v < NV; v++) *(vector_in_memory *)&out[r * step + v * VECTOR] = sum[r][v];
}

/* register_block for R rows <= ROWS. */
ALWAYS_INLINE void choose_rows(size_t R, size_t NV, const struct tile *q, sens_real *out, size_t step)
{
    switch (R) {
    case 1:
        register_block(1, NV, q, out, step);
        break;
    case 2:
        register_block(2, NV, q, out, step);
        break;
    case 3:
        register_block(3, NV, q, out, step);
        break;
    case 4:
        register_block(4, NV, q, out, step);
        break;
    case 5:
        register_block(5, NV, q, out, step);
        break;
    default:
        register_block(ROWS, NV, q, out, step);
        break;
    }
}

static void one_vector(size_t R, const struct tile *q, sens_real *out, size_t step)
{
    choose_rows(R, 1, q, out, step);
}

static void two_vectors(size_t R, const struct tile *q, sens_real *out, size_t step)
{
    choose_rows(R, 2, q, out, step);
}

/* A block of which only the first w lanes exist: computed beside OUT, the rest is dropped. */
static void ragged_block(size_t R, size_t width, size_t w, const struct tile *q, sens_real *out, size_t step)
{
    sens_real edge[ROWS * WIDTH] = {0};
    for (size_t r = 0; r < R; r++)
        for (size_t l = 0; l < w; l++) edge[r * width + l] = out[r * step + l];
    (width == WIDTH ? two_vectors : one_vector)(R, q, edge, width);
    for (size_t r = 0; r < R; r++)
        for (size_t l = 0; l < w; l++) out[r * step + l] = edge[r * width + l];
}

/* All rows of a tile, for w lanes: w = width, or fewer. */
static void tile_rows(size_t rows, size_t width, size_t w, const struct tile *tile, sens_real *out,
                      size_t step)
{
    struct tile q = *tile;
    for (size_t r = 0; r < rows; r += ROWS, q.a += ROWS * q.row_step) {
        const size_t R = rows - r < ROWS ? rows - r : ROWS;
        if (w < width)
            ragged_block(R, width, w, &q, out + r * step, step);
        else
            (width == WIDTH ? two_vectors : one_vector)(R, &q, out + r * step, step);
    }
}

/* out[r] += sum_k A(r, k) b_k where the rows of A are contiguous: runs along r, in the same order of k. */
static void single_lane_along_rows(size_t rows, const struct tile *q, sens_real *restrict out)
{
    const sens_real *restrict a = q->a;
    const sens_real *b = q->b;
    size_t k = 0;
    for (; k + 4 <= q->depth; k += 4, a += 4 * q->col_step) {
        const sens_real b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
        const size_t step = q->col_step;
        for (size_t r = 0; r < rows; r++)
            out[r] = out[r] + a[r] * b0 + a[r + step] * b1 + a[r + 2 * step] * b2 + a[r + 3 * step] * b3;
    }
    for (; k < q->depth; k++, a += q->col_step)
        for (size_t r = 0; r < rows; r++) out[r] += a[r] * b[k];
}

/* The same for one lane of many, or rows that are not contiguous: four independent sums hide the latency. */
static void single_lane(size_t rows, const struct tile *q, sens_real *out, size_t step)
{
    const size_t rs = q->row_step, cs = q->col_step;
    size_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        const sens_real *a = q->a + r * rs;
        sens_real *o = out + r * step;
        sens_real s0 = o[0], s1 = o[step], s2 = o[2 * step], s3 = o[3 * step];
        for (size_t k = 0; k < q->depth; k++, a += cs) {
            s0 += a[0] * q->b[k];
            s1 += a[rs] * q->b[k];
            s2 += a[2 * rs] * q->b[k];
            s3 += a[3 * rs] * q->b[k];
        }
        o[0] = s0, o[step] = s1, o[2 * step] = s2, o[3 * step] = s3;
    }
    for (; r < rows; r++) {
        sens_real sum = out[r * step];
        for (size_t k = 0; k < q->depth; k++) sum += q->a[r * rs + k * cs] * q->b[k];
        out[r * step] = sum;
    }
}

/* panel[k][l] = V(k0 + k, l0 + l) for k < depth, l < w; zero for w <= l < width. */
ALWAYS_INLINE void pack_lanes(struct sens_lanes V, size_t k0, size_t l0, size_t depth, size_t width, size_t w,
                              sens_real *restrict panel)
{
    for (size_t k = 0; k < depth; k++) {
        const sens_real *v = V.v + (k0 + k) * V.step + l0;
        const sens_real s = V.scale ? V.scale[(k0 + k) * V.scale_step] : 1;
        for (size_t l = 0; l < w; l++) panel[k * width + l] = s * v[l];
        for (size_t l = w; l < width; l++) panel[k * width + l] = 0;
    }
}

static void pack(struct sens_lanes V, size_t k0, size_t l0, size_t depth, size_t width, size_t w,
                 sens_real *panel)
{
    if (w == WIDTH)
        pack_lanes(V, k0, l0, depth, WIDTH, WIDTH, panel);
    else if (w == VECTOR)
        pack_lanes(V, k0, l0, depth, VECTOR, VECTOR, panel);
    else
        pack_lanes(V, k0, l0, depth, width, w, panel);
}

/* The lanes [l0, l0 + w) of a product, computed in blocks of `width` lanes. */
static void product_lanes(struct sens_matrix A, struct sens_lanes V, size_t L, size_t l0, size_t width,
                          size_t w, sens_real *OUT)
{
    sens_real panel[DEPTH * WIDTH];
    struct tile q = {.row_step = A.row_step, .col_step = A.col_step};
    for (size_t k0 = 0; k0 < A.cols; k0 += DEPTH) {
        q.depth = A.cols - k0 < DEPTH ? A.cols - k0 : DEPTH;
        q.a = A.a + k0 * A.col_step;
        q.b = panel, q.b_step = width;
        if (V.scale || w < width || w == 1)
            pack(V, k0, l0, q.depth, width, w, panel);
        else
            q.b = V.v + k0 * V.step + l0, q.b_step = V.step;
        if (w > 1)
            tile_rows(A.rows, width, w, &q, OUT + l0, L);
        else if (L == 1 && A.row_step == 1)
            single_lane_along_rows(A.rows, &q, OUT);
        else
            single_lane(A.rows, &q, OUT + l0, L);
    }
}

void sens_lanes_add_product(struct sens_matrix A, struct sens_lanes V, size_t L, sens_real *OUT)
{
    size_t l0 = 0;
    for (; l0 + WIDTH <= L; l0 += WIDTH) product_lanes(A, V, L, l0, WIDTH, WIDTH, OUT);
    const size_t rest = L - l0;
    if (rest > VECTOR)
        product_lanes(A, V, L, l0, WIDTH, rest, OUT);
    else if (rest > 1)
        product_lanes(A, V, L, l0, VECTOR, rest, OUT);
    else if (rest == 1)
        product_lanes(A, V, L, l0, 1, 1, OUT);
}

ALWAYS_INLINE void csr_body(const struct sens_csr *A, size_t L, const sens_real *V, sens_real *restrict OUT)
{
    for (size_t r = 0; r < A->rows; r++)
        for (size_t e = A->start[r]; e < A->start[r + 1]; e++)
            for (size_t l = 0; l < L; l++) OUT[r * L + l] += A->value[e] * V[A->col[e] * L + l];
}

void sens_lanes_add_csr(struct sens_csr A, size_t L, const sens_real *V, sens_real *OUT)
{
    switch (L) {
    case 1:
        csr_body(&A, 1, V, OUT);
        break;
    case 2:
        csr_body(&A, 2, V, OUT);
        break;
    case 4:
        csr_body(&A, 4, V, OUT);
        break;
    case 8:
        csr_body(&A, 8, V, OUT);
        break;
    case 16:
        csr_body(&A, 16, V, OUT);
        break;
    default:
        csr_body(&A, L, V, OUT);
        break;
    }
}

ALWAYS_INLINE void csr_transposed_body(const struct sens_csr *A, size_t L, const sens_real *W,
                                       sens_real *restrict OUT)
{
    for (size_t r = 0; r < A->rows; r++)
        for (size_t e = A->start[r]; e < A->start[r + 1]; e++)
            for (size_t l = 0; l < L; l++) OUT[A->col[e] * L + l] += A->value[e] * W[r * L + l];
}

void sens_lanes_add_csr_transposed(struct sens_csr A, size_t L, const sens_real *W, sens_real *OUT)
{
    switch (L) {
    case 1:
        csr_transposed_body(&A, 1, W, OUT);
        break;
    case 2:
        csr_transposed_body(&A, 2, W, OUT);
        break;
    case 4:
        csr_transposed_body(&A, 4, W, OUT);
        break;
    case 8:
        csr_transposed_body(&A, 8, W, OUT);
        break;
    case 16:
        csr_transposed_body(&A, 16, W, OUT);
        break;
    default:
        csr_transposed_body(&A, L, W, OUT);
        break;
    }
}

/* OUT = s W + u OUT, or s W where u is NULL. */
ALWAYS_INLINE void rows_body(size_t n, size_t L, const sens_real *s, const sens_real *W, const sens_real *u,
                             sens_real *restrict OUT)
{
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < L; l++)
            OUT[i * L + l] = u ? s[i] * W[i * L + l] + u[i] * OUT[i * L + l] : s[i] * W[i * L + l];
}

/* Rows of at least one vector; the last of a row is stored twice in part, which does no harm. */
ALWAYS_INLINE void scale_body(size_t n, size_t L, const sens_real *s, const sens_real *W, sens_real *OUT)
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
    case 1:
        rows_body(n, 1, s, W, NULL, OUT);
        break;
    case 4:
        rows_body(n, 4, s, W, NULL, OUT);
        break;
    case 8:
        rows_body(n, 8, s, W, NULL, OUT);
        break;
    case 16:
        rows_body(n, 16, s, W, NULL, OUT);
        break;
    default:
        if (L < VECTOR)
            rows_body(n, L, s, W, NULL, OUT);
        else
            scale_body(n, L, s, W, OUT);
        break;
    }
}

void sens_lanes_combine_rows(size_t n, size_t L, const sens_real *s, const sens_real *W, const sens_real *u,
                             sens_real *OUT)
{
    switch (L) {
    case 1:
        rows_body(n, 1, s, W, u, OUT);
        break;
    case 4:
        rows_body(n, 4, s, W, u, OUT);
        break;
    case 8:
        rows_body(n, 8, s, W, u, OUT);
        break;
    case 16:
        rows_body(n, 16, s, W, u, OUT);
        break;
    default:
        rows_body(n, L, s, W, u, OUT);
        break;
    }
}

void sens_lanes_axpy(size_t n, size_t L, sens_real a, const sens_real *X, sens_real *restrict Y)
{
    for (size_t i = 0; i < n * L; i++) Y[i] += a * X[i];
}
