/* What became of the cells that two sets of results have in common: a cell is its sweep and its settings (`cell`).
 *
 *     faster, slower   the interval of the quotient of the two times lies outside of [1 / (1 + noise), 1 + noise]
 *     within           it does not: nothing can be said
 *     unknown          there is no interval of at least 90 %: too few samples, or no time
 *
 * Errors and counts have no noise where steps and products are the same; an error has changed when the two differ by
 * more than a tenth of what it was, and by more than 1e-12 of what it is relative to, which is rounding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

struct place { /* of a row */
    const struct record *row;
    size_t table, index;
};
struct places {
    struct place *place;
    size_t count;
};

static int compare_cells(const void *left, const void *right)
{
    const struct record *const a = ((const struct place *)left)->row, *const b =
                                                                          ((const struct place *)right)->row;
    const int order = strcmp(a->text[COL_sweep], b->text[COL_sweep]);
    return order ? order : strcmp(a->text[COL_cell], b->text[COL_cell]);
}

/* In the order of their cells. false: no memory. */
static bool sort_rows(const struct summary *summary, struct places *places)
{
    size_t rows = 0;
    for (size_t t = 0; t < summary->tables; t++) rows += summary->table[t].rows;
    *places = (struct places){calloc(rows + 1, sizeof *places->place), 0};
    if (!places->place) return false;
    for (size_t t = 0; t < summary->tables; t++)
        for (size_t r = 0; r < summary->table[t].rows; r++)
            places->place[places->count++] = (struct place){&summary->table[t].row[r], t, r};
    qsort(places->place, places->count, sizeof *places->place, compare_cells);
    return true;
}

static const char *judge_time(struct ratio ratio, double noise)
{
    static const double level = 0.9 - 1e-9; /* of files that keep intervals of 95 % alone, two of them */
    if (!isfinite(ratio.lo) || !isfinite(ratio.hi) || !(ratio.level >= level)) return "unknown";
    if (ratio.lo > 1 + noise) return "slower";
    return ratio.hi < 1 / (1 + noise) ? "faster" : "within";
}

static const char *judge_error(double now, double before)
{
    static const double rounding = 1e-12, part = 0.1;
    if (isnan(now) || isnan(before)) return isnan(now) == isnan(before) ? "same" : "unknown";
    const double change = fabs(now - before);
    if (change <= rounding || change <= part * before) return "same";
    return now > before ? "larger" : "smaller";
}

/* Of the state and of the gradient; the gradient speaks where they disagree. */
static const char *judge_errors(const struct record *now, const struct record *before)
{
    const char *const gradient = judge_error(now->number[COL_err_grad], before->number[COL_err_grad]);
    const bool alike = strcmp(gradient, "same") == 0;
    return alike ? judge_error(now->number[COL_err_x], before->number[COL_err_x]) : gradient;
}

/* The counts that differ, by name: [before, now]. */
static json_t *changed_counts(const struct record *now, const struct record *before)
{
    static const int counts[] = {COL_steps_reverse, COL_rejects_reverse, COL_steps,    COL_rejects,
                                 COL_n_rhs,         COL_n_vjp,           COL_n_jvp,    COL_n_vjp_p,
                                 COL_n_jvp_p,       COL_n_jacobian,      COL_n_factor, COL_n_solve,
                                 COL_n_newton};
    json_t *const object = json_object();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const double x = before->number[counts[i]], y = now->number[counts[i]];
        if (isnan(x) || isnan(y) || x == y) continue;
        json_object_set_new(object, record_column_info[counts[i]].name,
                            json_pack("[o,o]", json_of_number(x), json_of_number(y)));
    }
    return object;
}

/* [table, row] */
static json_t *place_json(const struct place *place)
{
    return json_pack("[I,I]", (json_int_t)place->table, (json_int_t)place->index);
}

/* [table, row, table before, row before, quotient, its ends, time, error], and the counts where any changed */
static json_t *change_of(const struct place *now, const struct place *before, double noise)
{
    const struct ratio ratio = summary_ratio(now->row, before->row);
    json_t *const counts = changed_counts(now->row, before->row);
    json_t *const change = json_pack(
        "[I,I,I,I,o,o,o,s,s]", (json_int_t)now->table, (json_int_t)now->index, (json_int_t)before->table,
        (json_int_t)before->index, json_of_number(ratio.value), json_of_number(ratio.lo),
        json_of_number(ratio.hi), judge_time(ratio, noise), judge_errors(now->row, before->row));
    if (json_object_size(counts) > 0) json_array_append(change, counts);
    json_decref(counts);
    return change;
}

static json_t *pair_up(const struct places *now, const struct places *before, double noise)
{
    json_t *const pairs = json_array(), *const added = json_array(), *const gone = json_array();
    size_t i = 0, k = 0;
    while (i < now->count || k < before->count) {
        const int order = i == now->count      ? 1
                          : k == before->count ? -1
                                               : compare_cells(&now->place[i], &before->place[k]);
        if (order < 0)
            json_array_append_new(added, place_json(&now->place[i++]));
        else if (order > 0)
            json_array_append_new(gone, place_json(&before->place[k++]));
        else
            json_array_append_new(pairs, change_of(&now->place[i++], &before->place[k++], noise));
    }
    return json_pack("{s:f,s:o,s:o,s:o}", "noise", noise, "pairs", pairs, "added", added, "gone", gone);
}

void page_leave_cells(json_t *tables, const json_t *changes)
{
    const char *const cell = record_column_info[COL_cell].name;
    const json_t *const pairs = json_object_get(changes, "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *const pair = json_array_get(pairs, i);
        const size_t table = (size_t)json_integer_value(json_array_get(pair, 2)),
                     row = (size_t)json_integer_value(json_array_get(pair, 3));
        const json_t *const columns = json_object_get(json_array_get(tables, table), "columns");
        const json_t *const column = json_object_get(columns, cell);
        if (json_object_get(column, "words"))
            json_string_set(json_array_get(json_object_get(column, "at"), row), "");
    }
}

json_t *page_changes(const struct summary *results, const struct summary *before, double noise)
{
    struct places now = {NULL, 0}, then = {NULL, 0};
    json_t *const changes =
        sort_rows(results, &now) && sort_rows(before, &then) ? pair_up(&now, &then, noise) : NULL;
    free(now.place);
    free(then.place);
    return changes;
}
