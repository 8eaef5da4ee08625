/* Numbers, alone and in files; folders. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

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
    struct numbers_wanted wanted;
    size_t line, count, capacity;
    double *number;
    struct bench_error *error;
};

static bool append(struct reader *reader, double number)
{
    const struct numbers_wanted *wanted = &reader->wanted;
    if (number < wanted->min || number > wanted->max)
        return bench_refuse(reader->error, "%s:%zu: %.17g is out of range; allowed: from %g to %g",
                            reader->path, reader->line, number, wanted->min, wanted->max);
    if (wanted->count && reader->count == wanted->count)
        return bench_refuse(reader->error, "%s:%zu: more than the %zu numbers expected: %.17g", reader->path,
                            reader->line, wanted->count, number);
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
    if (reader->count >= reader->wanted.count) return true;
    return bench_refuse(
        reader->error, "%s:%zu: the file ends after %zu numbers, %zu expected; the last is %.17g",
        reader->path, reader->line, reader->count, reader->wanted.count, reader->number[reader->count - 1]);
}

struct numbers_wanted numbers_any(size_t count)
{
    return (struct numbers_wanted){count, -INFINITY, INFINITY};
}

bool read_numbers(const char *path, struct numbers_wanted wanted, double **number, size_t *count,
                  struct bench_error *error)
{
    struct reader reader = {
        .path = path, .file = regular_open(path, error), .line = 1, .wanted = wanted, .error = error};
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

/* ---- files by their ending ------------------------------------------------------------------------------- */

enum { PATH_ROOM = 4096 };

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return name[0] != '.' && length > end && strcmp(name + length - end, ending) == 0;
}

bool each_file(const char *folder, const char *ending, take_file *take, void *self, struct bench_error *error)
{
    struct dirent **entry;
    const int count = scandir(folder, &entry, NULL, alphasort);
    bool taken = count >= 0 || bench_refuse(error, "%s: %s", folder, strerror(errno));
    for (int k = 0; k < count; k++) {
        char file[PATH_ROOM];
        const int length = snprintf(file, sizeof file, "%s/%s", folder, entry[k]->d_name);
        if (taken && ends_with(entry[k]->d_name, ending))
            taken = (length < (int)sizeof file || bench_refuse(error, "%s: the path is too long", folder)) &&
                    take(self, file, error);
        free(entry[k]);
    }
    if (count >= 0) free(entry);
    return taken;
}

/* A file, or those of a folder. */
static bool each_of(const char *path, const char *ending, take_file *take, void *self,
                    struct bench_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0) return bench_refuse(error, "%s: %s", path, strerror(errno));
    return S_ISDIR(about.st_mode) ? each_file(path, ending, take, self, error) : take(self, path, error);
}

bool each_place(const char *variable, const char *ending, take_file *take, void *self,
                struct bench_error *error)
{
    const char *rest = getenv(variable);
    while (rest && *rest) {
        char path[PATH_ROOM];
        const size_t length = strcspn(rest, ":");
        if (length >= sizeof path) return bench_refuse(error, "%s: a path is too long", variable);
        memcpy(path, rest, length);
        path[length] = '\0';
        rest += length + (rest[length] == ':');
        if (path[0] && !each_of(path, ending, take, self, error)) return false;
    }
    return true;
}

bool file_sum(const char *path, unsigned long *sum)
{
    unsigned char chunk[1 << 14];
    FILE *const file = fopen(path, "rbe");
    if (!file) return false;
    *sum = crc32(0, NULL, 0);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) *sum = crc32(*sum, chunk, (uInt)got);
    const bool whole = !ferror(file);
    fclose(file);
    return whole;
}
