/* harness/base/files.h - files of numbers, and folders. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "refuse.h"

/* The whole of text as one finite decimal number; false when it is none. */
bool read_number(const char *text, double *number);

struct numbers_wanted {
    size_t count;    /* 0: any */
    double min, max; /* of each */
};
/* So many (0: any), of any size. */
struct numbers_wanted numbers_any(size_t count);

/* Reads numbers separated by white space or commas ('#' starts a comment). malloc'ed array; false with file,
 * line and value on a bad number, one out of range, or another count than wanted. */
bool read_numbers(const char *path, struct numbers_wanted wanted, double **number, size_t *count,
                  struct bench_error *error);

typedef bool take_file(void *self, const char *path, struct bench_error *error);
/* Calls take for each file of the folder whose name ends so, by name, until one is refused; not for hidden ones. */
bool each_file(const char *folder, const char *ending, take_file *take, void *self,
               struct bench_error *error);
/* Calls take for each file that the environment variable names, separated by colons, and for those of the folders it
 * names. */
bool each_place(const char *variable, const char *ending, take_file *take, void *self,
                struct bench_error *error);

/* The CRC-32 of what the file holds. false: it cannot be read. */
bool file_sum(const char *path, unsigned long *sum);

/* Makes every folder that path passes through (its last part is left to the caller), with these permissions. */
bool make_folders(char *path, mode_t mode, struct bench_error *error);

#endif
