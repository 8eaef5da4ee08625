/* derive/roll/cover.c - runs of rows with one difference, then runs of such runs. Where many pieces come out, the
 * rows are first sorted by how far their numbers are from the first one: cells at the four sides of a grid come
 * apart that way. Where there are still many, pieces that are alike are put together. */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_PIECES = 4, SEVERAL_PIECES = 16, FEW_VALUES = 16 };

static int32_t *step_of(struct cover *cover, size_t piece, size_t level)
{
    return cover->step + (piece * COVER_LEVELS + level) * cover->width;
}

/* ---- one level ----------------------------------------------------------------------------------------- */

/* Are two pieces of the level below alike, but for the row where they start and, on level 1, their length? */
static bool alike(const struct cover *cover, size_t level, size_t one, size_t two)
{
    const struct cover_piece *a = &cover->piece[one], *b = &cover->piece[two];
    if (level == 0) return true;
    for (size_t l = level == 1 ? 1 : 0; l < level; l++)
        if (a->count[l] != b->count[l]) return false;
    if (a->grow != b->grow) return false;
    return memcmp(cover_step(cover, one, 0), cover_step(cover, two, 0),
                  level * cover->width * sizeof *cover->step) == 0;
}

/* Does the way from piece `one` to the next equal step and grow? With `set` it is stored there first. */
static bool next_is(const struct cover_rows *rows, const struct cover *cover, size_t level, size_t one,
                    int32_t *step, int32_t *grow, bool set)
{
    const int32_t *from = rows->value + cover->order[cover->piece[one].first] * rows->width;
    const int32_t *to = rows->value + cover->order[cover->piece[one + 1].first] * rows->width;
    const int32_t longer = level == 1 ? cover->piece[one + 1].count[0] - cover->piece[one].count[0] : 0;
    if (!alike(cover, level, one, one + 1)) return false;
    if (set) *grow = longer;
    if (longer != *grow) return false;
    for (size_t e = 0; e < rows->width; e++) {
        const int32_t difference = to[e] - from[e];
        if (rows->fixed[e] && difference != 0) return false;
        if (set) step[e] = difference;
        if (difference != step[e]) return false;
    }
    return true;
}

/* Pieces from `one` on that follow each other in equal steps: how many. */
static size_t run_length(const struct cover_rows *rows, const struct cover *cover, size_t level, size_t one,
                         int32_t *step, int32_t *grow)
{
    size_t length = 1;
    *grow = 0;
    memset(step, 0, rows->width * sizeof *step);
    while (one + length < cover->n_pieces &&
           next_is(rows, cover, level, one + length - 1, step, grow, length == 1))
        length++;
    return length;
}

/* Two in a row may be the end of one run and the start of another, which is then longer; two of different length
 * are no triangle. */
static size_t settled_length(const struct cover_rows *rows, const struct cover *cover, size_t level,
                             size_t one, int32_t *step, int32_t *grow, int32_t *spare)
{
    int32_t spare_grow;
    const size_t length = run_length(rows, cover, level, one, step, grow);
    if (length != 2) return length;
    if (*grow == 0 && run_length(rows, cover, level, one + 1, spare, &spare_grow) < 3) return length;
    memset(step, 0, rows->width * sizeof *step);
    *grow = 0;
    return 1;
}

/* Pieces of one level more, in place. spare [2][width] */
static void merge_level(const struct cover_rows *rows, struct cover *cover, size_t level, int32_t *spare)
{
    size_t made = 0, length;
    for (size_t one = 0; one < cover->n_pieces; one += length, made++) {
        int32_t grow;
        length = settled_length(rows, cover, level, one, spare, &grow, spare + rows->width);
        cover->piece[made] = cover->piece[one];
        cover->piece[made].count[level] = (int32_t)length;
        if (level == 1) cover->piece[made].grow = grow;
        if (made != one)
            memcpy(step_of(cover, made, 0), step_of(cover, one, 0), level * rows->width * sizeof *spare);
        memcpy(step_of(cover, made, level), spare, rows->width * sizeof *spare);
    }
    cover->n_pieces = made;
}

/* ---- all levels ---------------------------------------------------------------------------------------- */

/* A cover of single rows, which takes the order over; false: no memory. */
static bool start(const struct cover_rows *rows, uint32_t *order, struct cover *cover)
{
    const size_t numbers = (rows->rows * COVER_LEVELS + 2) * rows->width + 1;
    *cover = (struct cover){.n_pieces = rows->rows, .width = rows->width, .order = order};
    cover->piece = malloc((rows->rows + 1) * sizeof *cover->piece);
    cover->step = malloc(numbers * sizeof *cover->step);
    if (!cover->piece || !cover->step || !order) {
        cover_release(cover);
        return false;
    }
    for (size_t r = 0; r < rows->rows; r++)
        cover->piece[r] = (struct cover_piece){.first = (uint32_t)r, .count = {1, 1, 1}};
    return true;
}

static void merge_levels(const struct cover_rows *rows, struct cover *cover)
{
    for (size_t before = SIZE_MAX; cover->depth < COVER_LEVELS && cover->n_pieces < before;) {
        before = cover->n_pieces;
        if (before == 1 && cover->depth > 0) break;
        merge_level(rows, cover, cover->depth, cover->step + rows->rows * COVER_LEVELS * rows->width);
        if (cover->n_pieces < before) cover->depth++;
    }
}

void cover_release(struct cover *cover)
{
    free(cover->piece);
    free(cover->step);
    free(cover->order);
    *cover = (struct cover){.depth = 0};
}

/* ---- rows of a kind together --------------------------------------------------------------------------- */

struct keyed {
    uint64_t key;
    uint32_t row;
};

static int by_key(const void *one, const void *two)
{
    const struct keyed *a = one, *b = two;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* All that alike() compares. */
static uint64_t key_of_piece(const struct cover *cover, size_t p)
{
    const struct cover_piece *piece = &cover->piece[p];
    const int32_t *step = cover_step(cover, p, 0);
    uint64_t key = (uint32_t)piece->grow;
    for (size_t l = 0; l < COVER_LEVELS; l++)
        key = (key ^ (uint32_t)piece->count[l]) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t e = 0; e < cover->depth * cover->width; e++) {
        key = (key ^ (uint32_t)step[e]) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 29;
    }
    return key;
}

/* to: the pieces of `from` in the order of the keys, with their rows. */
static void take_pieces(const struct cover *from, const struct keyed *keyed, struct cover *to)
{
    const size_t steps = COVER_LEVELS * from->width;
    uint32_t first = 0;
    for (size_t p = 0; p < from->n_pieces; p++) {
        const struct cover_piece *piece = &from->piece[keyed[p].row];
        const size_t count = cover_rows_of(piece);
        to->piece[p] = *piece;
        to->piece[p].first = first;
        memcpy(to->order + first, from->order + piece->first, count * sizeof *to->order);
        memcpy(to->step + p * steps, from->step + keyed[p].row * steps, steps * sizeof *to->step);
        first += (uint32_t)count;
    }
    to->n_pieces = from->n_pieces;
    to->depth = from->depth;
}

/* Pieces that are alike follow each other: the inner cells of each line of a grid, then the ends of each. false: no
 * memory. */
static bool group_pieces(const struct cover_rows *rows, struct cover *cover)
{
    struct cover grouped;
    struct keyed *keyed = malloc(cover->n_pieces * sizeof *keyed);
    const bool room = start(rows, malloc((rows->rows + 1) * sizeof(uint32_t)), &grouped);
    if (!keyed || !room) {
        free(keyed);
        if (room) cover_release(&grouped);
        return false;
    }
    for (size_t p = 0; p < cover->n_pieces; p++)
        keyed[p] = (struct keyed){key_of_piece(cover, p), (uint32_t)p};
    qsort(keyed, cover->n_pieces, sizeof *keyed, by_key);
    take_pieces(cover, keyed, &grouped);
    free(keyed);
    cover_release(cover);
    *cover = grouped;
    return true;
}

/* The cover takes the order over; false: no memory, nothing to release. */
static bool merge_all(const struct cover_rows *rows, uint32_t *order, struct cover *cover)
{
    if (!start(rows, order, cover)) return false;
    merge_levels(rows, cover);
    return true;
}

/* One level more, where what is alike does not follow each other; false: no memory, nothing to release. */
static bool merge_grouped(const struct cover_rows *rows, struct cover *cover)
{
    if (cover->n_pieces <= SEVERAL_PIECES || cover->depth == 0 || cover->depth == COVER_LEVELS) return true;
    if (!group_pieces(rows, cover)) {
        cover_release(cover);
        return false;
    }
    merge_levels(rows, cover);
    return true;
}

/* Different values of column e less `sign` times column 0, up to FEW_VALUES + 1 of them. */
static size_t different(const struct cover_rows *rows, size_t e, int32_t sign)
{
    int32_t seen[FEW_VALUES + 1];
    size_t count = 0;
    for (size_t r = 0; r < rows->rows && count <= FEW_VALUES; r++) {
        const int32_t *row = rows->value + r * rows->width, value = row[e] - sign * row[0];
        size_t k = 0;
        while (k < count && seen[k] != value) k++;
        if (k == count) seen[count++] = value;
    }
    return count;
}

/* Column e goes into the keys by itself, less or plus column 0: whichever has the fewest values. */
static void add_column(const struct cover_rows *rows, size_t e, struct keyed *keyed)
{
    static const int32_t signs[] = {1, 0, -1};
    int32_t best_sign = 0;
    size_t fewest = FEW_VALUES + 1;
    for (size_t k = 0; k < 3; k++) {
        const size_t count = different(rows, e, signs[k]);
        if (count < fewest) fewest = count, best_sign = signs[k];
    }
    if (fewest > FEW_VALUES || fewest == 1) return;
    for (size_t r = 0; r < rows->rows; r++) {
        const int32_t *row = rows->value + r * rows->width;
        const uint64_t value = (uint32_t)(row[e] - best_sign * row[0]);
        keyed[r].key = (keyed[r].key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
        keyed[r].key ^= keyed[r].key >> 29;
    }
}

/* The rows as they stand; NULL: no memory. */
static uint32_t *given_order(const struct cover_rows *rows)
{
    uint32_t *order = malloc((rows->rows + 1) * sizeof *order);
    for (size_t r = 0; order && r < rows->rows; r++) order[r] = (uint32_t)r;
    return order;
}

/* The order of the rows by their keys; NULL: no memory. */
static uint32_t *sorted_order(const struct cover_rows *rows)
{
    struct keyed *keyed = malloc(rows->rows * sizeof *keyed);
    uint32_t *order = malloc(rows->rows * sizeof *order);
    if (keyed && order) {
        for (size_t r = 0; r < rows->rows; r++) keyed[r] = (struct keyed){0, (uint32_t)r};
        for (size_t e = 0; e < rows->width; e++) add_column(rows, e, keyed);
        qsort(keyed, rows->rows, sizeof *keyed, by_key);
        for (size_t r = 0; r < rows->rows; r++) order[r] = keyed[r].row;
    } else {
        free(order);
        order = NULL;
    }
    free(keyed);
    return order;
}

bool cover_find(const struct cover_rows *rows, struct cover *cover)
{
    struct cover sorted;
    if (!merge_all(rows, given_order(rows), cover)) return false;
    if (rows->ordered || cover->n_pieces <= FEW_PIECES) return true;
    if (!merge_all(rows, sorted_order(rows), &sorted)) {
        cover_release(cover);
        return false;
    }
    if (sorted.n_pieces < cover->n_pieces) {
        struct cover swap = *cover;
        *cover = sorted, sorted = swap;
    }
    cover_release(&sorted);
    return merge_grouped(rows, cover);
}
