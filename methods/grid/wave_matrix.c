/* The Jacobian of a problem on a grid as a front takes it, see wave_matrix.h. */
#include "wave_matrix.h"

#include <math.h>

#include "pattern.h"
#include "sens/lanes.h"

enum {
    LEAST_ROWS = 32,  /* a chunk of fewer takes no longer than what is done before it */
    LEAST_STATES = 24 /* fewer are as fast as a whole */
};

static size_t reach_of(const struct sens_pattern *pattern)
{
    size_t reach = 0;
    for (size_t i = 0; i < pattern->rows; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
            const size_t j = pattern->col[e], apart = i > j ? i - j : j - i;
            if (apart > reach) reach = apart;
        }
    return reach;
}

static size_t chunk_of(const struct sens_pattern *pattern)
{
    const size_t reach = reach_of(pattern);
    return reach > 0 ? (LEAST_ROWS + reach - 1) / reach * reach : LEAST_ROWS; /* lines of a grid stay whole */
}

static bool has(const struct sens_pattern *pattern, size_t i, size_t j)
{
    size_t from = pattern->start[i], to = pattern->start[i + 1];
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (pattern->col[middle] == j) return true;
        if (pattern->col[middle] < j)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* Symmetric, and no row longer than a front takes: nor is one of J^T, then. */
static bool is_grid(const struct sens_pattern *pattern)
{
    for (size_t i = 0; i < pattern->rows; i++) {
        if (pattern->start[i + 1] - pattern->start[i] > SENS_WAVE_ENTRIES) return false;
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            if (!has(pattern, pattern->col[e], i)) return false;
    }
    return true;
}

bool wave_matrix_suits(const struct sens_problem *pb)
{
    const struct sens_structure *const declared = pb->structure;
    return declared && declared->jacobian_constant && declared->jacobian && declared->sparsity &&
           pb->n >= LEAST_STATES && is_grid(declared->sparsity);
}

size_t wave_matrix_chunk(const struct sens_problem *pb)
{
    return chunk_of(pb->structure->sparsity);
}

sens_status wave_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                               struct wave_matrix *matrix)
{
    const struct sens_pattern *const pattern = pb->structure->sparsity;
    const size_t n = pb->n, entries = sens_pattern_entries(pattern), chunk = chunk_of(pattern);
    *matrix = (struct wave_matrix){.pb = pb};
    const sens_status status = sens_pattern_transpose(ctx, pattern, &matrix->transposed, &matrix->place);
    if (status != SENS_OK) return status;
    matrix->A = (struct sens_wave_matrix){.n = n, .chunk = chunk, .chunks = (n + chunk - 1) / chunk};
    matrix->first = SENS_NEW(ctx, size_t, matrix->A.chunks + 1);
    matrix->piece = SENS_NEW(ctx, struct sens_wave_piece, n);
    matrix->entry = SENS_NEW(ctx, struct sens_wave_entry, entries);
    matrix->value = SENS_NEW(ctx, sens_real, entries);
    matrix->turned = SENS_NEW(ctx, sens_real, entries);
    if (!matrix->first || !matrix->piece || !matrix->entry || !matrix->value || !matrix->turned)
        return SENS_NO_MEMORY;
    matrix->A.first = matrix->first;
    matrix->A.piece = matrix->piece;
    return SENS_OK;
}

/* ---- shift and scale ----------------------------------------------------------------------------------- */

/* The value of all entries of J^T on the diagonal, or of all others, if they have one; 0: they have not, or there are
 * none of them. */
static sens_real common_value(const struct wave_matrix *matrix, bool diagonal)
{
    const struct sens_pattern *const turned = &matrix->transposed;
    const size_t n = turned->rows;
    size_t found = 0;
    sens_real value = 0;
    for (size_t q = 0; q < n; q++)
        for (size_t e = turned->start[q]; e < turned->start[q + 1]; e++) {
            if ((turned->col[e] == q) != diagonal) continue;
            if (found++ > 0 && matrix->turned[e] != value) return 0;
            value = matrix->turned[e];
        }
    return diagonal && found < n ? 0 : value;
}

/* Where all values beside the diagonal are one, and all on it: J^T = shift I + scale A, A of ones. */
static void find_shift(struct wave_matrix *matrix)
{
    const struct sens_pattern *const turned = &matrix->transposed;
    const sens_real shift = common_value(matrix, true), scale = common_value(matrix, false);
    matrix->A.ones = shift != 0 && scale != 0;
    matrix->shift = matrix->A.ones ? shift : 0;
    matrix->scale = matrix->A.ones ? scale : 1;
    matrix->most = 0;
    if (!matrix->A.ones) return;
    for (size_t q = 0; q < turned->rows; q++) {
        const size_t others = turned->start[q + 1] - turned->start[q] - 1;
        if (others > matrix->most) matrix->most = others;
        for (size_t e = turned->start[q]; e < turned->start[q + 1]; e++)
            matrix->turned[e] = turned->col[e] == q ? 0 : 1;
    }
}

/* ---- pieces -------------------------------------------------------------------------------------------- */

static void add_entry(const struct wave_matrix *matrix, size_t q, size_t e, struct sens_wave_entry *entry)
{
    const size_t chunk = matrix->A.chunk, other = matrix->transposed.col[e];
    *entry = (struct sens_wave_entry){
        .chunk = (int)(other / chunk) - (int)(q / chunk), .row = other % chunk, .value = matrix->turned[e]};
}

/* Is the row that entry e of row q leads to on a line with it, within its chunk? */
static bool on_line(const struct wave_matrix *matrix, size_t q, size_t e)
{
    const size_t other = matrix->transposed.col[e], chunk = matrix->A.chunk;
    return other / chunk == q / chunk && (other + 1 == q || other == q || other == q + 1);
}

/* Row q of A as entries of a piece that begins with it, those on its line first; their number, and whether the line
 * goes on to both sides (wave.h). */
static size_t list_row(const struct wave_matrix *matrix, size_t q, struct sens_wave_entry *entry, bool *line)
{
    const struct sens_pattern *const turned = &matrix->transposed;
    size_t count = 0;
    for (int others = 0; others < 2; others++) {
        for (size_t e = turned->start[q]; e < turned->start[q + 1]; e++)
            if (matrix->turned[e] != 0 && on_line(matrix, q, e) != others)
                add_entry(matrix, q, e, &entry[count++]);
        if (!others) *line = count == (matrix->A.ones ? 2 : 3);
    }
    return count;
}

/* Is the row the next one of the piece? */
static bool continues(const struct sens_wave_piece *piece, size_t row, size_t entries,
                      const struct sens_wave_entry *entry)
{
    if (row != piece->row + piece->count || entries != piece->entries) return false;
    for (size_t e = 0; e < entries; e++)
        if (entry[e].chunk != piece->entry[e].chunk || entry[e].value != piece->entry[e].value ||
            entry[e].row != piece->entry[e].row + piece->count)
            return false;
    return true;
}

/* `end` is where the next piece's entries go. */
static void cut_into_pieces(struct wave_matrix *matrix)
{
    const size_t n = matrix->A.n, chunk = matrix->A.chunk;
    struct sens_wave_piece *piece = NULL;
    struct sens_wave_entry *end = matrix->entry;
    size_t pieces = 0;
    for (size_t q = 0; q < n; q++) {
        bool line;
        const size_t entries = list_row(matrix, q, end, &line);
        if (q % chunk == 0) matrix->first[q / chunk] = pieces, piece = NULL;
        if (piece && continues(piece, q % chunk, entries, end)) {
            piece->count++;
            continue;
        }
        piece = &matrix->piece[pieces++];
        *piece = (struct sens_wave_piece){
            .row = q % chunk, .count = 1, .entries = entries, .line = line, .entry = end};
        end += entries;
    }
    matrix->first[matrix->A.chunks] = pieces;
}

void wave_matrix_find(struct wave_matrix *matrix, const sens_real *p)
{
    const struct sens_problem *const pb = matrix->pb;
    const size_t entries = sens_pattern_entries(&matrix->transposed);
    const struct sens_at at = {pb->t0, pb->x0, p};
    pb->structure->jacobian(pb, &at, matrix->value);
    for (size_t e = 0; e < entries; e++) matrix->turned[matrix->place[e]] = matrix->value[e];
    find_shift(matrix);
    cut_into_pieces(matrix);
}

/* ---- what is done with it ------------------------------------------------------------------------------ */

/* With z = a + y, a = h shift, y = h scale A: the coefficients in y are those of a repeated division by z - a
 * (Ruffini and Horner's rule). */
static void shift_polynomial(long double a, size_t degree, const long double *r, long double *q)
{
    for (size_t k = 0; k <= degree; k++) q[k] = r[k];
    for (size_t k = 0; k < degree; k++)
        for (size_t j = degree; j-- > k;) q[j] += a * q[j + 1];
}

/* What rounding took of sum_k q_k y^k goes to the least of its terms, whose last digit is the smallest. At another
 * eigenvalue of A, up to `most`, that is so many times as much as a power of most / |y|: of terms by which it would be
 * more than twice as much none is taken. Where y lies well beyond all eigenvalues no mode is there to gain by it, and
 * they would lose: rounding is as large as the terms at y, and what has underflowed for them has not for y. */
static void give_back(long double y, size_t most, size_t degree, const long double *exact, sens_real *q)
{
    const long double beyond = 1.25L;
    long double lost = 0, power = 1, farther = 1, of_least = 1, size = INFINITY;
    size_t least = 0;
    if (!(fabsl(y) <= beyond * (long double)most)) return;
    for (size_t k = 0; k <= degree; k++, power *= y, farther *= (long double)most / fabsl(y)) {
        lost += (exact[k] - (long double)q[k]) * power;
        const long double term = fabsl(exact[k] * power);
        if (farther <= 2 && term > 0 && term < size) least = k, of_least = power, size = term;
    }
    const long double given = lost / of_least;
    if (isfinite(given)) q[least] = (sens_real)((long double)q[least] + given);
}

void wave_matrix_polynomial(const struct wave_matrix *matrix, sens_real h, size_t degree,
                            const long double *r, sens_real *q)
{
    const long double shift = (long double)h * (long double)matrix->shift,
                      scale = (long double)h * (long double)matrix->scale;
    long double exact[SENS_WAVE_DEGREE + 1], power = 1;
    shift_polynomial(shift, degree, r, exact);
    for (size_t k = 0; k <= degree; k++, power *= scale) {
        exact[k] *= power;
        q[k] = (sens_real)exact[k];
    }
    if (matrix->A.ones) give_back(-shift / scale, matrix->most, degree, exact, q);
}

void wave_matrix_add_product(const struct wave_matrix *matrix, const sens_real *V, sens_real *OUT)
{
    const struct sens_pattern *const pattern = matrix->pb->structure->sparsity;
    const struct sens_csr J = {pattern->rows, pattern->cols, pattern->start, pattern->col, matrix->value};
    sens_lanes_add_csr(J, 1, V, OUT);
}
