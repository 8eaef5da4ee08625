/* Solves with KLU's factors in lanes, see klu_solve.h. */
#if defined SENS_KLU_LIBRARY && !defined SENS_EXTENDED
#include "klu_solve.h"
#include "lane_columns.h"

/* A column is its row numbers, and behind these its values, in units of one value: `at` counts them. */
static inline struct column column_at(bool is_complex, const double *packed, int at, int count)
{
    const size_t doubles = is_complex ? 2 : 1, unit = doubles * sizeof(double);
    const size_t units = ((size_t)count * sizeof(int) + unit - 1) / unit;
    const double *const column = packed + (size_t)at * doubles;
    return (struct column){(const int *)column, column + units * doubles, count};
}

/* Of rows first ... first + size of X, the packed columns of their block at LU. */
struct block {
    const klu_numeric *numeric;
    const double *LU;
    int first, size;
};

static inline struct column of_L(bool is_complex, const struct block *block, int k)
{
    return column_at(is_complex, block->LU, block->numeric->Lip[block->first + k],
                     block->numeric->Llen[block->first + k]);
}

static inline struct column of_U(bool is_complex, const struct block *block, int k)
{
    return column_at(is_complex, block->LU, block->numeric->Uip[block->first + k],
                     block->numeric->Ulen[block->first + k]);
}

static inline struct column of_F(bool is_complex, const klu_numeric *numeric, int k)
{
    const size_t start = (size_t)numeric->Offp[k], doubles = is_complex ? 2 : 1;
    return (struct column){numeric->Offi + start, (const double *)numeric->Offx + start * doubles,
                           numeric->Offp[k + 1] - numeric->Offp[k]};
}

/* The numbers of a row of lanes. */
static inline size_t row_of(size_t W, bool is_complex)
{
    return is_complex ? 2 * W : W;
}

static inline const double *diagonal_of(bool is_complex, const struct block *block)
{
    return (const double *)block->numeric->Udiag + (size_t)block->first * row_of(1, is_complex);
}

/* L U X = B */
ALWAYS_INLINE void solve_block(size_t W, bool is_complex, const struct block *block, double *X)
{
    const double *const diagonal = diagonal_of(is_complex, block);
    const size_t row = row_of(W, is_complex), one = row_of(1, is_complex);
    for (int k = 0; k < block->size && block->size > 1; k++)
        scatter(W, is_complex, of_L(is_complex, block, k), X + (size_t)k * row, X);
    for (int k = block->size - 1; k >= 0; k--) {
        divide(W, is_complex, diagonal + (size_t)k * one, X + (size_t)k * row);
        if (block->size > 1) scatter(W, is_complex, of_U(is_complex, block, k), X + (size_t)k * row, X);
    }
}

/* U^T L^T X = B */
ALWAYS_INLINE void solve_block_transposed(size_t W, bool is_complex, const struct block *block, double *X)
{
    const double *const diagonal = diagonal_of(is_complex, block);
    const size_t row = row_of(W, is_complex), one = row_of(1, is_complex);
    for (int k = 0; k < block->size; k++) {
        if (block->size > 1) gather(W, is_complex, of_U(is_complex, block, k), X, X + (size_t)k * row);
        divide(W, is_complex, diagonal + (size_t)k * one, X + (size_t)k * row);
    }
    for (int k = block->size - 1; k >= 0 && block->size > 1; k--)
        gather(W, is_complex, of_L(is_complex, block, k), X, X + (size_t)k * row);
}

static inline struct block block_at(const klu_symbolic *symbolic, const klu_numeric *numeric, int b)
{
    const int first = symbolic->R[b];
    return (struct block){numeric, numeric->LUbx[b], first, symbolic->R[b + 1] - first};
}

ALWAYS_INLINE void solve_blocks(size_t W, bool is_complex, const klu_symbolic *symbolic,
                                const klu_numeric *numeric, double *X)
{
    const size_t row = row_of(W, is_complex);
    for (int b = symbolic->nblocks - 1; b >= 0; b--) {
        const struct block block = block_at(symbolic, numeric, b);
        solve_block(W, is_complex, &block, X + (size_t)block.first * row);
        for (int k = block.first; k < block.first + block.size && b > 0; k++)
            scatter(W, is_complex, of_F(is_complex, numeric, k), X + (size_t)k * row, X);
    }
}

ALWAYS_INLINE void solve_blocks_transposed(size_t W, bool is_complex, const klu_symbolic *symbolic,
                                           const klu_numeric *numeric, double *X)
{
    const size_t row = row_of(W, is_complex);
    for (int b = 0; b < symbolic->nblocks; b++) {
        const struct block block = block_at(symbolic, numeric, b);
        for (int k = block.first; k < block.first + block.size && b > 0; k++)
            gather(W, is_complex, of_F(is_complex, numeric, k), X, X + (size_t)k * row);
        solve_block_transposed(W, is_complex, &block, X + (size_t)block.first * row);
    }
}

struct lanes { /* W of the lanes of X [n][L], complex [n][2][L], from X on */
    size_t L;
    double *room, *X;
};

/* Rows in the order of the pivots, and scaled, to the room and back. */
ALWAYS_INLINE void solve_lanes(size_t W, bool is_complex, const klu_symbolic *symbolic,
                               const klu_numeric *numeric, bool transposed, struct lanes lanes)
{
    const double *const scale = numeric->Rs;
    const int *const in = transposed ? symbolic->Q : numeric->Pnum, *const out = transposed ? numeric->Pnum
                                                                                            : symbolic->Q;
    const size_t n = (size_t)symbolic->n, parts = row_of(1, is_complex), row = parts * W;
    for (size_t k = 0; k < n; k++)
        for (size_t q = 0; q < parts; q++)
            for (size_t w = 0; w < W; w++)
                lanes.room[k * row + q * W + w] = lanes.X[((size_t)in[k] * parts + q) * lanes.L + w];
    for (size_t k = 0; k < n && scale && !transposed; k++) divide_real(row, scale[k], lanes.room + k * row);
    if (transposed)
        solve_blocks_transposed(W, is_complex, symbolic, numeric, lanes.room);
    else
        solve_blocks(W, is_complex, symbolic, numeric, lanes.room);
    for (size_t k = 0; k < n && scale && transposed; k++) divide_real(row, scale[k], lanes.room + k * row);
    for (size_t k = 0; k < n; k++)
        for (size_t q = 0; q < parts; q++)
            for (size_t w = 0; w < W; w++)
                lanes.X[((size_t)out[k] * parts + q) * lanes.L + w] = lanes.room[k * row + q * W + w];
}

/* The number of lanes is a constant of each case. */
static void solve_real(size_t W, const klu_symbolic *symbolic, const klu_numeric *numeric, bool transposed,
                       struct lanes lanes)
{
    switch (W) {
        CASES_1_TO_8(solve_lanes, false, symbolic, numeric, transposed, lanes)
    default:
        return;
    }
}

static void solve_complex(size_t W, const klu_symbolic *symbolic, const klu_numeric *numeric, bool transposed,
                          struct lanes lanes)
{
    switch (W) {
        CASES_1_TO_8(solve_lanes, true, symbolic, numeric, transposed, lanes)
    default:
        return;
    }
}

void sens_klu_solve(const klu_symbolic *symbolic, const klu_numeric *numeric, bool is_complex,
                    bool transposed, size_t L, double *room, double *X)
{
    for (size_t l = 0; l < L; l += SENS_COLUMN_LANES) {
        const size_t W = L - l < SENS_COLUMN_LANES ? L - l : SENS_COLUMN_LANES;
        (is_complex ? solve_complex : solve_real)(W, symbolic, numeric, transposed,
                                                  (struct lanes){L, room, X + l});
    }
}
#else
typedef int sens_no_klu_solve; /* a source has to hold something */
#endif
