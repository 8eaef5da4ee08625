/* harness/bench/result_file.h - the file that a sweep writes its rows to, by one writer at a time. */
#ifndef BENCH_RESULT_FILE_H
#define BENCH_RESULT_FILE_H

#include "sweep_file.h"

struct result_file {
    char path[4096];
    FILE *file;  /* at its end, locked against a second writer */
    char **done; /* [done_count] identities of the cells already there, sorted */
    size_t done_count;
};

/* Opens <out>/<sweep>/<machine>-<git>.tsv, with -quick before the ending in the quick profile; makes the
 * folders. Without resume the file is started afresh. With resume its rows are kept, less a torn last
 * line; refused when they are of other columns, another build of the program or other settings of the
 * measurement. */
bool result_file_open(const struct sweep *sweep, const char *out, bool resume, struct result_file *result,
                      struct bench_error *error);
bool result_file_has(const struct result_file *result, const char *identity);
void result_file_close(struct result_file *result);

#endif
