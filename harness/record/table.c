/* Reads a result file back: `#` lines, one header line, rows of tab-separated values. Every name and every
 * value is checked. Columns that this program does not know are passed over; columns that the file lacks
 * are not known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

#include "array.h"
#include "compared.h"
#include "text_file.h"

static const char prelude_mark[] = "#! ", schema_key[] = "schema";
enum table_kind { TABLE_RESULTS, TABLE_COMPARISON };
static const char *const schema[] = {
    [TABLE_RESULTS] = "sens-result/1", [TABLE_COMPARISON] = "sens-compare/1"};
const char *const compared_name[COMPARED_COUNT] = {
#define COMPARED_NAME(name) #name,
    COMPARED_COLUMNS(COMPARED_NAME)
#undef COMPARED_NAME
};
enum {
    KNOWN = COLUMN_COUNT + COMPARED_COUNT, /* columns; those of a comparison behind those of a record */
    FIELDS_MAX = 4 * KNOWN,
    FOREIGN = -1,
    LINE_MAX_LENGTH = 1 << 20, /* every field of a row, escaped, fits */
    ROWS_MAX = 200000,         /* four times what a sweep may have; some 1.2 KB of memory each */
    PRELUDE_MAX = 1000
};

struct reader {
    const char *path;
    enum table_kind kind;
    bool named; /* its schema */
    int line;
    size_t row_room, compared_room, line_room, prelude_room;
    int fields;             /* of the header; 0 = not read yet */
    int column[FIELDS_MAX]; /* of each field */
    struct record *scratch; /* the row that is read */
    struct compared *at;    /* what it has of a comparison; NULL: it is none's */
    struct bench_error *error;
};

/* The next tab-separated field of *rest, terminated in place; NULL after the last. */
static char *next_field(char **rest)
{
    char *field = *rest;
    if (!field) return NULL;
    char *tab = strchr(field, '\t');
    if (tab) *tab = '\0';
    *rest = tab ? tab + 1 : NULL;
    return field;
}

static int column_find(enum table_kind kind, const char *name)
{
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (strcmp(record_column_info[c].name, name) == 0) return c;
    for (int c = 0; kind == TABLE_COMPARISON && c < COMPARED_COUNT; c++)
        if (strcmp(compared_name[c], name) == 0) return COLUMN_COUNT + c;
    return FOREIGN;
}

static bool read_header(struct reader *in, char *text)
{
    bool seen[KNOWN] = {false};
    for (char *name = next_field(&text); name; name = next_field(&text)) {
        if (in->fields == FIELDS_MAX)
            return bench_refuse(in->error, "%s:%d: more than %d columns", in->path, in->line, FIELDS_MAX);
        const int c = column_find(in->kind, name);
        if (c != FOREIGN && seen[c])
            return bench_refuse(in->error, "%s:%d: column '%s' appears twice", in->path, in->line, name);
        if (c != FOREIGN) seen[c] = true;
        in->column[in->fields++] = c;
    }
    if (!seen[COL_status] || !seen[COL_problem] || !seen[COL_method])
        return bench_refuse(in->error, "%s:%d: not a header line: status, problem or method is missing",
                            in->path, in->line);
    for (int c = COLUMN_COUNT; in->kind == TABLE_COMPARISON && c < KNOWN; c++)
        if (!seen[c])
            return bench_refuse(in->error, "%s:%d: column '%s' of a comparison is missing", in->path,
                                in->line, compared_name[c - COLUMN_COUNT]);
    return true;
}

static bool read_number(const struct reader *in, const char *name, const char *field, double *number)
{
    char *end;
    *number = strtod(field, &end);
    return (end != field && *end == '\0') ||
           bench_refuse(in->error, "%s:%d: %s: '%s' is not a number", in->path, in->line, name, field);
}

static bool read_value(const struct reader *in, int column, const char *field, double *number)
{
    const struct column_info *info = &record_column_info[column];
    if (!read_number(in, info->name, field, number)) return false;
    if (info->kind == COLUMN_INT && !isnan(*number) && *number != nearbyint(*number))
        return bench_refuse(in->error, "%s:%d: %s: '%s' is not a whole number", in->path, in->line,
                            info->name, field);
    return true;
}

/* The byte that an escape stands for, which begins after the backslash: one of \t \n \r \\ or \xNN. How many
 * characters it takes; 0: it is none. */
static size_t read_escape(const char *c, char *byte)
{
    static const char code[] = "tnr\\", meaning[] = "\t\n\r\\";
    const char *const at = *c ? strchr(code, *c) : NULL;
    if (at) return *byte = meaning[at - code], 1;
    if (c[0] != 'x' || strspn(c + 1, "0123456789abcdef") < 2) return 0;
    const char digits[] = {c[1], c[2], '\0'};
    *byte = (char)strtoul(digits, NULL, 16);
    return *byte ? 3 : 0;
}

static bool check_text(const struct reader *in, int column, const char *text)
{
    const char *const name = record_column_info[column].name;
    sens_status status;
    if (column == COL_status && !sens_status_from_name(text, &status))
        return bench_refuse(in->error, "%s:%d: status: '%s' is not a status", in->path, in->line, text);
    if (record_text_fits(column, text)) return true;
    if (column == COL_series)
        return bench_refuse(
            in->error, "%s:%d: series: '%s' is no list of settings: letters, digits and _ . + - , = only",
            in->path, in->line, text);
    return bench_refuse(in->error,
                        "%s:%d: %s: '%s' is no name: letters, digits and _ . + - only, a letter or digit "
                        "first, at most 63",
                        in->path, in->line, name, text);
}

static bool read_text(const struct reader *in, const char *name, const char *field, char text[RECORD_TEXT])
{
    size_t used = 0;
    for (const char *c = field; *c; c++, used++) {
        if (used + 1 == RECORD_TEXT)
            return bench_refuse(in->error, "%s:%d: %s: longer than %d characters", in->path, in->line, name,
                                RECORD_TEXT - 1);
        text[used] = *c;
        if (*c != '\\') continue;
        const size_t length = read_escape(c + 1, &text[used]);
        if (length == 0)
            return bench_refuse(in->error, "%s:%d: %s: unknown escape in '%s'", in->path, in->line, name,
                                field);
        c += length;
    }
    text[used] = '\0';
    return true;
}

static char *keep_text(struct table *table, const char *text)
{
    char *const kept = sens_arena_alloc(&table->arena, strlen(text) + 1, 1);
    return kept ? strcpy(kept, text) : NULL;
}

/* A field of a column of comparisons. */
static bool read_compared(const struct reader *in, struct table *table, int column, const char *field)
{
    char text[RECORD_TEXT];
    const char *const name = compared_name[column];
    if (column < COMPARED_NUMBERS) return read_number(in, name, field, &in->at->number[column]);
    if (!read_text(in, name, field, text)) return false;
    const char *const kept = keep_text(table, text);
    if (column == COMPARED_keys)
        in->at->keys = kept;
    else
        in->at->changes = kept;
    return kept || bench_refuse(in->error, "%s:%d: no memory for the row", in->path, in->line);
}

static bool read_field(const struct reader *in, struct table *table, int column, const char *field)
{
    if (column == FOREIGN) return true;
    if (column >= COLUMN_COUNT) return read_compared(in, table, column - COLUMN_COUNT, field);
    struct record *const rec = in->scratch;
    const struct column_info *const info = &record_column_info[column];
    if (info->kind != COLUMN_TEXT) return read_value(in, column, field, &rec->number[column]);
    return read_text(in, info->name, field, rec->text[column]) && check_text(in, column, rec->text[column]);
}

/* Many rows have the text of the row before them: it is kept once. The buffers of scratch become the row. */
static bool keep_texts(struct table *table, const struct record *scratch, struct record *row)
{
    static char none[] = "";
    const struct record *before = table->rows > 0 ? &table->row[table->rows - 1] : NULL;
    memcpy(row->number, scratch->number, sizeof row->number);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const char *text = scratch->text[c];
        row->text[c] = !*text ? none : before && strcmp(before->text[c], text) == 0 ? before->text[c] : NULL;
        if (row->text[c]) continue;
        row->text[c] = keep_text(table, text);
        if (!row->text[c]) return false;
    }
    return true;
}

static bool read_row(const struct reader *in, struct table *table, char *text)
{
    record_clear(in->scratch);
    int fields = 0;
    for (char *field = next_field(&text); field; field = next_field(&text), fields++)
        if (!read_field(in, table, fields < in->fields ? in->column[fields] : FOREIGN, field)) return false;
    if (fields != in->fields)
        return bench_refuse(in->error, "%s:%d: %s than the %d values that the header asks for", in->path,
                            in->line, fields < in->fields ? "fewer" : "more", in->fields);
    return true;
}

static bool append_row(struct reader *in, struct table *table, char *text)
{
    if (table->rows == ROWS_MAX)
        return bench_refuse(in->error, "%s:%d: more than %d rows", in->path, in->line, ROWS_MAX);
    if (!array_grow(&table->row, table->rows + 1, &in->row_room, sizeof *table->row) ||
        !array_grow(&table->line, table->rows + 1, &in->line_room, sizeof *table->line) ||
        (in->kind == TABLE_COMPARISON &&
         !array_grow(&table->compared, table->rows + 1, &in->compared_room, sizeof *table->compared)))
        return bench_refuse(in->error, "%s: no memory for %zu rows", in->path, table->rows + 1);
    in->at = table->compared ? &table->compared[table->rows] : NULL;
    if (!read_row(in, table, text)) return false;
    if (in->at && !compared_check_row(in->path, in->line, in->at, in->error)) return false;
    if (!keep_texts(table, in->scratch, &table->row[table->rows]))
        return bench_refuse(in->error, "%s:%d: no memory for the row", in->path, in->line);
    table->line[table->rows++] = in->line;
    return true;
}

/* A line of the prelude after its mark; one without a colon is a remark. */
static bool read_prelude(struct reader *in, struct table *table, char *text)
{
    char *const colon = strstr(text, ": ");
    if (!colon) return true;
    *colon = '\0';
    if (strcmp(text, schema_key) == 0) {
        if (in->kind == TABLE_RESULTS && strcmp(colon + 2, schema[TABLE_COMPARISON]) == 0)
            return bench_refuse(in->error, "%s:%d: a comparison, which sensbench report shows", in->path,
                                in->line);
        if (strcmp(colon + 2, schema[in->kind]) != 0)
            return bench_refuse(in->error, "%s:%d: schema '%s' is not %s", in->path, in->line, colon + 2,
                                schema[in->kind]);
        in->named = true;
    }
    if (table->preludes == PRELUDE_MAX)
        return bench_refuse(in->error, "%s:%d: more than %d lines of prelude", in->path, in->line,
                            PRELUDE_MAX);
    if (!array_grow(&table->prelude, table->preludes + 1, &in->prelude_room, sizeof *table->prelude))
        return bench_refuse(in->error, "%s:%d: no memory for the prelude", in->path, in->line);
    const struct prelude_line line = {keep_text(table, text), keep_text(table, colon + 2)};
    if (!line.key || !line.value)
        return bench_refuse(in->error, "%s:%d: no memory for the prelude", in->path, in->line);
    table->prelude[table->preludes++] = line;
    return true;
}

static bool read_lines(struct reader *in, struct text_file *file, struct table *table)
{
    const size_t mark = strlen(prelude_mark);
    bool ok = true;
    enum text_result got;
    while (ok && (got = text_next(file, in->error)) != TEXT_END) {
        char *line = file->line;
        in->line = file->number;
        if (got == TEXT_FAILED) return false;
        if (!file->ended || strlen(line) != file->length)
            return bench_refuse(in->error, "%s:%d: torn line (no line end, or a NUL byte)", in->path,
                                in->line);
        if (file->length > 0 && line[file->length - 1] == '\r') /* in a text it is escaped */
            return bench_refuse(in->error,
                                "%s:%d: line ends of Windows (CR LF), where LF alone is read; "
                                "to mend it: sed -i 's/\\r$//' FILE",
                                in->path, in->line);
        if (strncmp(line, prelude_mark, mark) == 0)
            ok = read_prelude(in, table, line + mark);
        else if (line[0] != '#' && line[0] != '\0')
            ok = in->fields ? append_row(in, table, line) : read_header(in, line);
    }
    if (ok && !in->fields) ok = bench_refuse(in->error, "%s: no header line", in->path);
    if (ok && !in->named && in->kind == TABLE_COMPARISON)
        ok = bench_refuse(in->error, "%s: no line '%s%s: %s'", in->path, prelude_mark, schema_key,
                          schema[in->kind]);
    return ok && (in->kind == TABLE_RESULTS || compared_check_groups(table, in->error));
}

/* The schema's name ends where its version begins. */
static bool begins_as(const char *path, enum table_kind kind)
{
    char begin[64], line[64];
    struct bench_error none;
    FILE *const file = regular_open(path, &none);
    if (!file) return false;
    const int length = snprintf(begin, sizeof begin, "%s%s: %.*s/", prelude_mark, schema_key,
                                (int)strcspn(schema[kind], "/"), schema[kind]);
    const bool same = fgets(line, sizeof line, file) && strncmp(line, begin, (size_t)length) == 0;
    fclose(file);
    return same;
}

bool table_is_result(const char *path)
{
    return begins_as(path, TABLE_RESULTS);
}

bool table_is_comparison(const char *path)
{
    return begins_as(path, TABLE_COMPARISON);
}

static bool read_kind(const char *path, enum table_kind kind, struct table *table, struct bench_error *error)
{
    struct text_file file;
    if (!text_open(&file, path, LINE_MAX_LENGTH, error)) return false;
    struct reader in = {.path = path, .kind = kind, .error = error, .scratch = record_create()};
    struct table made = {.path = strdup(path)};
    const bool ok = ((made.path && in.scratch) || bench_refuse(error, "%s: no memory", path)) &&
                    read_lines(&in, &file, &made);
    text_close(&file);
    free(in.scratch);
    if (ok)
        *table = made;
    else
        table_free(&made);
    return ok;
}

bool table_read(const char *path, struct table *table, struct bench_error *error)
{
    return read_kind(path, TABLE_RESULTS, table, error);
}

bool table_read_comparison(const char *path, struct table *table, struct bench_error *error)
{
    return read_kind(path, TABLE_COMPARISON, table, error);
}

void table_free(struct table *table)
{
    free(table->path);
    free(table->row);
    free(table->compared);
    free(table->line);
    free(table->prelude);
    sens_arena_release(&table->arena);
    *table = (struct table){0};
}
