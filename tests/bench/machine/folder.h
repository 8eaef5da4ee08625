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

static inline void folder_make(char folder[FOLDER_PATH])
{
    const char *place = getenv("TMPDIR");
    snprintf(folder, FOLDER_PATH, "%s/sensbench-test-XXXXXX", place ? place : "/tmp");
    assert_non_null(mkdtemp(folder));
}

/* A file, and the folders on the way to it. */
static inline void folder_write(const char *folder, const char *name, const char *text)
{
    char path[2 * FOLDER_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
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

static inline void folder_remove(const char *folder)
{
    nftw(folder, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
