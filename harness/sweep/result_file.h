/* harness/sweep/result_file.h - the file that a sweep writes its rows to, by one writer at a time. */
#ifndef SWEEP_RESULT_FILE_H
#define SWEEP_RESULT_FILE_H

#include "record.h"
#include "sweep.h"

struct result_done {
    char *cell, *given; /* as in the row */
};

struct result_file {
    char path[4096];
    FILE *file;               /* at its end, locked against a second writer */
    long size;                /* bytes after the last row of this run; 0 before it */
    struct result_done *done; /* [done_count] rows that were there, sorted by cell */
    size_t done_count;
    struct sweep_inputs inputs; /* what the sweep is given */
};

/* Opens <out>/<sweep>/<machine>-<git>.tsv, with -quick before the ending in the quick profile; makes the
 * folders. Without run->resume the file is started afresh, and one that has rows is kept aside under the next
 * free of the names .tsv.1, .tsv.2, ...; said on standard error. With it the rows are kept, less a torn last
 * line and those with a status in run->retry; refused when they are of other columns, another build of the
 * program, other settings of the measurement, or made of other contents of a file that the sweep is given. */
bool result_file_open(const struct sweep *sweep, const struct sweep_run *run, struct result_file *result,
                      struct bench_error *error);
/* Writes a row through to the disk. False, with a message, when it cannot be written, when another program
 * has written to the file since the last row, or when the path is no longer this file: then all rows are
 * saved beside it. */
bool result_file_add(struct result_file *result, const struct record *rec, struct bench_error *error);
bool result_file_has(const struct result_file *result, char *identity);
void result_file_close(struct result_file *result);

/* ---- between the parts --------------------------------------------------------------------------------- */

/* result_rows.c: renames a file to the next free of the names path.1, path.2, ...; false and errno. */
bool result_keep_aside(const char *path, char *name, size_t size);
bool result_is_there(const struct result_file *result); /* whether its path is this very file */
/* result_retry.c: whether a status is in such a list; NULL: in none. */
bool result_retry_has(const char *list, const char *status);
/* Whether a list "timeout,crashed" has but statuses of failures. */
bool result_retry_check(const char *list, struct bench_error *error);
/* Writes the lines of path, less the rows with a status of the list, to `to`. */
bool result_retry_copy(const char *path, const char *list, FILE *to, struct bench_error *error);

#endif
