/* A cell for each experiment, see experiments.h. */
#include "experiments.h"

#include <string.h>

#include "data_cells.h"
#include "files.h"

enum { LINE_MAX_LENGTH = 1 << 16, COLUMNS_MAX = 32, NAME_LENGTH = 64 };

struct reader {
    struct sens_ctx *ctx;
    const struct spec *spec;
    struct experiments *made;
    struct text_file text;
    char separator; /* of the header, for all lines */
    size_t columns;
    char name[COLUMNS_MAX][NAME_LENGTH];
    struct bench_error *error;
};

static sens_status refuse(struct reader *in, const char *what, const char *value, const char *why)
{
    bench_refuse(in->error, "%s:%d: %s '%.80s': %s", in->text.path, in->text.number, what, value, why);
    return SENS_BAD_INPUT;
}

static sens_status refuse_memory(struct reader *in)
{
    bench_refuse(in->error, "no memory for the experiments");
    return SENS_NO_MEMORY;
}

static struct data_cells cells_of(struct reader *in)
{
    return (struct data_cells){in->separator, in->text.line};
}

/* "experiment", then keys, each once. */
static sens_status take_name(struct reader *in, const char *cell)
{
    if (in->columns == 0 && strcmp(cell, "experiment") != 0)
        return refuse(in, "first column", cell, "it is experiment, the number as in the data");
    if (in->columns == COLUMNS_MAX) return refuse(in, "column", cell, "more than 32 columns");
    if (!*cell || strlen(cell) >= NAME_LENGTH) return refuse(in, "column", cell, "not the name of an option");
    for (size_t c = 0; c < in->columns; c++)
        if (strcmp(in->name[c], cell) == 0) return refuse(in, "column", cell, "named twice");
    if (strcmp(cell, "data") == 0 || strcmp(cell, "problem") == 0 || strcmp(cell, "params") == 0)
        return refuse(in, "column", cell, "it is one for all experiments");
    strcpy(in->name[in->columns++], cell);
    return SENS_OK;
}

static sens_status read_header(struct reader *in)
{
    const enum data_line line = data_next(&in->text, in->error);
    sens_status status = SENS_OK;
    if (line == DATA_END) bench_refuse(in->error, "%s: no content", in->text.path);
    if (line != DATA_LINE) return SENS_BAD_INPUT;
    in->separator = strchr(in->text.line, '\t') ? '\t' : ',';
    struct data_cells cells = cells_of(in);
    for (char *cell; status == SENS_OK && (cell = data_cell(&cells));) status = take_name(in, cell);
    return status;
}

/* What a line says, on top of the spec. */
static sens_status take_line(struct reader *in, struct spec *spec, double *number)
{
    struct data_cells cells = cells_of(in);
    char origin[256];
    size_t c = 0;
    snprintf(origin, sizeof origin, "%.200s:%d", in->text.path, in->text.number);
    for (char *cell; (cell = data_cell(&cells)); c++) {
        if (c == in->columns) return refuse(in, "cell", cell, "the header has fewer columns");
        if (c == 0 && !data_experiment(cell, number))
            return refuse(in, "experiment", cell, "not a whole number from 1 to 1e6");
        if (c > 0 && data_is_missing(cell)) continue;
        if (!spec_set(spec, in->name[c], cell, origin, in->error)) return SENS_BAD_INPUT;
    }
    if (c == in->columns) return SENS_OK;
    bench_refuse(in->error, "%s:%d: %zu cells, the header has %zu columns", in->text.path, in->text.number, c,
                 in->columns);
    return SENS_BAD_INPUT;
}

static sens_status add_line(struct reader *in)
{
    struct experiments *const made = in->made;
    struct spec spec = {.count = 0};
    double number = 0;
    if (made->count == EXPERIMENTS_MAX)
        return refuse(in, "experiment", in->text.line, "more than 1000 experiments");
    sens_status status = spec_copy(&spec, in->spec) ? take_line(in, &spec, &number) : refuse_memory(in);
    for (size_t k = 0; status == SENS_OK && k < made->count; k++)
        if (made->number[k] == number)
            status = refuse(in, "experiment", in->text.line, "its number is there twice");
    if (status == SENS_OK) status = cell_resolve(in->ctx, &spec, &made->cell[made->count], in->error);
    if (status == SENS_OK) made->number[made->count++] = number;
    spec_free(&spec);
    return status;
}

static sens_status read_lines(struct reader *in)
{
    sens_status status = read_header(in);
    enum data_line line = DATA_END;
    while (status == SENS_OK && (line = data_next(&in->text, in->error)) == DATA_LINE) status = add_line(in);
    if (status == SENS_OK && line == DATA_REFUSED) return SENS_BAD_INPUT;
    if (status != SENS_OK || in->made->count > 0) return status;
    bench_refuse(in->error, "%s: no experiment in the file", in->text.path);
    return SENS_BAD_INPUT;
}

/* Counts the lines first: cells are as large as they are few. */
static size_t count_lines(const char *path, struct bench_error *error)
{
    struct text_file text;
    size_t count = 0;
    if (!text_open(&text, path, LINE_MAX_LENGTH, error)) return 0;
    while (count <= EXPERIMENTS_MAX && data_next(&text, error) == DATA_LINE) count++;
    text_close(&text);
    return count > 0 ? count : 1;
}

sens_status experiments_read(struct sens_ctx *ctx, const char *path, const struct spec *spec,
                             struct experiments *experiments, struct bench_error *error)
{
    struct reader in = {.ctx = ctx, .spec = spec, .made = experiments, .error = error};
    const size_t room = path ? count_lines(path, error) : 1;
    if (room == 0) return SENS_BAD_INPUT;
    *experiments =
        (struct experiments){.cell = SENS_NEW(ctx, struct cell, room), .number = SENS_NEW(ctx, double, room)};
    if (!experiments->cell || !experiments->number) return refuse_memory(&in);
    if (path && spec_get(spec, "experiment")) {
        bench_refuse(error, "experiment=%s: the table of --experiments says which",
                     spec_get(spec, "experiment"));
        return SENS_BAD_INPUT;
    }
    if (!path) {
        experiments->count = 1;
        return cell_resolve(ctx, spec, experiments->cell, error);
    }
    if (!text_open(&in.text, path, LINE_MAX_LENGTH, error)) return SENS_BAD_INPUT;
    const sens_status status = read_lines(&in);
    text_close(&in.text);
    return status;
}
