/* methods/linear/pattern.h - patterns of sparse matrices made from others. All memory is the arena's; each
 * function that returns a status returns SENS_OK or SENS_NO_MEMORY. */
#ifndef SENS_PATTERN_H
#define SENS_PATTERN_H

#include "sens/problem.h"

static inline size_t sens_pattern_entries(const struct sens_pattern *pattern)
{
    return pattern->start[pattern->rows];
}

/* The transpose. Value e of the pattern belongs at place[e], [entries]. */
sens_status sens_pattern_transpose(struct sens_ctx *ctx, const struct sens_pattern *pattern,
                                   struct sens_pattern *transposed, size_t **place);

/* A square pattern with its whole diagonal. Value e of the pattern belongs at place[e], and *place is NULL
 * where the diagonal was there: then the values stay as they are. */
sens_status sens_pattern_add_diagonal(struct sens_ctx *ctx, const struct sens_pattern *pattern,
                                      struct sens_pattern *with, size_t **place);

/* The entries of either of two patterns of one size. Value e of a belongs at place_a[e], of b at place_b[e]. */
sens_status sens_pattern_union(struct sens_ctx *ctx, const struct sens_pattern *a,
                               const struct sens_pattern *b, struct sens_pattern *both, size_t **place_a,
                               size_t **place_b);

/* All (i, j) with |i - j| <= half, i, j < n. */
sens_status sens_pattern_band(struct sens_ctx *ctx, size_t n, size_t half, struct sens_pattern *band);

/* A colour for each column, such that no two columns of one colour have a row in common: the product of the
 * matrix with the sum of their unit vectors then shows the columns side by side (Curtis, Powell & Reid 1974).
 * In the order of the columns, each takes the first colour that is free: of a band these are as few as can
 * be. colour [cols], all below *colours. */
sens_status sens_pattern_colour(struct sens_ctx *ctx, const struct sens_pattern *pattern, size_t *colour,
                                size_t *colours);

#endif
