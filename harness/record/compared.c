/* Rows of comparisons are held against what they mean, see compared.h: a page would draw any number. */
#include "compared.h"

#include <math.h>
#include <stdlib.h>

/* ---- a row --------------------------------------------------------------------------------------------- */

enum range { WHOLE, ABOVE_ZERO, NOT_NEGATIVE };
static const enum range range_of[COMPARED_NUMBERS] = {[COMPARED_group] = WHOLE,
                                                      [COMPARED_contender] = WHOLE,
                                                      [COMPARED_rounds] = WHOLE,
                                                      [COMPARED_repeat] = WHOLE,
                                                      [COMPARED_pairs] = WHOLE,
                                                      [COMPARED_ratio] = ABOVE_ZERO,
                                                      [COMPARED_ratio_lo] = ABOVE_ZERO,
                                                      [COMPARED_ratio_hi] = ABOVE_ZERO,
                                                      [COMPARED_ratio_min] = ABOVE_ZERO,
                                                      [COMPARED_ratio_max] = ABOVE_ZERO,
                                                      [COMPARED_cpu] = NOT_NEGATIVE,
                                                      [COMPARED_error] = NOT_NEGATIVE,
                                                      [COMPARED_best_error] = NOT_NEGATIVE,
                                                      [COMPARED_tried] = WHOLE};

static bool in_range(enum range range, double number)
{
    if (range == WHOLE) return number >= 0 && number == nearbyint(number);
    return isfinite(number) && (range == ABOVE_ZERO ? number > 0 : number >= 0);
}

static bool check_ranges(const char *path, int line, const struct compared *row, struct bench_error *error)
{
    static const char *const meant[] = {
        [WHOLE] = "a whole number, 0 or more", [ABOVE_ZERO] = "above 0", [NOT_NEGATIVE] = "0 or more"};
    for (int c = 0; c < COMPARED_NUMBERS; c++) {
        const double number = row->number[c];
        const bool named = c == COMPARED_group || c == COMPARED_contender;
        if ((isnan(number) && !named) || in_range(range_of[c], number)) continue;
        return bench_refuse(error, "%s:%d: %s: %.17g has to be %s", path, line, compared_name[c], number,
                            meant[range_of[c]]);
    }
    return true;
}

/* Those that are known, from the least to the largest. */
static bool check_order(const char *path, int line, const struct compared *row, struct bench_error *error)
{
    static const enum compared_column ascending[] = {COMPARED_ratio_min, COMPARED_ratio_lo, COMPARED_ratio,
                                                     COMPARED_ratio_hi, COMPARED_ratio_max};
    int below = -1;
    for (size_t k = 0; k < sizeof ascending / sizeof ascending[0]; k++) {
        const int c = (int)ascending[k];
        if (isnan(row->number[c])) continue;
        if (below >= 0 && row->number[below] > row->number[c])
            return bench_refuse(error, "%s:%d: %s: %.17g is above %s: %.17g", path, line,
                                compared_name[below], row->number[below], compared_name[c], row->number[c]);
        below = c;
    }
    return true;
}

bool compared_check_row(const char *path, int line, const struct compared *row, struct bench_error *error)
{
    if (!check_ranges(path, line, row, error) || !check_order(path, line, row, error)) return false;
    const double ratio = row->number[COMPARED_ratio];
    if (row->number[COMPARED_contender] == 0 && !isnan(ratio) && ratio != 1)
        return bench_refuse(error, "%s:%d: ratio: %.17g of contender 0, the base, whose ratio is 1", path,
                            line, ratio);
    if (row->number[COMPARED_pairs] > row->number[COMPARED_rounds])
        return bench_refuse(error, "%s:%d: pairs: %.17g are more than the rounds, %.17g", path, line,
                            row->number[COMPARED_pairs], row->number[COMPARED_rounds]);
    return true;
}

/* ---- all rows ------------------------------------------------------------------------------------------ */

struct place { /* of a row */
    double group, contender;
    int line;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *const a = left, *const b = right;
    if (a->group != b->group) return (a->group > b->group) - (a->group < b->group);
    if (a->contender != b->contender) return (a->contender > b->contender) - (a->contender < b->contender);
    return (a->line > b->line) - (a->line < b->line);
}

/* Of a place by the one before it in order: a group begins with its base, and no place is taken twice. */
static bool check_place(const char *path, const struct place *before, const struct place *at,
                        struct bench_error *error)
{
    const bool begins = !before || before->group != at->group;
    if (begins && at->contender != 0)
        return bench_refuse(error, "%s:%d: group: %.17g has no contender 0, the base of its ratios", path,
                            at->line, at->group);
    return begins || before->contender != at->contender ||
           bench_refuse(error, "%s:%d: contender: %.17g of group %.17g stands in line %d, too", path,
                        at->line, at->contender, at->group, before->line);
}

bool compared_check_groups(const struct table *table, struct bench_error *error)
{
    struct place *const place = calloc(table->rows + 1, sizeof *place);
    if (!place) return bench_refuse(error, "%s: no memory for %zu rows", table->path, table->rows);
    for (size_t r = 0; r < table->rows; r++)
        place[r] = (struct place){table->compared[r].number[COMPARED_group],
                                  table->compared[r].number[COMPARED_contender], table->line[r]};
    qsort(place, table->rows, sizeof *place, compare_places);
    bool ok = true;
    for (size_t k = 0; ok && k < table->rows; k++)
        ok = check_place(table->path, k > 0 ? &place[k - 1] : NULL, &place[k], error);
    free(place);
    return ok;
}
