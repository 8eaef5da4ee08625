/* harness/base/refuse.h - the one message that a refused input leaves behind.
 *
 * Functions that can be refused input return false or a status and leave one message, with file, line and
 * value, in struct bench_error. */
#ifndef BASE_REFUSE_H
#define BASE_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

struct bench_error {
    char text[1024];
    char shown[512]; /* two lines to stand below it: a line of a file, and a caret; "" where there are none */
};
/* Stores a printf-formatted message; returns false. */
bool bench_refuse(struct bench_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the line, of so many bytes, and a caret below its column (from 1, in characters of UTF-8). Of a long
 * line what is around the column; what a terminal obeys becomes a blank. */
void bench_point(struct bench_error *error, const char *line, size_t length, size_t column);

#endif
