/* tests/fuzz/fuzz.h - what the fuzz targets share.
 *
 * A target is one function of bytes, which libFuzzer calls with inputs that it makes up and replay.c with
 * those that are stored. It returns 0, keeps nothing, and ends the process where a promise does not hold. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes that the memory of a problem may take: inputs may ask for more, and are then refused. */
enum { FUZZ_ARENA = 64 << 20 };

/* The text of a file, malloc'ed, and a NUL. */
char *fuzz_read(const char *path, size_t *size);

/* A file that is in memory only, and its name. The name is the same in every run of a target. */
struct fuzz_file {
    int descriptor;
    char path[32];
};
/* Ends the process when the system has no such file. To be closed. */
struct fuzz_file fuzz_file_create(const void *data, size_t size);
void fuzz_file_close(struct fuzz_file *file);

/* A folder of this process's own, in TMPDIR or /tmp, made when it is first asked for and removed, with what
 * is in it, at the end. */
const char *fuzz_folder(void);

/* Ends the process with this text unless the promise holds. */
void fuzz_promise(bool holds, const char *promise);

/* A refusal says why, in a text that ends. */
void fuzz_refusal(const struct bench_error *error);

/* Resolves a cell in a bounded arena and forgets it: SENS_OK, or a refusal that says why. */
void fuzz_resolve(const struct spec *spec);

#endif
