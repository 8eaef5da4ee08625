/* Solves with UMFPACK's factors in lanes, see umfpack_solve.h. */
#include "kernel.h"

#ifdef SENS_KERNEL_HAS_UMFPACK
#include <stdlib.h>

#include "lane_columns.h"
#include "umfpack_solve.h"

enum { OF_L, OF_U };

/* The numbers of a row of lanes. */
static inline size_t row_of(size_t W, bool is_complex)
{
    return is_complex ? 2 * W : W;
}

/* ---- the copy ------------------------------------------------------------------------------------------ */

void sens_umfpack_copy_free(struct sens_umfpack_copy *copy)
{
    for (int f = OF_L; f <= OF_U; f++) {
        free(copy->start[f]);
        free(copy->index[f]);
        free(copy->value[f]);
        copy->start[f] = copy->index[f] = NULL;
        copy->value[f] = NULL;
    }
    free(copy->P);
    free(copy->Q);
    free(copy->R);
    copy->P = copy->Q = NULL;
    copy->R = NULL;
    copy->n = copy->room[OF_L] = copy->room[OF_U] = 0;
}

static bool make_vectors(struct sens_umfpack_copy *copy, int n)
{
    const size_t size = (size_t)n + 1;
    sens_umfpack_copy_free(copy);
    copy->n = n;
    for (int f = OF_L; f <= OF_U; f++) copy->start[f] = calloc(size, sizeof *copy->start[f]);
    copy->P = calloc(size, sizeof *copy->P);
    copy->Q = calloc(size, sizeof *copy->Q);
    copy->R = calloc(size, sizeof *copy->R);
    if (copy->start[OF_L] && copy->start[OF_U] && copy->P && copy->Q && copy->R) return true;
    sens_umfpack_copy_free(copy); /* of n = 0 again: what is not there is not taken for there */
    return false;
}

static bool make_room(struct sens_umfpack_copy *copy, int f, int entries)
{
    if (copy->room[f] >= entries) return true;
    free(copy->index[f]);
    free(copy->value[f]);
    copy->index[f] = NULL;
    copy->value[f] = NULL;
    copy->room[f] = 0;
    copy->index[f] = calloc((size_t)entries, sizeof *copy->index[f]);
    copy->value[f] = calloc((size_t)entries * row_of(1, copy->is_complex), sizeof *copy->value[f]);
    if (!copy->index[f] || !copy->value[f]) return false;
    copy->room[f] = entries;
    return true;
}

/* Into the room that was made. */
static int read_factors(struct sens_umfpack_copy *copy, const struct sens_umfpack_reader *reader,
                        void *numeric, int *multiplies)
{
    if (copy->is_complex) /* in pairs, where there is no room for imaginary parts alone */
        return reader->complex_read(copy->start[OF_L], copy->index[OF_L], copy->value[OF_L], NULL,
                                    copy->start[OF_U], copy->index[OF_U], copy->value[OF_U], NULL, copy->P,
                                    copy->Q, NULL, NULL, multiplies, copy->R, numeric);
    return reader->read(copy->start[OF_L], copy->index[OF_L], copy->value[OF_L], copy->start[OF_U],
                        copy->index[OF_U], copy->value[OF_U], copy->P, copy->Q, NULL, multiplies, copy->R,
                        numeric);
}

bool sens_umfpack_copy(struct sens_umfpack_copy *copy, const struct sens_umfpack_reader *reader,
                       void *numeric)
{
    int lower, upper, rows, columns, pivots, multiplies;
    copy->is_complex = reader->complex_read;
    if (reader->sizes(&lower, &upper, &rows, &columns, &pivots, numeric) != UMFPACK_OK) return false;
    if (copy->n != rows && !make_vectors(copy, rows)) return false;
    if (!make_room(copy, OF_L, lower) || !make_room(copy, OF_U, upper)) return false;
    if (read_factors(copy, reader, numeric, &multiplies) != UMFPACK_OK) return false;
    for (int i = 0; i < rows && !multiplies; i++) copy->R[i] = 1 / copy->R[i];
    return true;
}

/* ---- solves -------------------------------------------------------------------------------------------- */

/* Row k of L, column k of U, without its diagonal. */
static inline struct column column_of(const struct sens_umfpack_copy *copy, bool is_complex, int f, size_t k)
{
    const int first = copy->start[f][k], end = copy->start[f][k + 1];
    return (struct column){copy->index[f] + first, copy->value[f] + (size_t)first * row_of(1, is_complex),
                           end - first - 1};
}

static inline const double *diagonal(const struct sens_umfpack_copy *copy, bool is_complex, size_t k)
{
    return copy->value[OF_U] + (size_t)(copy->start[OF_U][k + 1] - 1) * row_of(1, is_complex);
}

/* L U X = B */
ALWAYS_INLINE void solve(size_t W, bool is_complex, const struct sens_umfpack_copy *copy, double *X)
{
    const size_t n = (size_t)copy->n, row = row_of(W, is_complex);
    for (size_t k = 0; k < n; k++)
        gather(W, is_complex, column_of(copy, is_complex, OF_L, k), X, X + k * row);
    for (size_t k = n; k-- > 0;) {
        divide(W, is_complex, diagonal(copy, is_complex, k), X + k * row);
        scatter(W, is_complex, column_of(copy, is_complex, OF_U, k), X + k * row, X);
    }
}

/* U^T L^T X = B */
ALWAYS_INLINE void solve_transposed(size_t W, bool is_complex, const struct sens_umfpack_copy *copy,
                                    double *X)
{
    const size_t n = (size_t)copy->n, row = row_of(W, is_complex);
    for (size_t k = 0; k < n; k++) {
        gather(W, is_complex, column_of(copy, is_complex, OF_U, k), X, X + k * row);
        divide(W, is_complex, diagonal(copy, is_complex, k), X + k * row);
    }
    for (size_t k = n; k-- > 0;) scatter(W, is_complex, column_of(copy, is_complex, OF_L, k), X + k * row, X);
}

struct lanes { /* W of the lanes of X [n][L], complex [n][2][L], from X on */
    size_t L;
    double *room, *X;
};

/* Rows in the order of the pivots, and scaled, to the room and back. */
ALWAYS_INLINE void solve_lanes(size_t W, bool is_complex, const struct sens_umfpack_copy *copy,
                               bool transposed, struct lanes lanes)
{
    const int *const in = transposed ? copy->Q : copy->P, *const out = transposed ? copy->P : copy->Q;
    const size_t n = (size_t)copy->n, parts = row_of(1, is_complex), row = parts * W;
    for (size_t k = 0; k < n; k++) {
        const double scale = transposed ? 1 : copy->R[in[k]];
        const double *const X = lanes.X + (size_t)in[k] * parts * lanes.L;
        for (size_t q = 0; q < parts; q++)
            for (size_t w = 0; w < W; w++) lanes.room[k * row + q * W + w] = scale * X[q * lanes.L + w];
    }
    if (transposed)
        solve_transposed(W, is_complex, copy, lanes.room);
    else
        solve(W, is_complex, copy, lanes.room);
    for (size_t k = 0; k < n; k++) {
        const double scale = transposed ? copy->R[out[k]] : 1;
        double *const X = lanes.X + (size_t)out[k] * parts * lanes.L;
        for (size_t q = 0; q < parts; q++)
            for (size_t w = 0; w < W; w++) X[q * lanes.L + w] = scale * lanes.room[k * row + q * W + w];
    }
}

/* The number of lanes is a constant of each case. */
static void solve_real(size_t W, const struct sens_umfpack_copy *copy, bool transposed, struct lanes lanes)
{
    switch (W) {
        CASES_1_TO_8(solve_lanes, false, copy, transposed, lanes)
    default:
        return;
    }
}

static void solve_complex(size_t W, const struct sens_umfpack_copy *copy, bool transposed, struct lanes lanes)
{
    switch (W) {
        CASES_1_TO_8(solve_lanes, true, copy, transposed, lanes)
    default:
        return;
    }
}

void sens_umfpack_solve(const struct sens_umfpack_copy *copy, bool transposed, size_t L, double *room,
                        double *X)
{
    for (size_t l = 0; l < L; l += SENS_COLUMN_LANES) {
        const size_t W = L - l < SENS_COLUMN_LANES ? L - l : SENS_COLUMN_LANES;
        (copy->is_complex ? solve_complex : solve_real)(W, copy, transposed, (struct lanes){L, room, X + l});
    }
}
#else
typedef int sens_no_umfpack_solve; /* a source has to hold something */
#endif
