/* harness/analyse/question/tables.h - tables of results, written as they come: as TSV or as one JSON object.
 *
 * TSV: a line "# NAME: what it is", a line with the columns, the rows; a blank line between two tables. JSON:
 *     {"about": {...}, "tables": {NAME: {"about": ..., "columns": [...], "rows": [[...], ...]}, ...}}
 * A number that is none has a name: the word `undefined` for NaN, `infinite` for an infinity. */
#ifndef ANALYSE_TABLES_H
#define ANALYSE_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "json.h"

struct tables {
    FILE *out;
    bool json;
    json_t *about;        /* NULL: written */
    size_t written, rows; /* tables so far, rows of this one */
    json_t *row;          /* being filled */
    bool failed;          /* no memory: what was written is not all */
};

/* about: what all tables are of, taken over; it is written before the first table, so that an answer that fails before
 * it has one leaves nothing behind. */
void tables_begin(struct tables *tables, FILE *out, bool json, json_t *about);
/* answered: there was an answer, perhaps without a table. */
void tables_end(struct tables *tables, bool answered);

/* columns: ends with NULL. */
void table_begin(struct tables *tables, const char *name, const char *about, const char *const *columns);
void table_text(struct tables *tables, const char *text);
void table_number(struct tables *tables, double number);
void table_count(struct tables *tables, size_t count);
void table_row_end(struct tables *tables);
void table_end(struct tables *tables);

#endif
