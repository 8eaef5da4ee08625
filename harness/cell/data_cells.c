/* Lines and cells of a file of measurements: see data_cells.h. */
#include "data_cells.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "files.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The line up to its comment: # where no quotes are open. */
static void cut_comment(char *line)
{
    bool quoted = false;
    for (; *line && (quoted || *line != '#'); line++) quoted = quoted != (*line == '"');
    *line = '\0';
}

/* A byte of control but for TAB, and CR, which stands before the line's end alone. */
static size_t strange_byte(const struct text_file *text)
{
    for (size_t k = 0; k < text->length; k++) {
        const unsigned char c = (unsigned char)text->line[k];
        const bool ends = c == '\r' && k + 1 == text->length;
        if ((c < 0x20 && c != '\t' && !ends) || c == 0x7f) return k;
    }
    return text->length;
}

enum data_line data_next(struct text_file *text, struct bench_error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    for (;;) {
        const enum text_result result = text_next(text, error);
        if (result != TEXT_LINE) return result == TEXT_END ? DATA_END : DATA_REFUSED;
        const size_t strange = strange_byte(text);
        if (strange < text->length)
            return bench_refuse(error, "%s:%d: byte %zu is 0x%02x: no text", text->path, text->number,
                                strange + 1, (unsigned char)text->line[strange]),
                   DATA_REFUSED;
        if (text->number == 1 && strncmp(text->line, mark, 3) == 0)
            memmove(text->line, text->line + 3, text->length - 2);
        cut_comment(text->line);
        for (const char *c = text->line; *c; c++)
            if (!is_blank(*c)) return DATA_LINE;
    }
}

/* Where the cell that begins here ends. */
static char *cell_end(char *at, char separator)
{
    bool quoted = false;
    for (int open = 0; *at && (quoted || open > 0 || *at != separator); at++) {
        if (*at == '"') quoted = !quoted;
        if (*at == '[') open++;
        if (*at == ']' && open > 0) open--;
    }
    return at;
}

char *data_cell(struct data_cells *cells)
{
    char *cell = cells->rest;
    if (!cell) return NULL;
    char *end = cell_end(cell, cells->separator);
    cells->rest = *end ? end + 1 : NULL;
    while (end > cell && is_blank(end[-1])) end--;
    while (cell < end && is_blank(*cell)) cell++;
    if (end - cell >= 2 && *cell == '"' && end[-1] == '"') {
        cell++;
        end--;
    }
    *end = '\0';
    return cell;
}

bool data_is_missing(const char *cell)
{
    return !*cell || strcasecmp(cell, "na") == 0 || strcasecmp(cell, "nan") == 0;
}

bool data_experiment(const char *cell, double *number)
{
    return read_number(cell, number) && *number >= 1 && *number <= 1e6 && *number == floor(*number);
}
