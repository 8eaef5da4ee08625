/* A folder of a test's own with a cache in it, in the name of an ordinary user; fake compilers. */
#ifndef BENCH_COMPILE_SUPPORT_H
#define BENCH_COMPILE_SUPPORT_H

#define _GNU_SOURCE /* setresuid, nftw */
#include "compile.h"
#include "testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char base[40];     /* everything is below it */
    char path[200];    /* of at() */
    char search[1024]; /* PATH as it was */
    bool root;         /* the test was started by root, and may be again */
};

/* base/NAME; the text lasts until the next call. */
static inline const char *at(struct place *place, const char *name)
{
    snprintf(place->path, sizeof place->path, "%s/%s", place->base, name);
    return place->path;
}

/* Root may do anything: nothing would be refused. */
static inline void become(const struct place *place, uid_t user)
{
    if (!place->root) return;
    assert_int_equal(setresuid(user, user, 0), 0);
    assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0); /* or /proc/self/fd is root's */
}
enum { ORDINARY_USER = 65534, OTHER_USER = 12345 };

static inline int enter_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (!place) return -1;
    strcpy(place->base, "/tmp/sensbench-test-XXXXXX");
    if (!mkdtemp(place->base)) return -1;
    place->root = geteuid() == 0;
    if (place->root && chown(place->base, ORDINARY_USER, ORDINARY_USER) != 0) return -1;
    become(place, ORDINARY_USER);
    snprintf(place->search, sizeof place->search, "%s", getenv("PATH") ? getenv("PATH") : "");
    unsetenv("CC");
    setenv("HOME", place->base, 1);
    setenv("SENSBENCH_CACHE", at(place, "cache"), 1);
    mkdir(at(place, "tmp"), 0700);
    setenv("TMPDIR", place->path, 1);
    umask(002); /* what the linker writes may then be written by the group */
    *state = place;
    return 0;
}

static inline int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static inline int leave_place(void **state)
{
    struct place *place = *state;
    become(place, 0);
    setenv("PATH", place->search, 1);
    const int left = nftw(place->base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(place);
    return left;
}

static inline void write_text(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

/* CC becomes a shell script: what it does when asked for its version, then `body` when asked to compile. */
static inline void fake_compiler(struct place *place, const char *body)
{
    char script[2048];
    snprintf(script, sizeof script, "#!/bin/sh\n[ \"$1\" = --version ] && { echo fake; exit 0; }\n%s\n",
             body);
    write_text(at(place, "fake"), script, 0700);
    setenv("CC", place->path, 1);
}

/* The value that the text's `int value(void)` returns; -1: the status is not SENS_OK, and nothing is loaded. */
static inline int value_of(const char *source, struct compiled *compiled, sens_status *status,
                           struct bench_error *error)
{
    struct compiler compiler;
    const struct compile_request request = {source, "baseline", 2, 2.0};
    error->text[0] = '\0';
    *compiled = (struct compiled){.handle = NULL};
    *status = compiler_find(&compiler, error);
    if (*status == SENS_OK) *status = compile_load(&compiler, &request, compiled, error);
    if (*status != SENS_OK) {
        assert_null(compiled->handle);
        assert_true(error->text[0] != '\0');
        return -1;
    }
    int (*value)(void) = (int (*)(void))compiled_find(compiled, "value");
    assert_non_null(value);
    return value();
}

/* The same, with nothing more to be known. */
static inline int value_is(const char *source, sens_status expected, bool was_kept)
{
    struct compiled compiled;
    struct bench_error error;
    sens_status status;
    const int value = value_of(source, &compiled, &status, &error);
    if (status != expected) print_error("%s: %s\n", sens_status_name(status), error.text);
    assert_int_equal(status, expected);
    if (status == SENS_OK) assert_int_equal(compiled.was_kept, was_kept);
    compiled_close(&compiled);
    return value;
}

/* How many names are in this folder; 0 where there is none. */
static inline int count_names(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) count++;
    if (folder) closedir(folder);
    return folder ? count - 2 : 0;
}

static const char answer[] = "int value(void);\nint value(void) { return 42; }\n";

/* The entry of `answer` in the cache, made now. */
static inline const char *make_entry(struct place *place)
{
    struct compiled compiled;
    struct bench_error error;
    sens_status status;
    char name[COMPILE_KEY + 16];
    assert_int_equal(value_of(answer, &compiled, &status, &error), 42);
    snprintf(name, sizeof name, "cache/%s.so", compiled.key);
    compiled_close(&compiled);
    assert_int_equal(access(at(place, name), F_OK), 0);
    return place->path;
}

#endif
