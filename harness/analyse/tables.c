/* Tables as TSV or JSON, see tables.h. */
#include "tables.h"

#include <math.h>

enum { SHOWN_DIGITS = 12, ALL_DIGITS = 17 };
static const size_t json_flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(ALL_DIGITS);

static void dump(struct tables *tables, json_t *value)
{
    if (!value || json_dumpf(value, tables->out, json_flags) != 0) tables->failed = true;
    json_decref(value);
}

void tables_begin(struct tables *tables, FILE *out, bool json, const json_t *about)
{
    *tables = (struct tables){.out = out, .json = json};
    if (json) {
        fputs("{\"about\":", out);
        dump(tables, json_deep_copy(about));
        fputs(",\"tables\":{", out);
        return;
    }
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)about, name, value)
    {
        fprintf(out, "# %s: ", name);
        if (json_is_string(value))
            fputs(json_string_value(value), out);
        else
            json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(SHOWN_DIGITS));
        fputc('\n', out);
    }
}

void tables_end(struct tables *tables)
{
    if (tables->json) fputs("}}\n", tables->out);
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
        if (!tables->row || json_dumpf(tables->row, tables->out, json_flags) != 0) tables->failed = true;
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
