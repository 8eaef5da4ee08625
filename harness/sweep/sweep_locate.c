/* Where sweep files are found. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "locate.h"
#include "names.h"

#include "sweep_file.h"

static const char ending[] = ".sweep";

/* In the source tree those of the paper are with it; installed, all are in one folder. */
enum { FOLDERS = DATA_PLACES + 1 };

static bool sweep_folder(int number, char path[DATA_PATH])
{
    const char *const in_source = number < DATA_PLACES ? "harness/sweeps" : "harness/paper/sweeps";
    return data_folder(number < DATA_PLACES ? number : DATA_PLACES - 1, "sweeps", in_source, path);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static char *stem_of(const char *path)
{
    const char *const base = strrchr(path, '/') + 1;
    return strndup(base, strlen(base) - strlen(ending));
}

/* Sorts name[*count] and drops repetitions. */
static void make_unique(char **name, size_t *count)
{
    size_t kept = 0;
    qsort(name, *count, sizeof *name, compare_names);
    for (size_t i = 0; i < *count; i++) {
        if (kept > 0 && strcmp(name[kept - 1], name[i]) == 0)
            free(name[i]);
        else
            name[kept++] = name[i];
    }
    *count = kept;
}

char **sweep_names(size_t *count)
{
    glob_t found = {.gl_pathc = 0};
    *count = 0;
    for (int place = 0; place < FOLDERS; place++) {
        char folder[DATA_PATH], pattern[DATA_PATH + 16];
        if (!sweep_folder(place, folder)) continue;
        snprintf(pattern, sizeof pattern, "%s/*%s", folder, ending);
        glob(pattern, found.gl_pathc ? GLOB_APPEND : 0, NULL, &found);
    }
    char **name = calloc(found.gl_pathc + 1, sizeof *name);
    for (size_t i = 0; name && i < found.gl_pathc; i++) {
        name[*count] = stem_of(found.gl_pathv[i]);
        if (name[*count]) ++*count;
    }
    globfree(&found);
    if (name) make_unique(name, count);
    return name;
}

static bool refuse_name(const char *word, struct bench_error *error)
{
    size_t count;
    char **name = sweep_names(&count);
    const char *near = name ? nearest_name(word, (const char *const *)name, count) : NULL;
    bench_refuse(error, "no sweep '%s'%s%s (a file is given with a '/' or with its ending %s)", word,
                 near ? "; did you mean " : "", near ? near : "", ending);
    for (size_t i = 0; name && i < count; i++) free(name[i]);
    free(name);
    return false;
}

bool sweep_locate(const char *word, char *path, size_t size, struct bench_error *error)
{
    const size_t length = strlen(word), tail = strlen(ending);
    if (strchr(word, '/') || (length > tail && strcmp(word + length - tail, ending) == 0)) {
        snprintf(path, size, "%s", word);
        return true;
    }
    for (int place = 0; place < FOLDERS; place++) {
        char folder[DATA_PATH];
        if (!sweep_folder(place, folder)) continue;
        snprintf(path, size, "%s/%s%s", folder, word, ending);
        if (access(path, R_OK) == 0) return true;
    }
    return refuse_name(word, error);
}
