/* Solves with KLU's factors in lanes, see klu_solve.h. */
#include "kernel.h"

#ifdef SENS_KERNEL_HAS_KLU
#include "klu_solve.h"
#include "lane_columns.h"

/* A column is its row numbers, and behind these its values: KLU's units are double. */
static inline struct column column_at(const double *packed, int at, int count)
{
    const size_t units = ((size_t)count * sizeof(int) + sizeof(double) - 1) / sizeof(double);
    return (struct column){(const int *)(packed + at), packed + at + units, count};
}

/* Of rows first ... first + size of X, the packed columns of their block at LU. */
struct block {
    const klu_numeric *numeric;
    const double *LU;
    int first, size;
};

static inline struct column of_L(const struct block *block, int k)
{
    return column_at(block->LU, block->numeric->Lip[block->first + k],
                     block->numeric->Llen[block->first + k]);
}

static inline struct column of_U(const struct block *block, int k)
{
    return column_at(block->LU, block->numeric->Uip[block->first + k],
                     block->numeric->Ulen[block->first + k]);
}

static inline struct column of_F(const klu_numeric *numeric, int k)
{
    const int start = numeric->Offp[k];
    return (struct column){numeric->Offi + start, (const double *)numeric->Offx + start,
                           numeric->Offp[k + 1] - start};
}

/* L U X = B */
ALWAYS_INLINE void solve_block(size_t W, const struct block *block, double *X)
{
    const double *const diagonal = (const double *)block->numeric->Udiag + block->first;
    for (int k = 0; k < block->size && block->size > 1; k++) scatter(W, of_L(block, k), X + (size_t)k * W, X);
    for (int k = block->size - 1; k >= 0; k--) {
        divide(W, diagonal[k], X + (size_t)k * W);
        if (block->size > 1) scatter(W, of_U(block, k), X + (size_t)k * W, X);
    }
}

/* U^T L^T X = B */
ALWAYS_INLINE void solve_block_transposed(size_t W, const struct block *block, double *X)
{
    const double *const diagonal = (const double *)block->numeric->Udiag + block->first;
    for (int k = 0; k < block->size; k++) {
        if (block->size > 1) gather(W, of_U(block, k), X, X + (size_t)k * W);
        divide(W, diagonal[k], X + (size_t)k * W);
    }
    for (int k = block->size - 1; k >= 0 && block->size > 1; k--)
        gather(W, of_L(block, k), X, X + (size_t)k * W);
}

static inline struct block block_at(const klu_symbolic *symbolic, const klu_numeric *numeric, int b)
{
    const int first = symbolic->R[b];
    return (struct block){numeric, numeric->LUbx[b], first, symbolic->R[b + 1] - first};
}

ALWAYS_INLINE void solve_blocks(size_t W, const klu_symbolic *symbolic, const klu_numeric *numeric, double *X)
{
    for (int b = symbolic->nblocks - 1; b >= 0; b--) {
        const struct block block = block_at(symbolic, numeric, b);
        solve_block(W, &block, X + (size_t)block.first * W);
        for (int k = block.first; k < block.first + block.size && b > 0; k++)
            scatter(W, of_F(numeric, k), X + (size_t)k * W, X);
    }
}

ALWAYS_INLINE void solve_blocks_transposed(size_t W, const klu_symbolic *symbolic, const klu_numeric *numeric,
                                           double *X)
{
    for (int b = 0; b < symbolic->nblocks; b++) {
        const struct block block = block_at(symbolic, numeric, b);
        for (int k = block.first; k < block.first + block.size && b > 0; k++)
            gather(W, of_F(numeric, k), X, X + (size_t)k * W);
        solve_block_transposed(W, &block, X + (size_t)block.first * W);
    }
}

struct lanes { /* W of the lanes of X [n][L], from X on */
    size_t L;
    double *room, *X;
};

/* Rows in the order of the pivots, and scaled, to the room and back. */
ALWAYS_INLINE void solve_lanes(size_t W, const klu_symbolic *symbolic, const klu_numeric *numeric,
                               bool transposed, struct lanes lanes)
{
    const double *const scale = numeric->Rs;
    const int *const in = transposed ? symbolic->Q : numeric->Pnum, *const out = transposed ? numeric->Pnum
                                                                                            : symbolic->Q;
    const size_t n = (size_t)symbolic->n;
    for (size_t k = 0; k < n; k++)
        for (size_t w = 0; w < W; w++) lanes.room[k * W + w] = lanes.X[(size_t)in[k] * lanes.L + w];
    for (size_t k = 0; k < n && scale && !transposed; k++) divide(W, scale[k], lanes.room + k * W);
    if (transposed)
        solve_blocks_transposed(W, symbolic, numeric, lanes.room);
    else
        solve_blocks(W, symbolic, numeric, lanes.room);
    for (size_t k = 0; k < n && scale && transposed; k++) divide(W, scale[k], lanes.room + k * W);
    for (size_t k = 0; k < n; k++)
        for (size_t w = 0; w < W; w++) lanes.X[(size_t)out[k] * lanes.L + w] = lanes.room[k * W + w];
}

/* The number of lanes is a constant of each case. */
static void solve_together(size_t W, const klu_symbolic *symbolic, const klu_numeric *numeric,
                           bool transposed, struct lanes lanes)
{
    switch (W) {
        CASES_1_TO_8(solve_lanes, symbolic, numeric, transposed, lanes)
    default:
        return;
    }
}

void sens_klu_solve(const klu_symbolic *symbolic, const klu_numeric *numeric, bool transposed, size_t L,
                    double *room, double *X)
{
    for (size_t l = 0; l < L; l += SENS_COLUMN_LANES) {
        const size_t W = L - l < SENS_COLUMN_LANES ? L - l : SENS_COLUMN_LANES;
        solve_together(W, symbolic, numeric, transposed, (struct lanes){L, room, X + l});
    }
}
#else
typedef int sens_no_klu_solve; /* a source has to hold something */
#endif
