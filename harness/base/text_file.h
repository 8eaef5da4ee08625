/* harness/base/text_file.h - text read line by line from a file of anyone's. */
#ifndef BASE_TEXT_FILE_H
#define BASE_TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "refuse.h"

/* Opens a regular file for reading. A pipe, a device or a folder is refused: they may have no end, or none to
 * wait for. NULL and a message. */
FILE *regular_open(const char *path, struct bench_error *error);

struct text_file {
    const char *path; /* not owned */
    FILE *file;
    int number;     /* of the line, from 1 */
    char *line;     /* without its end, then a NUL; may hold other NULs */
    size_t length;  /* of the line */
    size_t longest; /* that is taken */
    bool ended;     /* the line has an end; false: the file stops in it */
    size_t capacity;
};
enum text_result { TEXT_LINE, TEXT_END, TEXT_FAILED };

bool text_open(struct text_file *text, const char *path, size_t longest, struct bench_error *error);
/* The next line. TEXT_FAILED, and a message, when it is too long, cannot be read, or there is no memory for
 * it: that is not the end of the file. */
enum text_result text_next(struct text_file *text, struct bench_error *error);
void text_close(struct text_file *text); /* also the file */

#endif
