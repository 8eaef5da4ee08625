/* Where the cache is, whether it may be trusted, and the folders in which objects are made. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "files.h"

/* ---- the cache ----------------------------------------------------------------------------------------- */

static const char *set_to(const char *variable)
{
    const char *const value = getenv(variable);
    return value && *value ? value : NULL;
}

/* The value of a variable that has to be an absolute path; a relative one counts as not set. */
static const char *absolute(const char *variable)
{
    const char *const value = set_to(variable);
    return value && *value == '/' ? value : NULL;
}

static bool choose_path(struct cache_folder *cache, struct bench_error *error)
{
    const char *const own = getenv("SENSBENCH_CACHE");
    const char *const xdg = absolute("XDG_CACHE_HOME"), *const home = absolute("HOME");
    const char *const base = own ? own : xdg ? xdg : home ? home : "";
    const char *const rest = own ? "" : xdg ? "/sensbench" : home ? "/.cache/sensbench" : "";
    cache->keeps = *base && !(own && strcmp(own, "none") == 0);
    const char *const temporary = absolute("TMPDIR");
    const int length = cache->keeps
                           ? snprintf(cache->path, sizeof cache->path, "%s%s", base, rest)
                           : snprintf(cache->path, sizeof cache->path, "%s", temporary ? temporary : "/tmp");
    return length < (int)sizeof cache->path - 1 ||
           bench_refuse(error, "the path of the cache has %d characters: '%.60s...'", length, cache->path);
}

const char *cache_fault(const struct stat *about)
{
    if (about->st_uid != geteuid()) return "it belongs to another user";
    if (about->st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
    return NULL;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make_and_open(struct cache_folder *cache, struct bench_error *error)
{
    char whole[sizeof cache->path + 1];
    const int descriptor = open_folder(cache->path);
    if (descriptor >= 0 || errno != ENOENT || !cache->keeps) return descriptor;
    snprintf(whole, sizeof whole, "%s/", cache->path); /* its last part too is to be made */
    return make_folders(whole, S_IRWXU, error) ? open_folder(cache->path) : -1;
}

sens_status cache_open(struct cache_folder *cache, struct bench_error *error)
{
    struct stat about;
    if (!choose_path(cache, error)) return SENS_UNAVAILABLE;
    cache->descriptor = make_and_open(cache, error);
    const char *fault = NULL;
    if (cache->descriptor < 0 || fstat(cache->descriptor, &about) != 0)
        fault = strerror(errno);
    else if (cache->keeps)
        fault = cache_fault(&about);
    if (!fault) return SENS_OK;
    bench_refuse(error, "the cache of compiled products is refused, %s: '%.300s'; see SENSBENCH_CACHE", fault,
                 cache->path);
    cache_close(cache);
    return SENS_UNAVAILABLE;
}

void cache_close(struct cache_folder *cache)
{
    if (cache->descriptor >= 0) close(cache->descriptor);
    cache->descriptor = -1;
}

/* ---- where objects are made ---------------------------------------------------------------------------- */

static const char work_prefix[] = ".sensbench-work-";
enum { PREFIX = sizeof work_prefix - 1, RANDOM_DIGITS = 12 };

static sens_status refuse_work(struct work_folder *work, const struct cache_folder *cache, const char *why,
                               struct bench_error *error)
{
    bench_refuse(error, "no folder to compile in can be made, %s: '%.300s'; see SENSBENCH_CACHE", why,
                 cache->path);
    if (work->descriptor >= 0) close(work->descriptor);
    return SENS_IO_ERROR;
}

/* NULL: it is there, open, and the user's. */
static const char *make_work(struct work_folder *work)
{
    struct stat about;
    if (mkdirat(work->parent, work->name, S_IRWXU) != 0) return strerror(errno);
    work->descriptor = openat(work->parent, work->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const char *const fault = work->descriptor < 0 || fstat(work->descriptor, &about) != 0
                                  ? strerror(errno)
                                  : cache_fault(&about); /* below /tmp somebody may have been quicker */
    if (fault) unlinkat(work->parent, work->name, AT_REMOVEDIR);
    return fault;
}

sens_status work_open(struct work_folder *work, const struct cache_folder *cache, struct bench_error *error)
{
    uint64_t number;
    work->parent = cache->descriptor;
    work->descriptor = -1;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return refuse_work(work, cache, strerror(errno), error);
    snprintf(work->name, sizeof work->name, "%s%0*llx", work_prefix, RANDOM_DIGITS,
             (unsigned long long)(number >> (64 - 4 * RANDOM_DIGITS)));
    const char *const fault = make_work(work);
    return fault ? refuse_work(work, cache, fault, error) : SENS_OK;
}

/* What a compiler leaves are files. A folder among them that is not empty stays, and keeps this one. */
static void empty(int descriptor)
{
    const int again = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const folder = again >= 0 ? fdopendir(again) : NULL;
    if (!folder && again >= 0) close(again);
    if (!folder) return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (unlinkat(descriptor, entry->d_name, 0) != 0) unlinkat(descriptor, entry->d_name, AT_REMOVEDIR);
    closedir(folder);
}

void work_remove(struct work_folder *work)
{
    empty(work->descriptor);
    close(work->descriptor);
    work->descriptor = -1;
    unlinkat(work->parent, work->name, AT_REMOVEDIR);
}

bool work_is_name(const char *name)
{
    return strncmp(name, work_prefix, PREFIX) == 0 && strlen(name) == PREFIX + RANDOM_DIGITS &&
           strspn(name + PREFIX, "0123456789abcdef") == RANDOM_DIGITS;
}

void work_remove_old(int parent, const char *name)
{
    struct work_folder work = {.parent = parent};
    snprintf(work.name, sizeof work.name, "%s", name);
    work.descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (work.descriptor >= 0) work_remove(&work);
}
