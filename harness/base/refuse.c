/* The one message that a refused input leaves behind. */
#include <stdarg.h>
#include <stdio.h>

#include "refuse.h"

bool bench_refuse(struct bench_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->shown[0] = '\0';
    return false;
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

void bench_point(struct bench_error *error, const char *line, size_t length, size_t column)
{
    enum { BEFORE = 50, AROUND = 70, BYTES = 4 * (AROUND + 2) }; /* of UTF-8 */
    const size_t first = column > AROUND ? column - BEFORE : 1;
    char copy[BYTES];
    size_t used = 0, at = 0;
    for (size_t i = 0; i < length && used + 1 < sizeof copy && at <= first + AROUND; i++) {
        at += begins_character(line[i]);
        if (at >= first)
            copy[used++] = (char)((unsigned char)line[i] < 0x20 || line[i] == 0x7f ? ' ' : line[i]);
    }
    while (used > 0 && copy[used - 1] == ' ') used--;
    snprintf(error->shown, sizeof error->shown, "    %.*s\n    %*s", (int)used, copy,
             (int)(column - first + 1), "^");
}
