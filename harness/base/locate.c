/* Where the program's own data are: beside the installed program, else in the source tree it
 * was built from. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "locate.h"

static const char here; /* an address in the file that holds this code */

/* The shared library that this code is part of; false: it is part of a program. */
static bool library_file(char path[PATH_MAX])
{
    static const char name[] = "/libsensbench.so";
    Dl_info about;
    if (!dladdr((const void *)&here, &about) || !about.dli_fname || !realpath(about.dli_fname, path))
        return false;
    const char *const slash = strrchr(path, '/');
    return slash && strncmp(slash, name, sizeof name - 1) == 0;
}

/* Of a library in the build tree the program is beside it, of an installed one where programs are. */
static bool beside_library(char path[DATA_PATH])
{
    char file[PATH_MAX];
    if (!library_file(file)) return false;
    *strrchr(file, '/') = '\0';
    int length = snprintf(path, DATA_PATH, "%s/sensbench", file);
    const bool built = length > 0 && length < DATA_PATH && access(path, X_OK) == 0;
    length = snprintf(path, DATA_PATH, "%s%s%s", file, built ? "" : "/",
                      built ? "" : SENS_PROGRAM_FROM_LIBRARY_TEXT);
    return length > 0 && length < DATA_PATH;
}

void program_folder(char path[DATA_PATH])
{
    if (beside_library(path)) return;
    const ssize_t length = readlink("/proc/self/exe", path, DATA_PATH - 1);
    path[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(path, '/');
    strcpy(slash ? slash : path, slash ? "" : ".");
}

bool data_folder(int place, const char *installed, const char *in_source, char path[DATA_PATH])
{
    char program[DATA_PATH];
    program_folder(program);
    const int length =
        place == 0 ? snprintf(path, DATA_PATH, "%s/%s/%s", program, SENS_DATA_FROM_PROGRAM_TEXT, installed)
                   : snprintf(path, DATA_PATH, "%s/%s", SENS_SOURCE_DIR_TEXT, in_source);
    return length > 0 && length < DATA_PATH && access(path, X_OK) == 0;
}
