/* Numbers, alone and in files; folders. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"

#include "array.h"
#include "text_file.h"

enum { TOKEN_MAX = 64, NUMBERS_MAX = 1 << 27 /* 1 GiB of them */ };

bool read_number(const char *text, double *number)
{
    char *end;
    if (!*text || text[strspn(text, "+-.0123456789eE")])
        return false; /* strtod takes nan, inf, 0x and blanks */
    const double value = strtod(text, &end);
    if (*end || !isfinite(value)) return false;
    *number = value;
    return true;
}

struct reader {
    const char *path;
    FILE *file;
    size_t line, count, capacity, expect;
    double *number;
    struct bench_error *error;
};

static bool append(struct reader *reader, double number)
{
    if (reader->expect && reader->count == reader->expect)
        return bench_refuse(reader->error, "%s:%zu: more than the %zu numbers expected: %.17g", reader->path,
                            reader->line, reader->expect, number);
    if (reader->count == NUMBERS_MAX)
        return bench_refuse(reader->error, "%s:%zu: more than %d numbers", reader->path, reader->line,
                            NUMBERS_MAX);
    if (!array_grow(&reader->number, reader->count + 1, &reader->capacity, sizeof *reader->number))
        return bench_refuse(reader->error, "%s:%zu: no memory", reader->path, reader->line);
    reader->number[reader->count++] = number;
    return true;
}

static bool is_gap(int c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#' || c == EOF;
}

/* The characters from c on up to the next gap, which is returned; a token too long is cut, and no number. */
static int read_token(struct reader *reader, int c, char token[TOKEN_MAX])
{
    size_t length = 0;
    for (; !is_gap(c); c = fgetc(reader->file))
        if (length + 1 < TOKEN_MAX) token[length++] = (char)(c && isprint(c) ? c : '?');
    token[length] = '\0';
    return c;
}

static bool read_all(struct reader *reader)
{
    char token[TOKEN_MAX];
    double number;
    for (int c = fgetc(reader->file); c != EOF;) {
        if (!is_gap(c)) {
            c = read_token(reader, c, token);
            if (!read_number(token, &number))
                return bench_refuse(reader->error, "%s:%zu: '%s' is not a finite decimal number",
                                    reader->path, reader->line, token);
            if (!append(reader, number)) return false;
            continue;
        }
        while (c == '#' && (c = fgetc(reader->file)) != EOF && c != '\n') c = '#';
        if (c == '\n') reader->line++;
        if (c != EOF) c = fgetc(reader->file);
    }
    return !ferror(reader->file) || bench_refuse(reader->error, "%s: %s", reader->path, strerror(errno));
}

static bool check_count(const struct reader *reader)
{
    if (reader->count == 0)
        return bench_refuse(reader->error, "%s:%zu: no number in the file", reader->path, reader->line);
    if (reader->count >= reader->expect) return true;
    return bench_refuse(
        reader->error, "%s:%zu: the file ends after %zu numbers, %zu expected; the last is %.17g",
        reader->path, reader->line, reader->count, reader->expect, reader->number[reader->count - 1]);
}

bool read_numbers(const char *path, size_t expect, double **number, size_t *count, struct bench_error *error)
{
    struct reader reader = {
        .path = path, .file = regular_open(path, error), .line = 1, .expect = expect, .error = error};
    if (!reader.file) return false;
    const bool read = read_all(&reader) && check_count(&reader);
    fclose(reader.file);
    if (!read) {
        free(reader.number);
        return false;
    }
    *number = reader.number;
    *count = reader.count;
    return true;
}

bool make_folders(char *path, mode_t mode, struct bench_error *error)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool made = mkdir(path, mode) == 0 || errno == EEXIST;
        if (!made) bench_refuse(error, "%s: %s", path, strerror(errno));
        *slash = '/';
        if (!made) return false;
    }
    return true;
}
