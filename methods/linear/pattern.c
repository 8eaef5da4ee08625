/* Patterns of sparse matrices, see pattern.h. */
#include "pattern.h"

#include <stdint.h>

static sens_status allocate(struct sens_ctx *ctx, size_t rows, size_t cols, size_t entries, size_t **start,
                            size_t **col, struct sens_pattern *made)
{
    *start = SENS_NEW(ctx, size_t, rows + 1);
    *col = SENS_NEW(ctx, size_t, entries);
    *made = (struct sens_pattern){.rows = rows, .cols = cols, .start = *start, .col = *col};
    return *start && *col ? SENS_OK : SENS_NO_MEMORY;
}

sens_status sens_pattern_transpose(struct sens_ctx *ctx, const struct sens_pattern *pattern,
                                   struct sens_pattern *transposed, size_t **place)
{
    const size_t entries = sens_pattern_entries(pattern);
    size_t *start, *col;
    const sens_status status = allocate(ctx, pattern->cols, pattern->rows, entries, &start, &col, transposed);
    size_t *const next = SENS_NEW(ctx, size_t, pattern->cols);
    *place = SENS_NEW(ctx, size_t, entries);
    if (status != SENS_OK || !next || !*place) return SENS_NO_MEMORY;
    for (size_t e = 0; e < entries; e++) start[pattern->col[e] + 1]++;
    for (size_t j = 0; j < pattern->cols; j++) {
        start[j + 1] += start[j];
        next[j] = start[j];
    }
    for (size_t i = 0; i < pattern->rows; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
            const size_t at = next[pattern->col[e]]++;
            (*place)[e] = at;
            col[at] = i;
        }
    return SENS_OK;
}

/* Where the entries of a row and its diagonal go, from `end` on; returns the row's end. */
static size_t place_row(const struct sens_pattern *pattern, size_t row, size_t end, size_t *col,
                        size_t *place)
{
    bool has = false;
    for (size_t e = pattern->start[row]; e < pattern->start[row + 1]; e++) {
        if (!has && pattern->col[e] > row) col[end++] = row;
        has = has || pattern->col[e] >= row;
        place[e] = end;
        col[end++] = pattern->col[e];
    }
    if (!has) col[end++] = row;
    return end;
}

sens_status sens_pattern_add_diagonal(struct sens_ctx *ctx, const struct sens_pattern *pattern,
                                      struct sens_pattern *with, size_t **place)
{
    const size_t n = pattern->rows, entries = sens_pattern_entries(pattern);
    size_t *start, *col;
    const sens_status status = allocate(ctx, n, n, entries + n, &start, &col, with);
    *place = SENS_NEW(ctx, size_t, entries);
    if (status != SENS_OK || !*place) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) start[i + 1] = place_row(pattern, i, start[i], col, *place);
    if (start[n] == entries) *place = NULL;
    return SENS_OK;
}

sens_status sens_pattern_union(struct sens_ctx *ctx, const struct sens_pattern *a,
                               const struct sens_pattern *b, struct sens_pattern *both, size_t **place_a,
                               size_t **place_b)
{
    const size_t in_a = sens_pattern_entries(a), in_b = sens_pattern_entries(b);
    size_t *start, *col, end = 0;
    const sens_status status = allocate(ctx, a->rows, a->cols, in_a + in_b, &start, &col, both);
    *place_a = SENS_NEW(ctx, size_t, in_a);
    *place_b = SENS_NEW(ctx, size_t, in_b);
    if (status != SENS_OK || !*place_a || !*place_b) return SENS_NO_MEMORY;
    for (size_t i = 0; i < a->rows; i++) {
        size_t e = a->start[i], f = b->start[i];
        while (e < a->start[i + 1] || f < b->start[i + 1]) {
            const size_t p = e < a->start[i + 1] ? a->col[e] : SIZE_MAX,
                         q = f < b->start[i + 1] ? b->col[f] : SIZE_MAX;
            if (p <= q) (*place_a)[e++] = end;
            if (q <= p) (*place_b)[f++] = end;
            col[end++] = p < q ? p : q;
        }
        start[i + 1] = end;
    }
    return SENS_OK;
}

sens_status sens_pattern_band(struct sens_ctx *ctx, size_t n, size_t half, struct sens_pattern *band)
{
    const size_t reach = half < n ? half : n - 1, most = 2 * reach + 1 < n ? 2 * reach + 1 : n;
    size_t *start, *col;
    if (allocate(ctx, n, n, n * most, &start, &col, band) != SENS_OK) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const size_t first = i > reach ? i - reach : 0, end = i + reach < n ? i + reach + 1 : n;
        start[i + 1] = start[i];
        for (size_t j = first; j < end; j++) col[start[i + 1]++] = j;
    }
    return SENS_OK;
}

sens_status sens_pattern_colour(struct sens_ctx *ctx, const struct sens_pattern *pattern, size_t *colour,
                                size_t *colours)
{
    struct sens_pattern by_columns;
    size_t *place;
    const sens_status status = sens_pattern_transpose(ctx, pattern, &by_columns, &place);
    size_t *const taken_by =
        SENS_NEW(ctx, size_t, pattern->cols); /* a colour: by a neighbour of column - 1 */
    if (status != SENS_OK || !taken_by) return SENS_NO_MEMORY;
    *colours = 0;
    for (size_t j = 0; j < pattern->cols; j++) {
        for (size_t e = by_columns.start[j]; e < by_columns.start[j + 1]; e++) {
            const size_t i = by_columns.col[e];
            for (size_t f = pattern->start[i]; f < pattern->start[i + 1] && pattern->col[f] < j; f++)
                taken_by[colour[pattern->col[f]]] = j + 1;
        }
        colour[j] = 0;
        while (taken_by[colour[j]] == j + 1) colour[j]++;
        if (colour[j] == *colours) ++*colours;
    }
    return SENS_OK;
}
