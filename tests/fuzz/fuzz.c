/* What the fuzz targets share: see fuzz.h. */
#define _GNU_SOURCE /* memfd_create, nftw */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cell.h"

enum { FIRST_DESCRIPTOR = 40 }; /* above all that libFuzzer has open: a file is called 40 in every run */

void fuzz_promise(bool holds, const char *promise)
{
    if (holds) return;
    fprintf(stderr, "fuzz: not so: %s\n", promise);
    abort();
}

struct fuzz_file fuzz_file_create(const void *data, size_t size)
{
    const int made = memfd_create("fuzz", 0);
    struct fuzz_file file = {.descriptor = made < 0 ? -1 : fcntl(made, F_DUPFD, FIRST_DESCRIPTOR)};
    fuzz_promise(file.descriptor >= 0, "the system has files in memory");
    close(made);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    for (size_t done = 0; done < size;) {
        const ssize_t written = write(file.descriptor, (const char *)data + done, size - done);
        fuzz_promise(written > 0, "a file in memory can be written");
        done += (size_t)written;
    }
    return file;
}

void fuzz_file_close(struct fuzz_file *file)
{
    close(file->descriptor);
    *file = (struct fuzz_file){.descriptor = -1};
}

char *fuzz_read(const char *path, size_t *size)
{
    char *text = NULL;
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, size);
    fuzz_promise(in && out, "a file that was written can be read");
    for (int c; (c = fgetc(in)) != EOF;) fputc(c, out);
    fclose(in);
    fclose(out);
    return text;
}

static char folder[256]; /* for atexit, which passes nothing */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    const char *parent = getenv("TMPDIR");
    if (folder[0]) return folder;
    const int length = snprintf(folder, sizeof folder, "%s/fuzz.XXXXXX", parent ? parent : "/tmp");
    fuzz_promise(length < (int)sizeof folder && mkdtemp(folder) && atexit(remove_folder) == 0,
                 "there is a folder for files of no use");
    return folder;
}

void fuzz_refusal(const struct bench_error *error)
{
    fuzz_promise(memchr(error->text, '\0', sizeof error->text), "a message ends");
    fuzz_promise(error->text[0], "a refusal says why");
}

void fuzz_resolve(const struct spec *spec)
{
    struct sens_ctx ctx = {.now = NULL};
    struct cell cell;
    struct bench_error error = {.text = ""};
    ctx.arena.limit = FUZZ_ARENA;
    const sens_status status = cell_resolve(&ctx, spec, &cell, &error);
    if (status != SENS_OK) fuzz_refusal(&error);
    sens_arena_release(&ctx.arena);
}
