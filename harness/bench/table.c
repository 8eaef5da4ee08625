/* Reads a result file back: `#` lines, one header line, rows of tab-separated values. Every name and every
 * value is checked. Columns that this program does not know are passed over; columns that the file lacks
 * are not known. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char schema_line[] = "#! schema: ";
static const char schema[] = "sens-result/1";
enum { FIELDS_MAX = 4 * COLUMN_COUNT, FOREIGN = -1 };

struct reader {
    const char *path;
    int line;
    int fields;             /* of the header; 0 = not read yet */
    int column[FIELDS_MAX]; /* of each field */
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

static int column_find(const char *name)
{
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (strcmp(record_column_info[c].name, name) == 0) return c;
    return FOREIGN;
}

static bool read_header(struct reader *in, char *text)
{
    bool seen[COLUMN_COUNT] = {false};
    for (char *name = next_field(&text); name; name = next_field(&text)) {
        if (in->fields == FIELDS_MAX)
            return bench_refuse(in->error, "%s:%d: more than %d columns", in->path, in->line, FIELDS_MAX);
        const int c = column_find(name);
        if (c != FOREIGN && seen[c])
            return bench_refuse(in->error, "%s:%d: column '%s' appears twice", in->path, in->line, name);
        if (c != FOREIGN) seen[c] = true;
        in->column[in->fields++] = c;
    }
    if (!seen[COL_status] || !seen[COL_problem] || !seen[COL_method])
        return bench_refuse(in->error, "%s:%d: not a header line: status, problem or method is missing",
                            in->path, in->line);
    return true;
}

static bool read_value(const struct reader *in, int column, const char *field, double *number)
{
    char *end;
    *number = strtod(field, &end);
    const struct column_info *info = &record_column_info[column];
    if (end == field || *end != '\0')
        return bench_refuse(in->error, "%s:%d: %s: '%s' is not a number", in->path, in->line, info->name,
                            field);
    if (info->kind == COLUMN_INT && !isnan(*number) && *number != nearbyint(*number))
        return bench_refuse(in->error, "%s:%d: %s: '%s' is not a whole number", in->path, in->line,
                            info->name, field);
    return true;
}

static bool read_text(const struct reader *in, int column, const char *field, char *text)
{
    size_t used = 0;
    for (const char *c = field; *c; c++, used++) {
        if (used + 1 == RECORD_TEXT)
            return bench_refuse(in->error, "%s:%d: %s: longer than %d characters", in->path, in->line,
                                record_column_info[column].name, RECORD_TEXT - 1);
        text[used] = *c;
        if (*c != '\\') continue;
        c++;
        const char *const code = "tnr\\", *const meaning = "\t\n\r\\";
        const char *const at = *c ? strchr(code, *c) : NULL;
        if (!at)
            return bench_refuse(in->error, "%s:%d: %s: unknown escape in '%s'", in->path, in->line,
                                record_column_info[column].name, field);
        text[used] = meaning[at - code];
    }
    text[used] = '\0';
    sens_status status;
    if (column == COL_status && !sens_status_from_name(text, &status))
        return bench_refuse(in->error, "%s:%d: status: '%s' is not a status", in->path, in->line, text);
    return true;
}

static bool read_row(const struct reader *in, char *text, struct record *rec)
{
    record_clear(rec);
    int fields = 0;
    for (char *field = next_field(&text); field; field = next_field(&text), fields++) {
        const int c = fields < in->fields ? in->column[fields] : FOREIGN;
        if (c == FOREIGN) continue;
        if (record_column_info[c].kind == COLUMN_TEXT ? !read_text(in, c, field, rec->text[c])
                                                      : !read_value(in, c, field, &rec->number[c]))
            return false;
    }
    if (fields != in->fields)
        return bench_refuse(in->error, "%s:%d: %s than the %d values that the header asks for", in->path,
                            in->line, fields < in->fields ? "fewer" : "more", in->fields);
    return true;
}

static bool append_row(struct reader *in, struct table *table, size_t *capacity, char *text)
{
    if (table->rows == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 16;
        struct record *row = realloc(table->row, *capacity * sizeof *row);
        if (!row) return bench_refuse(in->error, "%s: no memory for %zu rows", in->path, *capacity);
        table->row = row;
    }
    if (!read_row(in, text, &table->row[table->rows])) return false;
    table->rows++;
    return true;
}

static bool read_lines(struct reader *in, FILE *file, struct table *table)
{
    char *line = NULL;
    size_t size = 0, capacity = 0;
    bool ok = true;
    for (ssize_t length; ok && (length = getline(&line, &size, file)) >= 0;) {
        in->line++;
        if (line[length - 1] != '\n' || strlen(line) != (size_t)length) {
            ok = bench_refuse(in->error, "%s:%d: torn line (no line end, or a NUL byte)", in->path, in->line);
            break;
        }
        line[length - 1] = '\0';
        if (strncmp(line, schema_line, strlen(schema_line)) == 0) {
            if (strcmp(line + strlen(schema_line), schema) != 0)
                ok = bench_refuse(in->error, "%s:%d: schema '%s' is not %s", in->path, in->line,
                                  line + strlen(schema_line), schema);
        } else if (line[0] == '#' || line[0] == '\0') {
            continue;
        } else {
            ok = in->fields ? append_row(in, table, &capacity, line) : read_header(in, line);
        }
    }
    free(line);
    if (ok && !in->fields) ok = bench_refuse(in->error, "%s: no header line", in->path);
    return ok;
}

bool table_read(const char *path, struct table *table, struct bench_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file) return bench_refuse(error, "%s: %s", path, strerror(errno));
    struct reader in = {.path = path, .error = error};
    struct table made = {.path = strdup(path)};
    const bool ok = (made.path || bench_refuse(error, "%s: no memory", path)) && read_lines(&in, file, &made);
    fclose(file);
    if (ok)
        *table = made;
    else
        table_free(&made);
    return ok;
}

void table_free(struct table *table)
{
    free(table->path);
    free(table->row);
    *table = (struct table){0};
}
