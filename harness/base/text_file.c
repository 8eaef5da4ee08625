/* Lines of a file, none of which is taken for its end by mistake. */
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"

/* Without waiting: opening a pipe that no one writes to would never come back. */
FILE *regular_open(const char *path, struct bench_error *error)
{
    struct stat about;
    FILE *file = NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool known = descriptor >= 0 && fstat(descriptor, &about) == 0;
    if (known && S_ISDIR(about.st_mode)) errno = EISDIR;
    if (known && S_ISREG(about.st_mode)) file = fdopen(descriptor, "r");
    if (file) return file;
    const bool other = known && !S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode);
    bench_refuse(error, "%s: %s", path,
                 other ? "not a regular file; a pipe or a device cannot be read here" : strerror(errno));
    if (descriptor >= 0) close(descriptor);
    return NULL;
}

bool text_open(struct text_file *text, const char *path, size_t longest, struct bench_error *error)
{
    *text = (struct text_file){.path = path, .longest = longest, .file = regular_open(path, error)};
    return text->file != NULL;
}

/* Room for one more character and the final NUL. */
static bool has_room(struct text_file *text)
{
    return text->length + 1 < text->capacity || array_grow(&text->line, text->length + 2, &text->capacity, 1);
}

enum text_result text_next(struct text_file *text, struct bench_error *error)
{
    int c;
    text->length = 0;
    text->number++;
    while ((c = getc_unlocked(text->file)) != EOF && c != '\n') {
        if (text->length == text->longest) {
            bench_refuse(error, "%s:%d: longer than %zu characters", text->path, text->number, text->longest);
            return TEXT_FAILED;
        }
        if (!has_room(text)) break;
        text->line[text->length++] = (char)c;
    }
    if (ferror(text->file)) {
        bench_refuse(error, "%s: %s", text->path, strerror(errno));
        return TEXT_FAILED;
    }
    if (c == EOF && text->length == 0) return TEXT_END;
    if (!has_room(text)) {
        bench_refuse(error, "%s:%d: no memory for the line", text->path, text->number);
        return TEXT_FAILED;
    }
    text->ended = c == '\n';
    text->line[text->length] = '\0';
    return TEXT_LINE;
}

void text_close(struct text_file *text)
{
    if (text->file) fclose(text->file);
    free(text->line);
    *text = (struct text_file){.path = NULL};
}
