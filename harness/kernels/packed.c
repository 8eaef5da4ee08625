/* Products of one matrix with many lane blocks, see kernels.h.
 *
 *     OUT(r, l) (+)= sum_k A(r, k) V(k, l),   k ascending from OUT or from 0
 *
 * The rows are split evenly into panels of at most PANEL, so that no panel is left with a row or two whose
 * sums would wait for each other; a panel is a register block (register_block.h). */
#include "kernels.h"
#include "register_block.h"

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

/* A single lane. */
static void single_lane(const struct sens_packed *A, bool add, const sens_real *v, size_t v_step,
                        sens_real *out)
{
    const struct panel q = {.a = A->a, .a_step = A->step, .depth = A->cols, .b_step = v_step};
    for (size_t r = 0; !add && r < A->rows; r++) out[r] = 0;
    single_lane_along_rows(A->rows, &q, v, out);
}

/* Row 0 of a single lane, where it lies apart: the sums of several blocks, side by side. */
static void single_row(const struct sens_packed *A, bool add, const struct sens_many *many)
{
    enum { BESIDE = 4 };
    for (size_t c0 = 0; c0 < many->count; c0 += BESIDE) {
        const size_t blocks = many->count - c0 < BESIDE ? many->count - c0 : BESIDE;
        sens_real sum[BESIDE] = {0}, *first = many->first + c0 * many->first_step;
        for (size_t c = 0; add && c < blocks; c++) sum[c] = first[c * many->first_step];
        for (size_t k = 0; k < A->cols; k++)
            for (size_t c = 0; c < blocks; c++)
                sum[c] += A->a[k * A->step] * many->v[k * many->v_step + c0 + c];
        for (size_t c = 0; c < blocks; c++) first[c * many->first_step] = sum[c];
    }
}

static void single_lanes(const struct sens_packed *A, bool add, const struct sens_many *many)
{
    const size_t apart = many->first && A->rows > 0;
    const struct sens_packed rest = sens_packed_view(A->rows - apart, A->cols, A->a + apart, A->step);
    if (apart) single_row(A, add, many);
    for (size_t c = 0; c < many->count; c++)
        single_lane(&rest, add, many->v + c, many->v_step, many->out + c * many->out_step);
}

/* Asks for the part of the next blocks that is due when `done` of the rows are. */
ALWAYS_INLINE void ask_for_next(const struct sens_packed *A, size_t L, const struct sens_many *many,
                                size_t done, size_t rows)
{
    enum { LINE = 64 / sizeof(sens_real) }; /* numbers in a line of the cache */
    const size_t lines = many->count * L / LINE;
    if (!many->next) return;
    for (size_t k = A->cols * done / A->rows; k < A->cols * (done + rows) / A->rows; k++)
        for (size_t line = 0; line < lines; line++)
            prefetch_numbers(many->next, k * many->v_step + line * LINE, false);
}

ALWAYS_INLINE void product(const struct sens_packed *A, size_t L, const bool add,
                           const struct sens_many *many)
{
    struct panel q = {
        .depth = A->cols, .b_step = many->v_step, .out_step = L, .ahead = many->count > 1 ? PANEL : 0};
    const size_t apart = many->first != NULL;
    for (size_t r = 0, R; r < A->rows; r += R) {
        R = next_panel(A->rows - r);
        q.a = A->step ? A->a + r : A->a + r * A->cols;
        q.a_step = A->step ? A->step : R;
        ask_for_next(A, L, many, r, R);
        for (size_t c = 0; c < many->count; c++) {
            sens_real *out = many->out + c * many->out_step + r * L; /* of row r + apart */
            q.first = r == 0 && apart ? many->first + c * many->first_step : out - apart * L;
            panel_product(R, L, add, CONTIGUOUS, &q, many->v + c * L, out - apart * L);
        }
    }
}

size_t sens_full_vector(size_t bytes)
{
    return bytes < sizeof(vector) ? bytes / sizeof(sens_real) : VECTOR;
}

void sens_packed_many(const struct sens_packed *A, size_t L, bool add, const struct sens_many *many)
{
    if (L == 1 && A->step)
        single_lanes(A, add, many);
    else if (add)
        product(A, L, true, many);
    else
        product(A, L, false, many);
}

void sens_packed_multiply(const struct sens_packed *A, size_t L, const sens_real *V, sens_real *OUT)
{
    sens_packed_many(A, L, false, &(struct sens_many){.count = 1, .v = V, .v_step = L, .out = OUT});
}

void sens_packed_add_product(const struct sens_packed *A, size_t L, const sens_real *V, sens_real *OUT)
{
    sens_packed_many(A, L, true, &(struct sens_many){.count = 1, .v = V, .v_step = L, .out = OUT});
}
