/* Solves with UMFPACK's factors in lanes, see umfpack_solve.h. */
#if defined SENS_UMFPACK_LIBRARY && !defined SENS_EXTENDED
#include <stdlib.h>

#include "lane_columns.h"
#include "lane_runs.h"
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
        free(copy->first_run[f]);
        free(copy->run[f]);
        copy->start[f] = copy->index[f] = copy->first_run[f] = NULL;
        copy->value[f] = NULL;
        copy->run[f] = NULL;
    }
    free(copy->P);
    free(copy->Q);
    free(copy->R);
    copy->P = copy->Q = NULL;
    copy->R = NULL;
    copy->n = copy->room[OF_L] = copy->room[OF_U] = copy->rooms[OF_L] = copy->rooms[OF_U] = 0;
}

static bool make_vectors(struct sens_umfpack_copy *copy, int n)
{
    const size_t size = (size_t)n + 1;
    sens_umfpack_copy_free(copy);
    copy->n = n;
    bool made = true;
    for (int f = OF_L; f <= OF_U; f++) {
        copy->start[f] = calloc(size, sizeof *copy->start[f]);
        copy->first_run[f] = calloc(size, sizeof *copy->first_run[f]);
        made = made && copy->start[f] && copy->first_run[f];
    }
    copy->P = calloc(size, sizeof *copy->P);
    copy->Q = calloc(size, sizeof *copy->Q);
    copy->R = calloc(size, sizeof *copy->R);
    if (made && copy->P && copy->Q && copy->R) return true;
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

/* Entry e of row or column k begins a run. */
static inline bool begins(const struct sens_umfpack_copy *copy, int f, int k, int e)
{
    return e == copy->start[f][k] || copy->index[f][e] != copy->index[f][e - 1] + 1;
}

static int count_runs(const struct sens_umfpack_copy *copy, int f)
{
    int count = 0;
    for (int k = 0; k < copy->n; k++)
        for (int e = copy->start[f][k]; e < copy->start[f][k + 1] - 1; e++) count += begins(copy, f, k, e);
    return count;
}

static bool find_runs(struct sens_umfpack_copy *copy, int f)
{
    const int count = count_runs(copy, f);
    if (copy->rooms[f] < count) {
        free(copy->run[f]);
        copy->run[f] = calloc((size_t)count, sizeof *copy->run[f]);
        copy->rooms[f] = copy->run[f] ? count : 0;
        if (!copy->run[f]) return false;
    }
    int r = 0;
    for (int k = 0; k < copy->n; k++) {
        copy->first_run[f][k] = r;
        for (int e = copy->start[f][k]; e < copy->start[f][k + 1] - 1; e++) {
            if (begins(copy, f, k, e)) copy->run[f][r++] = (struct run){.row = copy->index[f][e]};
            copy->run[f][r - 1].count++;
        }
    }
    copy->first_run[f][copy->n] = r;
    return true;
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
    return find_runs(copy, OF_L) && find_runs(copy, OF_U);
}

/* ---- solves -------------------------------------------------------------------------------------------- */

/* Row k of L, column k of U, without its diagonal. */
static inline struct runs runs_of(const struct sens_umfpack_copy *copy, bool is_complex, int f, size_t k)
{
    const int first = copy->first_run[f][k];
    return (struct runs){copy->run[f] + first,
                         copy->value[f] + (size_t)copy->start[f][k] * row_of(1, is_complex),
                         copy->first_run[f][k + 1] - first};
}

static inline const double *diagonal(const struct sens_umfpack_copy *copy, bool is_complex, size_t k)
{
    return copy->value[OF_U] + (size_t)(copy->start[OF_U][k + 1] - 1) * row_of(1, is_complex);
}

/* L U X = B */
ALWAYS_INLINE void solve(size_t W, bool is_complex, const struct sens_umfpack_copy *copy, double *X)
{
    const size_t n = (size_t)copy->n, row = row_of(W, is_complex);
    for (size_t k = 0; k < n; k++) {
        const struct runs of_L = runs_of(copy, is_complex, OF_L, k);
        runs_gather(W, is_complex, &of_L, X, X + k * row);
    }
    for (size_t k = n; k-- > 0;) {
        const struct runs of_U = runs_of(copy, is_complex, OF_U, k);
        divide(W, is_complex, diagonal(copy, is_complex, k), X + k * row);
        runs_scatter(W, is_complex, &of_U, X + k * row, X);
    }
}

/* U^T L^T X = B */
ALWAYS_INLINE void solve_transposed(size_t W, bool is_complex, const struct sens_umfpack_copy *copy,
                                    double *X)
{
    const size_t n = (size_t)copy->n, row = row_of(W, is_complex);
    for (size_t k = 0; k < n; k++) {
        const struct runs of_U = runs_of(copy, is_complex, OF_U, k);
        runs_gather(W, is_complex, &of_U, X, X + k * row);
        divide(W, is_complex, diagonal(copy, is_complex, k), X + k * row);
    }
    for (size_t k = n; k-- > 0;) {
        const struct runs of_L = runs_of(copy, is_complex, OF_L, k);
        runs_scatter(W, is_complex, &of_L, X + k * row, X);
    }
}

struct lanes { /* `count` of the L lanes of X [n][L], complex [n][2][L], from X on */
    size_t L, count;
    double *room, *X;
};

/* Rows in the order of the pivots, and scaled, to the room and back. Of its W lanes those beyond count are 0. */
ALWAYS_INLINE void solve_lanes(size_t W, bool is_complex, const struct sens_umfpack_copy *copy,
                               bool transposed, const struct lanes *lanes)
{
    const int *const in = transposed ? copy->Q : copy->P, *const out = transposed ? copy->P : copy->Q;
    const size_t n = (size_t)copy->n, parts = row_of(1, is_complex), row = parts * W, count = lanes->count;
    for (size_t k = 0; k < n; k++) {
        const double scale = transposed ? 1 : copy->R[in[k]];
        const double *const X = lanes->X + (size_t)in[k] * parts * lanes->L;
        double *const to = lanes->room + k * row;
        for (size_t q = 0; q < parts; q++)
            for (size_t w = 0; w < W; w++) to[q * W + w] = w < count ? scale * X[q * lanes->L + w] : 0;
    }
    if (transposed)
        solve_transposed(W, is_complex, copy, lanes->room);
    else
        solve(W, is_complex, copy, lanes->room);
    for (size_t k = 0; k < n; k++) {
        const double scale = transposed ? copy->R[out[k]] : 1;
        const double *const from = lanes->room + k * row;
        double *const X = lanes->X + (size_t)out[k] * parts * lanes->L;
        for (size_t q = 0; q < parts; q++)
            for (size_t w = 0; w < count; w++) X[q * lanes->L + w] = scale * from[q * W + w];
    }
}

/* The number of lanes is a constant of each case. */
static void solve_real(const struct sens_umfpack_copy *copy, bool transposed, const struct lanes *lanes)
{
    if (lanes->count == 1)
        solve_lanes(1, false, copy, transposed, lanes);
    else if (lanes->count <= 4)
        solve_lanes(4, false, copy, transposed, lanes);
    else
        solve_lanes(SENS_COLUMN_LANES, false, copy, transposed, lanes);
}

static void solve_complex(const struct sens_umfpack_copy *copy, bool transposed, const struct lanes *lanes)
{
    if (lanes->count == 1)
        solve_lanes(1, true, copy, transposed, lanes);
    else if (lanes->count <= 4)
        solve_lanes(4, true, copy, transposed, lanes);
    else
        solve_lanes(SENS_COLUMN_LANES, true, copy, transposed, lanes);
}

void sens_umfpack_solve(const struct sens_umfpack_copy *copy, bool transposed, size_t L, double *room,
                        double *X)
{
    for (size_t l = 0; l < L; l += SENS_COLUMN_LANES) {
        const size_t count = L - l < SENS_COLUMN_LANES ? L - l : SENS_COLUMN_LANES;
        const struct lanes lanes = {.L = L, .count = count, .room = room, .X = X + l};
        (copy->is_complex ? solve_complex : solve_real)(copy, transposed, &lanes);
    }
}
#else
typedef int sens_no_umfpack_solve; /* a source has to hold something */
#endif
