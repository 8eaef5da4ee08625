/* Old entries go when the cache is full. */
#include "trim.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "compile.h"
#include "folder.h"

static const time_t work_age = 3600; /* s: no compilation takes that long */

struct old {
    char name[COMPILE_KEY + 4];
    struct timespec used;
    uint64_t size;
};
struct old_list {
    struct old *entry;
    size_t count, room;
    uint64_t size;
};

/* The name of an entry is its key and ".so". */
static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == COMPILE_KEY && strcmp(name + COMPILE_KEY, ".so") == 0;
}

static bool append(struct old_list *list, const char *name, const struct stat *about)
{
    if (!array_grow(&list->entry, list->count + 1, &list->room, sizeof *list->entry)) return false;
    struct old *const entry = &list->entry[list->count++];
    memcpy(entry->name, name, sizeof entry->name);
    entry->used = about->st_mtim;
    entry->size = (uint64_t)about->st_size;
    list->size += entry->size;
    return true;
}

static bool look_at(int folder, const char *name, struct old_list *list)
{
    struct stat about;
    if (!is_entry(name) && !work_is_name(name)) return true;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || about.st_uid != geteuid()) return true;
    if (is_entry(name)) return !S_ISREG(about.st_mode) || append(list, name, &about);
    if (S_ISDIR(about.st_mode) && time(NULL) - about.st_mtime >= work_age) work_remove_old(folder, name);
    return true;
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *const s = &((const struct old *)a)->used, *const t =
                                                                         &((const struct old *)b)->used;
    if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

void trim_cache(int folder, uint64_t limit)
{
    struct old_list list = {.entry = NULL};
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const names = again >= 0 ? fdopendir(again) : NULL;
    if (!names && again >= 0) close(again);
    if (!names) return;
    for (const struct dirent *entry; (entry = readdir(names));)
        if (!look_at(folder, entry->d_name, &list)) break;
    closedir(names);
    if (list.size > limit) qsort(list.entry, list.count, sizeof *list.entry, by_use);
    for (size_t i = 0; i < list.count && list.size > limit; i++) {
        unlinkat(folder, list.entry[i].name, 0);
        list.size -= list.entry[i].size;
    }
    free(list.entry);
}
