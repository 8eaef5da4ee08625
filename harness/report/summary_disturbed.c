/* Which sweeps have rows whose times are not of an undisturbed machine: column samples_disturbed. */
#include <string.h>

#include "summary.h"

struct disturbed_count {
    const char *sweep;
    size_t rows, disturbed; /* with times; with disturbed samples among these */
};

static const struct row_query every_row = {.sweep = NULL};

static bool is_disturbed_row(const struct record *row)
{
    return row_ok(row) && row->number[COL_samples_disturbed] > 0;
}

/* Whether no row before it is a disturbed one of the same sweep. */
static bool is_first(const struct summary *summary, const struct record *row)
{
    size_t cursor = 0;
    for (const struct record *other; (other = summary_next(summary, &every_row, &cursor));)
        if (is_disturbed_row(other) && strcmp(other->text[COL_sweep], row->text[COL_sweep]) == 0)
            return other == row;
    return false;
}

/* The next sweep that has a disturbed row; NULL after the last. */
static const char *next_sweep(const struct summary *summary, size_t *cursor)
{
    for (const struct record *row; (row = summary_next(summary, &every_row, cursor));)
        if (is_disturbed_row(row) && is_first(summary, row)) return row->text[COL_sweep];
    return NULL;
}

static bool next_count(const struct summary *summary, size_t *cursor, struct disturbed_count *count)
{
    *count = (struct disturbed_count){.sweep = next_sweep(summary, cursor)};
    size_t at = 0;
    for (const struct record *row; count->sweep && (row = summary_next(summary, &every_row, &at));) {
        if (strcmp(row->text[COL_sweep], count->sweep) != 0) continue;
        count->rows += row_ok(row) && row->number[COL_samples] > 0;
        count->disturbed += is_disturbed_row(row);
    }
    return count->sweep != NULL;
}

void summary_print_disturbed(const struct summary *summary, FILE *out)
{
    struct disturbed_count count;
    for (size_t cursor = 0, lines = 0; next_count(summary, &cursor, &count); lines++) {
        if (lines == 0)
            fputs("\n## Disturbed rows\n\nOthers took a core away during samples that had to be used (column "
                  "samples_disturbed), in the sweeps below and the figures of their names:\n\n",
                  out);
        fprintf(out, "- %s: %zu of %zu rows with times\n", count.sweep, count.disturbed, count.rows);
    }
}

json_t *summary_disturbed_json(const struct summary *summary)
{
    struct disturbed_count count;
    json_t *const array = json_array();
    for (size_t cursor = 0; next_count(summary, &cursor, &count);)
        json_array_append_new(array,
                              json_pack("{s:o, s:I, s:I}", "sweep", json_of_text(count.sweep), "rows",
                                        (json_int_t)count.rows, "disturbed", (json_int_t)count.disturbed));
    return array;
}
