/* One matrix times one vector, see sens/lanes.h.
 *
 *     y_r += (s_0 + s_2) + (s_1 + s_3),   s_q = sum over j = q mod 4 of A_rj x_j
 *
 * Four sums a row in every instruction set, so that all give the same bits without contraction. */
#include "vectors.h"

#include "sens/lanes.h"

/* Products of row r with x in four interleaved sums: s_q sums j = q mod 4. */
ALWAYS_INLINE void partial_sums(size_t cols, const sens_real *A, const sens_real *x, sens_real s[4])
{
    enum { PARTS = 4 / QUARTET };
    quartet sum[PARTS] = {0};
    size_t j = 0;
    for (; j + 4 <= cols; j += 4)
        for (size_t q = 0; q < PARTS; q++)
            sum[q] += *(const quartet_in_memory *)&A[j + q * QUARTET] *
                      *(const quartet_in_memory *)&x[j + q * QUARTET];
    for (size_t q = 0; q < PARTS; q++) *(quartet_in_memory *)&s[q * QUARTET] = sum[q];
    for (size_t i = j; i < cols; i++) s[i - j] += A[i] * x[i];
}

ALWAYS_INLINE void matvec_rows(size_t cols, size_t rows, const sens_real *A, const sens_real *x, sens_real *y)
{
    for (size_t r = 0; r < rows; r++) {
        sens_real s[4];
        partial_sums(cols, A + r * cols, x, s);
        y[r] += (s[0] + s[2]) + (s[1] + s[3]);
    }
}

#if !defined SENS_EXTENDED && defined __AVX__
/* The first `count` < 4 numbers, and zeros: what they add to the sums that have no more terms. */
ALWAYS_INLINE quartet some(const size_t count, const sens_real *a)
{
    if (count == 1) return (quartet){a[0], 0, 0, 0};
    if (count == 2) return (quartet){a[0], a[1], 0, 0};
    return (quartet){a[0], a[1], a[2], 0};
}

ALWAYS_INLINE void add_rest(const size_t rows, const size_t rest, size_t cols, const sens_real *A,
                            const sens_real *x, quartet *sum)
{
    const quartet xs = some(rest, x);
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) sum[r] += some(rest, A + r * cols) * xs;
}

/* y_r += the four sums of rows 0 ... 3 */
ALWAYS_INLINE void finish_four(const quartet sum[4], sens_real *y)
{
    quartet s[4];
    transpose_four(sum, s);
    *(quartet_in_memory *)y += (s[0] + s[2]) + (s[1] + s[3]);
}

/* Eight or four rows at a time, which hides the latency of their sums; the same sums as of one row. */
ALWAYS_INLINE void matvec_block(const size_t rows, size_t cols, const sens_real *A, const sens_real *x,
                                sens_real *y)
{
    quartet sum[8] = {{0}};
    size_t j = 0;
    for (; j + 4 <= cols; j += 4) {
        const quartet xs = *(const quartet_in_memory *)&x[j];
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++) sum[r] += *(const quartet_in_memory *)&A[r * cols + j] * xs;
    }
    if (cols - j == 1)
        add_rest(rows, 1, cols, A + j, x + j, sum);
    else if (cols - j == 2)
        add_rest(rows, 2, cols, A + j, x + j, sum);
    else if (cols - j == 3)
        add_rest(rows, 3, cols, A + j, x + j, sum);
    finish_four(sum, y);
    if (rows > 4) finish_four(sum + 4, y + 4);
}
#else
ALWAYS_INLINE void matvec_block(const size_t rows, size_t cols, const sens_real *A, const sens_real *x,
                                sens_real *y)
{
    matvec_rows(cols, rows, A, x, y);
}
#endif

/* A few columns, whose loops the compiler unrolls. */
static void matvec_small(size_t rows, size_t cols, const sens_real *A, const sens_real *x, sens_real *y)
{
    switch (cols) {
        CASES_1_TO_6(matvec_rows, rows, A, x, y)
    default:
        matvec_rows(7, rows, A, x, y);
    }
}

void sens_matvec(size_t rows, size_t cols, const sens_real *A, const sens_real *x, sens_real *y)
{
    size_t r = 0;
    if (cols == 0) return;
    if (cols < 8) {
        matvec_small(rows, cols, A, x, y);
        return;
    }
    for (; r + 8 <= rows; r += 8) matvec_block(8, cols, A + r * cols, x, y + r);
    for (; r + 4 <= rows; r += 4) matvec_block(4, cols, A + r * cols, x, y + r);
    if (r < rows && rows >= 4) { /* the last four again, of which only what is missing is taken */
        sens_real last[4] = {0};
        matvec_block(4, cols, A + (rows - 4) * cols, x, last);
        for (; r < rows; r++) y[r] += last[r + 4 - rows];
        return;
    }
    matvec_rows(cols, rows - r, A + r * cols, x, y + r);
}
