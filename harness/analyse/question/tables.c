/* Tables as TSV or JSON, see tables.h. */
#include "tables.h"

#include <math.h>

enum { SHOWN_DIGITS = 12, ALL_DIGITS = 17 };
static const size_t json_flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(ALL_DIGITS);

/* A stream that does not take it is told at the end of the program, as of all that is printed. */
static void dump_kept(struct tables *tables, const json_t *value)
{
    if (!value || (json_dumpf(value, tables->out, json_flags) != 0 && !ferror(tables->out)))
        tables->failed = true;
}

static void dump(struct tables *tables, json_t *value)
{
    dump_kept(tables, value);
    json_decref(value);
}

void tables_begin(struct tables *tables, FILE *out, bool json, json_t *about)
{
    *tables = (struct tables){.out = out, .json = json, .about = about, .failed = !about};
}

static void about_tsv(struct tables *tables)
{
    const char *name;
    json_t *value;
    json_object_foreach(tables->about, name, value)
    {
        fprintf(tables->out, "# %s: ", name);
        if (json_is_string(value))
            fputs(json_string_value(value), tables->out);
        else
            json_dumpf(value, tables->out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(SHOWN_DIGITS));
        fputc('\n', tables->out);
    }
    json_decref(tables->about);
}

/* Once, before whatever comes first. */
static void write_about(struct tables *tables)
{
    if (!tables->about) return;
    if (tables->json) {
        fputs("{\"about\":", tables->out);
        dump(tables, tables->about);
        fputs(",\"tables\":{", tables->out);
    } else {
        about_tsv(tables);
    }
    tables->about = NULL;
}

void tables_end(struct tables *tables, bool answered)
{
    if (answered) write_about(tables);
    if (tables->json && !tables->about) fputs("}}\n", tables->out);
    json_decref(tables->about);
    tables->about = NULL;
}

static void columns_json(struct tables *tables, const char *const *columns)
{
    json_t *const names = json_array();
    for (size_t c = 0; names && columns[c]; c++) json_array_append_new(names, json_of_text(columns[c]));
    fputs(",\"columns\":", tables->out);
    dump(tables, names);
    fputs(",\"rows\":[", tables->out);
}

void table_begin(struct tables *tables, const char *name, const char *about, const char *const *columns)
{
    tables->rows = 0;
    tables->row = json_array();
    write_about(tables);
    if (!tables->json) {
        fprintf(tables->out, "\n# %s: %s\n", name, about);
        for (size_t c = 0; columns[c]; c++) fprintf(tables->out, "%s%s", c ? "\t" : "", columns[c]);
        fputc('\n', tables->out);
    } else {
        if (tables->written) fputc(',', tables->out);
        dump(tables, json_of_text(name));
        fputs(":{\"about\":", tables->out);
        dump(tables, json_of_text(about));
        columns_json(tables, columns);
    }
    tables->written++;
}

static void append(struct tables *tables, json_t *cell)
{
    if (!tables->row || json_array_append_new(tables->row, cell) != 0) tables->failed = true;
}

void table_text(struct tables *tables, const char *text)
{
    append(tables, json_of_text(text));
}

void table_number(struct tables *tables, double number)
{
    if (isfinite(number))
        append(tables, json_real(number + 0.0)); /* -0 is 0 */
    else
        table_text(tables, isnan(number) ? "undefined" : number < 0 ? "-infinite" : "infinite");
}

void table_count(struct tables *tables, size_t count)
{
    append(tables, json_integer((json_int_t)count));
}

static void row_tsv(struct tables *tables)
{
    size_t c;
    json_t *cell;
    json_array_foreach(tables->row, c, cell)
    {
        if (c) fputc('\t', tables->out);
        if (json_is_string(cell)) fputs(json_string_value(cell), tables->out);
        if (json_is_integer(cell)) fprintf(tables->out, "%" JSON_INTEGER_FORMAT, json_integer_value(cell));
        if (json_is_real(cell)) fprintf(tables->out, "%.*g", SHOWN_DIGITS, json_real_value(cell));
    }
    fputc('\n', tables->out);
}

void table_row_end(struct tables *tables)
{
    if (!tables->json) {
        row_tsv(tables);
    } else {
        if (tables->rows) fputc(',', tables->out);
        dump_kept(tables, tables->row);
    }
    tables->rows++;
    json_array_clear(tables->row);
}

void table_end(struct tables *tables)
{
    if (tables->json) fputs("]}", tables->out);
    json_decref(tables->row);
    tables->row = NULL;
}
