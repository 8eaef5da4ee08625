/* Made-up folders like those that the kernel shows of itself. */
#ifndef FOLDER_H
#define FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

enum { FOLDER_PATH = 512 };

static inline void folder_make(char made[FOLDER_PATH])
{
    const char *place = getenv("TMPDIR");
    snprintf(made, FOLDER_PATH, "%s/sensbench-test-XXXXXX", place ? place : "/tmp");
    assert_non_null(mkdtemp(made));
}

/* The folder of a group of tests, made before each and removed after it. */
static char folder[FOLDER_PATH];

static int folder_setup(void **state)
{
    (void)state;
    folder_make(folder);
    return 0;
}

/* A file, and the folders on the way to it. */
static inline void folder_write(const char *top, const char *name, const char *text)
{
    char path[2 * FOLDER_PATH];
    snprintf(path, sizeof path, "%s/%s", top, name);
    for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline int folder_drop(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static inline void folder_remove(const char *top)
{
    nftw(top, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
}

static int folder_teardown(void **state)
{
    (void)state;
    folder_remove(folder);
    return 0;
}

#endif
