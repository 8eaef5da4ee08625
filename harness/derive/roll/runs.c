/* derive/roll/runs.c - terms of a sum that have one shape: evenly advancing indices become a run.
 *
 * Constants advance as they like: those that a run goes through get indices of their own. */
#include <stdlib.h>
#include <string.h>

#include "normal.h"

enum {
    SHORTEST_RUN = 4,     /* terms; fewer are written one by one */
    SHORTEST_SIDE = 3,    /* of the innermost level of a run of runs, */
    SHORTEST_NESTED = 12, /* unless it has so many terms */
    FEW_INTEGERS = 64
};

/* A constant that is not in a run yet. */
static const unsigned char ALONE = NORMAL_CONSTANT | NORMAL_LAST;

struct group { /* of terms */
    struct normal *b;
    const struct normal_item *item;
    size_t count, width; /* integers of a term */
    unsigned char *flag; /* [width] */
    int32_t *value;      /* [count][width], constants 0 */
};

static void append_single(struct normal *b, const struct normal_item *item)
{
    if (!normal_ensure(b, 1, 0)) return;
    if (item->negative) b->token[b->n_tokens++] = roll_make(ROLL_NEG, 1);
    normal_append(b, item);
}

static void add_integer(struct normal *b, int32_t value)
{
    b->integer[b->n_integers++] = value;
}

/* The integers of the k-th row of a piece. */
static const int32_t *integers_of(const struct group *group, const struct cover *cover, size_t p, size_t k)
{
    return group->b->integer + group->item[cover->order[cover->piece[p].first + k]].integer;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* The quantity of a constant in a run: the same everywhere, or one of a sequence that advances by 1, and on the
 * outer levels by the length of the inner ones. */
static void add_constant(struct group *group, const struct cover *cover, size_t p, size_t e, size_t depth)
{
    struct normal *b = group->b;
    const struct cover_piece *piece = &cover->piece[p];
    const size_t total = cover_rows_of(piece);
    int32_t *index = calloc(total ? total : 1, sizeof *index), step;
    bool uniform = true;
    b->failed = b->failed || !index;
    for (size_t k = 0; index && k < total; k++) {
        index[k] = integers_of(group, cover, p, k)[e];
        uniform = uniform && index[k] == index[0];
    }
    if (index) add_integer(b, uniform ? index[0] : constants_sequence(&b->constants, index, total));
    free(index);
    step = uniform ? 0 : 1;
    for (size_t l = 0; l < depth; l++, step *= piece->count[l - 1]) add_integer(b, step);
}

/* The counts of the levels, outermost first: quantities inside the runs around them. */
static void add_counts(struct normal *b, const struct cover_piece *piece, size_t depth)
{
    for (size_t l = depth; l-- > 0;) {
        b->token[b->n_tokens++] = roll_make(ROLL_RUN, 0);
        add_integer(b, piece->count[l]);
        for (size_t above = l + 1; above < depth; above++)
            add_integer(b, l == 0 && above == 1 ? piece->grow : 0);
    }
}

static void append_run(struct group *group, const struct cover *cover, size_t p)
{
    struct normal *b = group->b;
    const struct cover_piece *piece = &cover->piece[p];
    const struct normal_item *item = &group->item[cover->order[piece->first]];
    size_t depth = cover->depth;
    while (depth > 1 && piece->count[depth - 1] == 1) depth--;
    if (!normal_ensure(b, 1 + depth + item->n_tokens, depth * depth + group->width * (1 + depth))) return;
    if (item->negative) b->token[b->n_tokens++] = roll_make(ROLL_NEG, 1);
    add_counts(b, piece, depth);
    memcpy(b->token + b->n_tokens, b->token + item->token, item->n_tokens * sizeof *b->token);
    b->n_tokens += item->n_tokens;
    size_t start = 0; /* of the quantity: behind it stand its steps in the runs inside */
    for (size_t e = 0; e < group->width; e++) {
        if (!(group->flag[e] & NORMAL_FIXED) || group->flag[e] & NORMAL_CLASS) start = e;
        if (group->flag[e] == ALONE) {
            add_constant(group, cover, p, e, depth);
            continue;
        }
        add_integer(b, b->integer[item->integer + e]);
        for (size_t l = 0; group->flag[e] & NORMAL_LAST && l < depth; l++)
            add_integer(b, cover_step(cover, p, l)[start]);
    }
}

/* Constants of a triangle would need rows of different length. */
static bool is_run(const struct group *group, const struct cover *cover, size_t p)
{
    const struct cover_piece *piece = &cover->piece[p];
    const bool nested = piece->count[1] > 1 || piece->count[2] > 1;
    for (size_t e = 0; piece->grow != 0 && e < group->width; e++)
        if (group->flag[e] & NORMAL_CONSTANT) return false;
    const size_t terms = cover_rows_of(piece);
    return terms >= SHORTEST_RUN &&
           (!nested || piece->count[0] >= SHORTEST_SIDE || piece->grow != 0 || terms >= SHORTEST_NESTED);
}

static size_t append_piece(struct group *group, const struct cover *cover, size_t p)
{
    if (is_run(group, cover, p)) {
        append_run(group, cover, p);
        return 1;
    }
    const size_t rows = cover_rows_of(&cover->piece[p]);
    for (size_t k = 0; k < rows; k++)
        append_single(group->b, &group->item[cover->order[cover->piece[p].first + k]]);
    return rows;
}

/* ---- a group of terms ---------------------------------------------------------------------------------- */

static bool start_group(struct group *group)
{
    struct normal *b = group->b;
    group->flag = malloc(group->width + 1);
    group->value = malloc((group->count * group->width + 1) * sizeof *group->value);
    if (!group->flag || !group->value) return false;
    normal_flags(b->token + group->item->token, group->flag);
    for (size_t k = 0; k < group->count; k++)
        for (size_t e = 0; e < group->width; e++)
            group->value[k * group->width + e] =
                group->flag[e] == ALONE ? 0 : b->integer[group->item[k].integer + e];
    return true;
}

static size_t append_group(struct group *group)
{
    unsigned char *fixed = malloc(group->width + 1);
    struct cover cover = {.depth = 0};
    size_t operands = 0;
    if (!fixed || !start_group(group)) {
        free(fixed);
        group->b->failed = true;
        return 0;
    }
    for (size_t e = 0; e < group->width; e++) fixed[e] = group->flag[e] & NORMAL_FIXED;
    const struct cover_rows rows = {group->value, group->count, group->width, fixed, false};
    if (!cover_find(&rows, &cover)) group->b->failed = true;
    for (size_t p = 0; p < cover.n_pieces && !group->b->failed; p++)
        operands += append_piece(group, &cover, p);
    cover_release(&cover);
    free(fixed);
    return operands;
}

/* Do the terms of the shortest run advance evenly? The neighbours in a grid do not: this tells it at once. flag
 * [item->n_integers] */
static bool is_even(const struct normal *b, const struct normal_item *item, const unsigned char *flag)
{
    for (size_t e = 0; e < item->n_integers; e++) {
        const int32_t step = b->integer[item[1].integer + e] - b->integer[item[0].integer + e];
        if (flag[e] == ALONE) continue;
        if (flag[e] & NORMAL_FIXED && step != 0) return false;
        for (size_t k = 2; k < SHORTEST_RUN; k++)
            if (b->integer[item[k].integer + e] - b->integer[item[k - 1].integer + e] != step) return false;
    }
    return true;
}

/* Can there be a run? Of more terms than the shortest has that takes longer to tell. */
static bool may_run(const struct normal *b, const struct normal_item *item, size_t count)
{
    unsigned char flag[FEW_INTEGERS];
    if (count != SHORTEST_RUN || item->n_integers > FEW_INTEGERS) return count >= SHORTEST_RUN;
    normal_flags(b->token + item->token, flag);
    return is_even(b, item, flag);
}

size_t normal_append_terms(struct normal *b, const struct normal_item *item, size_t count)
{
    if (may_run(b, item, count)) {
        struct group group = {.b = b, .item = item, .count = count, .width = item->n_integers};
        const size_t operands = append_group(&group);
        free(group.flag);
        free(group.value);
        return operands;
    }
    for (size_t k = 0; k < count; k++) append_single(b, &item[k]);
    return count;
}
