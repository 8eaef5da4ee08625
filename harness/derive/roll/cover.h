/* derive/roll/cover.h - rows of integers as few affine pieces: loops, loops of loops.
 *
 * A piece stands for the rows base + a_2 step_2 + a_1 step_1 + a_0 step_0 with 0 <= a_l < count_l, the level 0
 * innermost; count_0 may change by `grow` with each a_1 (a triangle). */
#ifndef DERIVE_COVER_H
#define DERIVE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COVER_LEVELS = 3 };

struct cover_piece {
    uint32_t first; /* its rows are order[first], order[first + 1], ..., the innermost level fastest */
    int32_t count[COVER_LEVELS], grow;
};

struct cover_rows {
    const int32_t *value; /* [rows][width] */
    size_t rows, width;
    const unsigned char *fixed; /* [width] not 0: has to be the same in all rows of a piece */
    bool ordered;               /* the rows have to be visited in their order */
};

struct cover {
    size_t depth; /* levels in use: 0 .. COVER_LEVELS */
    size_t n_pieces, width;
    struct cover_piece *piece; /* [n_pieces], in the order in which they are visited */
    int32_t *step;             /* [n_pieces][COVER_LEVELS][width] */
    uint32_t *order;           /* [rows] */
};

/* false: no memory, nothing to release. */
bool cover_find(const struct cover_rows *rows, struct cover *cover);
void cover_release(struct cover *cover);

static inline const int32_t *cover_step(const struct cover *cover, size_t piece, size_t level)
{
    return cover->step + (piece * COVER_LEVELS + level) * cover->width;
}

/* Rows of a piece. */
static inline size_t cover_rows_of(const struct cover_piece *piece)
{
    const int64_t first = piece->count[0], second = piece->count[1], third = piece->count[2];
    return (size_t)((first * second + piece->grow * (second * (second - 1) / 2)) * third);
}

#endif
