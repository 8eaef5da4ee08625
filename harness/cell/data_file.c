/* Measurements by the names of states and quantities: see data_file.h. What can be measured is numbered: the n states,
 * then the quantities that the problem offers. */
#include "data_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "data_cells.h"
#include "files.h"
#include "labels.h"
#include "names.h"

enum { LINE_MAX_LENGTH = 1 << 20, NUMBERS_MAX = 1 << 27 /* 1 GiB of them */ };
static const double least = 1e-100, most = 1e100; /* of a standard deviation: its square is a number */

enum column_kind { COLUMN_TIME, COLUMN_VALUE, COLUMN_SIGMA, COLUMN_WEIGHT, COLUMN_EXPERIMENT };
struct column {
    enum column_kind kind;
    size_t of;    /* VALUE, SIGMA: the number of what is measured */
    size_t place; /* and its place in a row */
    double sigma; /* VALUE: of the whole column; NaN: none */
};

struct named {
    const char *name;
    size_t number;
};

struct table {
    struct text_file text;
    struct data_cells cells;
    struct bench_error *error;
    const struct sens_problem *pb;
    double experiment; /* whose rows are wanted; 0: there is no such column */
    bool likelihood;   /* each value has to have its standard deviation */
    struct labels labels;
    size_t measurable;     /* n and the quantities */
    struct named *by_name; /* [measurable] sorted */
    size_t quantities;
    size_t *quantity; /* [measurable - n] those that the header names, as they come */
    struct column *column;
    size_t columns, column_room;
    bool *has_value, *has_sigma; /* [measurable] is there such a column? */
    double *number;              /* rows */
    size_t count, room, measured;
};

static bool refuse(struct table *table, const char *what, const char *value, const char *why)
{
    return bench_refuse(table->error, "%s:%d: %s '%.80s': %s", table->text.path, table->text.number, what,
                        value, why);
}

static bool refuse_memory(struct table *table)
{
    return bench_refuse(table->error, "%s:%d: no memory", table->text.path, table->text.number);
}

/* ---- the header ---------------------------------------------------------------------------------------- */

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static const char *name_of(const struct table *table, size_t number)
{
    const size_t n = table->pb->n;
    return number < n ? table->labels.state[number] : table->labels.quantity[number - n];
}

/* Of a row: t, weight, values and standard deviations of the states and of the quantities that are named. */
static size_t values_of(const struct table *table)
{
    return table->pb->n + table->quantities;
}
static size_t width_of(const struct table *table)
{
    return 2 + 2 * values_of(table);
}

/* Its place among the values of a row; a quantity gets one when it is first named. */
static size_t place_of(struct table *table, size_t number)
{
    const size_t n = table->pb->n;
    size_t k = 0;
    if (number < n) return number;
    while (k < table->quantities && table->quantity[k] != number - n) k++;
    if (k == table->quantities) table->quantity[table->quantities++] = number - n;
    return n + k;
}

/* NULL: nothing that can be measured has this name. */
static const struct named *find_measurable(const struct table *table, const char *name)
{
    const struct named wanted = {.name = name};
    return bsearch(&wanted, table->by_name, table->measurable, sizeof *table->by_name, compare_named);
}

static bool refuse_name(struct table *table, const char *name)
{
    enum { SHOWN = 1000 };
    const char *known[SHOWN];
    const size_t count = table->measurable < SHOWN ? table->measurable : SHOWN;
    for (size_t i = 0; i < count; i++) known[i] = name_of(table, i);
    const char *const near = nearest_name(name, known, count);
    char why[256];
    snprintf(
        why, sizeof why,
        "no state or quantity, sigma_NAME, weight or experiment; %s%.80s%sthe first state of %s is %.80s",
        near ? "did you mean " : "", near ? near : "", near ? "? " : "", table->pb->type->name,
        table->labels.state[0]);
    return refuse(table, "column", name, why);
}

/* "prey sigma=0.1": cuts the name off, and reads the number. */
static bool take_sigma(struct table *table, char *cell, double *sigma)
{
    static const char word[] = " sigma=";
    char *const at = strstr(cell, word);
    *sigma = NAN;
    if (!at) return true;
    if (!read_number(at + sizeof word - 1, sigma) || !(*sigma >= least && *sigma <= most))
        return refuse(table, "standard deviation", at + 1, "not a number from 1e-100 to 1e100");
    for (char *end = at; end >= cell && (end == at || *end == ' '); end--) *end = '\0';
    return true;
}

static bool add_column(struct table *table, struct column column)
{
    if (!array_grow(&table->column, table->columns + 1, &table->column_room, sizeof *table->column))
        return refuse_memory(table);
    table->column[table->columns++] = column;
    return true;
}

static bool has_column(const struct table *table, enum column_kind kind)
{
    for (size_t c = 0; c < table->columns; c++)
        if (table->column[c].kind == kind) return true;
    return false;
}

/* Of a column that belongs to nothing measured: what counts is the row. */
static bool name_row_column(struct table *table, const char *cell, double sigma)
{
    const enum column_kind kind = strcmp(cell, "weight") == 0 ? COLUMN_WEIGHT : COLUMN_EXPERIMENT;
    if (kind == COLUMN_EXPERIMENT && strcmp(cell, "experiment") != 0) return refuse_name(table, cell);
    if (isfinite(sigma)) return refuse(table, "column", cell, "it has no standard deviation");
    if (has_column(table, kind)) return refuse(table, "column", cell, "named twice");
    return add_column(table, (struct column){.kind = kind, .sigma = NAN});
}

/* The name of a state comes first, so that one may be called weight. */
static bool name_column(struct table *table, char *cell)
{
    static const char sigma_of[] = "sigma_";
    double sigma;
    if (!take_sigma(table, cell, &sigma)) return false;
    const struct named *named = find_measurable(table, cell);
    const bool of_sigma = !named && strncmp(cell, sigma_of, sizeof sigma_of - 1) == 0;
    if (of_sigma) named = find_measurable(table, cell + sizeof sigma_of - 1);
    if (!named) return name_row_column(table, cell, sigma);
    if (!of_sigma && strncmp(cell, sigma_of, sizeof sigma_of - 1) == 0 &&
        find_measurable(table, cell + sizeof sigma_of - 1))
        return refuse(
            table, "column", cell,
            "the model has this name, and it is that of a standard deviation, too; rename it there");
    if (isfinite(sigma) && of_sigma) return refuse(table, "column", cell, "it has no standard deviation");
    bool *const taken = of_sigma ? &table->has_sigma[named->number] : &table->has_value[named->number];
    if (*taken) return refuse(table, "column", cell, "named twice");
    *taken = true;
    return add_column(table, (struct column){.kind = of_sigma ? COLUMN_SIGMA : COLUMN_VALUE,
                                             .of = named->number,
                                             .place = place_of(table, named->number),
                                             .sigma = sigma});
}

/* Standard deviations belong to values, and come from one place. */
static bool check_columns(struct table *table)
{
    bool any = false;
    for (size_t c = 0; c < table->columns; c++) {
        const struct column *column = &table->column[c];
        const char *const name = name_of(table, column->of);
        any = any || column->kind == COLUMN_VALUE;
        if (column->kind == COLUMN_SIGMA && !table->has_value[column->of])
            return refuse(table, "column sigma_ of", name, "there is no column of its values");
        if (column->kind == COLUMN_VALUE && isfinite(column->sigma) && table->has_sigma[column->of])
            return refuse(table, "column", name, "sigma= beside a column sigma_");
    }
    return any || refuse(table, "header", "t", "it names no state or quantity");
}

/* Experiments are not to be mixed without a word. */
static bool check_experiment(struct table *table)
{
    const bool column = has_column(table, COLUMN_EXPERIMENT);
    if (column && table->experiment == 0)
        return refuse(table, "column", "experiment", "which one is wanted is to be said: experiment=NUMBER");
    char number[32];
    snprintf(number, sizeof number, "%.0f", table->experiment);
    return column || table->experiment == 0 ||
           refuse(table, "experiment", number, "there is no column of this name");
}

static bool read_header(struct table *table)
{
    const enum data_line line = data_next(&table->text, table->error);
    if (line == DATA_END) return bench_refuse(table->error, "%s: no content", table->text.path);
    if (line == DATA_REFUSED) return false;
    table->cells = (struct data_cells){strchr(table->text.line, '\t') ? '\t' : ',', table->text.line};
    const char *const first = data_cell(&table->cells);
    if (strcmp(first, "t") != 0 && strcmp(first, "time") != 0)
        return refuse(table, "first column", first, "of a header it is t or time");
    if (!add_column(table, (struct column){.kind = COLUMN_TIME, .sigma = NAN})) return false;
    for (char *cell; (cell = data_cell(&table->cells));)
        if (!name_column(table, cell)) return false;
    return check_columns(table) && check_experiment(table);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Room for one more row, all of it missing. */
static double *next_row(struct table *table)
{
    const size_t width = width_of(table);
    if (width > NUMBERS_MAX || table->count > NUMBERS_MAX - width) {
        bench_refuse(table->error, "%s:%d: more than %d numbers (a row counts as %zu)", table->text.path,
                     table->text.number, NUMBERS_MAX, width);
        return NULL;
    }
    if (!array_grow(&table->number, table->count + width, &table->room, sizeof *table->number)) {
        refuse_memory(table);
        return NULL;
    }
    double *const row = table->number + table->count;
    for (size_t k = 0; k < width; k++) row[k] = NAN;
    row[1] = 1;
    return row;
}

static bool take_time(struct table *table, const char *cell, double *row)
{
    const size_t width = width_of(table);
    const double t0 = (double)table->pb->t0, t1 = (double)table->pb->t1;
    char range[80];
    if (!read_number(cell, row)) return refuse(table, "time", cell, "not a finite decimal number");
    snprintf(range, sizeof range, "outside of the interval from %g to %g", t0, t1);
    if (row[0] < t0 || row[0] > t1) return refuse(table, "time", cell, range);
    if (table->count > 0 && row[0] < row[-(ptrdiff_t)width])
        return refuse(table, "time", cell, "it is before that of the row above; sort the rows by time");
    return true;
}

static bool take_experiment(struct table *table, const char *cell, double *experiment)
{
    return data_experiment(cell, experiment) ||
           refuse(table, "experiment", cell, "not a whole number from 1 to 1e6");
}

static bool take_cell(struct table *table, const struct column *column, const char *cell, double *row)
{
    double *const sigma = row + 2 + values_of(table);
    double number = NAN;
    if (!data_is_missing(cell) && !read_number(cell, &number))
        return refuse(table, "value", cell, "not a finite decimal number, and not empty, NA or nan");
    switch (column->kind) {
    case COLUMN_WEIGHT:
        row[1] = number;
        return (number >= 0 && number <= most) ||
               refuse(table, "weight", cell, "not a number from 0 to 1e100");
    case COLUMN_SIGMA:
        sigma[column->place] = number;
        return isnan(number) || (number >= least && number <= most) ||
               refuse(table, "standard deviation", cell, "not a number from 1e-100 to 1e100");
    default:
        row[2 + column->place] = number;
        if (isfinite(column->sigma)) sigma[column->place] = column->sigma;
        return true;
    }
}

/* A value that was measured has the standard deviation that its column promises. */
static bool check_row(struct table *table, const double *row, bool *any)
{
    const double *const sigma = row + 2 + values_of(table);
    *any = false;
    for (size_t c = 0; c < table->columns; c++) {
        const struct column *const column = &table->column[c];
        const bool value = column->kind == COLUMN_VALUE && !isnan(row[2 + column->place]);
        *any = *any || value;
        if (value && table->has_sigma[column->of] && isnan(sigma[column->place]))
            return refuse(table, "column sigma_ of", name_of(table, column->of),
                          "it is missing where there is a value");
        if (value && table->likelihood && isnan(sigma[column->place]))
            return refuse(table, "column", name_of(table, column->of),
                          "likelihood=on needs the standard deviation of each value");
    }
    return true;
}

/* All of a line but for its time, which is judged by the interval of its experiment. */
static bool take_cells(struct table *table, double *row, double *experiment, const char **time)
{
    size_t c = 0;
    table->cells.rest = table->text.line;
    for (char *cell; (cell = data_cell(&table->cells)); c++) {
        if (c == table->columns) return refuse(table, "cell", cell, "the header has fewer columns");
        const struct column *const column = &table->column[c];
        if (column->kind == COLUMN_TIME)
            *time = cell;
        else if (column->kind == COLUMN_EXPERIMENT ? !take_experiment(table, cell, experiment)
                                                   : !take_cell(table, column, cell, row))
            return false;
    }
    return c == table->columns || bench_refuse(table->error, "%s:%d: %zu cells, the header has %zu columns",
                                               table->text.path, table->text.number, c, table->columns);
}

static bool read_row(struct table *table)
{
    double *const row = next_row(table);
    double experiment = 0;
    const char *time = "";
    bool any;
    if (!row || !take_cells(table, row, &experiment, &time)) return false;
    if (experiment != table->experiment) return true;
    if (!take_time(table, time, row) || !check_row(table, row, &any)) return false;
    if (any) table->count += width_of(table); /* where nothing was measured there is no observation */
    return true;
}

static bool read_rows(struct table *table)
{
    enum data_line line;
    while ((line = data_next(&table->text, table->error)) == DATA_LINE)
        if (!read_row(table)) return false;
    if (line == DATA_REFUSED) return false;
    if (table->count > 0) return true;
    return table->experiment == 0
               ? bench_refuse(table->error, "%s: no measurement in the file", table->text.path)
               : bench_refuse(table->error, "%s: no measurement of experiment %.0f in the file",
                              table->text.path, table->experiment);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Is the first line of content one of names, and not of numbers? false also where the file cannot be read. */
static bool has_header(const char *path)
{
    struct text_file text;
    struct bench_error error;
    if (!text_open(&text, path, LINE_MAX_LENGTH, &error)) return false;
    bool names = false;
    if (data_next(&text, &error) == DATA_LINE) {
        const char *const at = text.line + strspn(text.line, " \t");
        names = !at[strspn(at, "+-.")] || !strchr("0123456789,", at[strspn(at, "+-.")]);
    }
    text_close(&text);
    return names;
}

static sens_status name_measurable(struct sens_ctx *ctx, struct table *table)
{
    const sens_status status = labels_find(ctx, table->pb, &table->labels);
    if (status != SENS_OK) {
        bench_refuse(table->error, "%s: %s", table->text.path,
                     ctx->message[0] ? ctx->message : sens_status_message(status));
        return status;
    }
    const size_t all = table->measurable = table->pb->n + table->labels.quantities;
    table->by_name = SENS_NEW(ctx, struct named, all);
    table->quantity = SENS_NEW(ctx, size_t, table->labels.quantities);
    table->has_value = SENS_NEW(ctx, bool, all);
    table->has_sigma = SENS_NEW(ctx, bool, all);
    if (!table->by_name || !table->quantity || !table->has_value || !table->has_sigma) {
        refuse_memory(table);
        return SENS_NO_MEMORY;
    }
    for (size_t i = 0; i < all; i++) table->by_name[i] = (struct named){name_of(table, i), i};
    qsort(table->by_name, all, sizeof *table->by_name, compare_named);
    return SENS_OK;
}

static sens_status keep(struct sens_ctx *ctx, struct table *table, struct sens_value *value)
{
    double *const kept = SENS_NEW(ctx, double, table->count);
    if (!kept) {
        refuse_memory(table);
        return SENS_NO_MEMORY;
    }
    memcpy(kept, table->number, table->count * sizeof *kept);
    *value = (struct sens_value){.data = kept,
                                 .count = table->count,
                                 .measured = true,
                                 .quantities = table->quantities,
                                 .quantity = table->quantity};
    return SENS_OK;
}

sens_status data_file_read(struct sens_ctx *ctx, const struct spec_pair *pair, const struct sens_problem *pb,
                           const struct data_wanted *wanted, struct sens_value *value,
                           struct bench_error *error)
{
    *value = (struct sens_value){.number = 0};
    if (!has_header(pair->value))
        return pair_numbers(ctx, pair, numbers_any(0), &value->data, &value->count, error);
    struct bench_error reason = {.text = ""};
    struct table table = {
        .pb = pb, .experiment = wanted->experiment, .likelihood = wanted->sigma, .error = &reason};
    sens_status status = SENS_BAD_INPUT;
    if (text_open(&table.text, pair->value, LINE_MAX_LENGTH, &reason)) {
        status = name_measurable(ctx, &table);
        if (status == SENS_OK && !(read_header(&table) && read_rows(&table))) status = SENS_BAD_INPUT;
        if (status == SENS_OK) status = keep(ctx, &table, value);
    }
    text_close(&table.text);
    free(table.column);
    free(table.number);
    if (status != SENS_OK) refuse_pair(error, pair, "%s", reason.text);
    return status;
}
