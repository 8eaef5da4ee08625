/* harness/base/refuse.h - the one message that a refused input leaves behind.
 *
 * Functions that can be refused input return false or a status and leave one message, with file, line and
 * value, in struct bench_error. */
#ifndef BASE_REFUSE_H
#define BASE_REFUSE_H

#include <stdbool.h>

struct bench_error {
    char text[1024];
};
/* Stores a printf-formatted message; returns false. */
bool bench_refuse(struct bench_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
