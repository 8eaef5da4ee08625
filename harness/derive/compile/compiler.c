/* Which compiler: found in PATH by ourselves, and asked what it is. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile.h"

#include "hash.h"
#include "run.h"

static const double version_seconds = 10;

/* A regular file that may be run. Links stay in its path: some programs look at the name they are run by. */
static bool is_program(const char *path, char found[COMPILER_PATH])
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || access(path, X_OK) != 0) return false;
    return snprintf(found, COMPILER_PATH, "%s", path) < COMPILER_PATH;
}

/* Of PATH, absolute folders alone: the current one may be anyone's. */
static bool find_in_path(const char *name, char found[COMPILER_PATH])
{
    const char *const search = getenv("PATH");
    for (const char *at = search ? search : "/usr/bin:/bin"; at; at = strchr(at, ':')) {
        char path[PATH_MAX];
        at += *at == ':';
        const size_t length = strcspn(at, ":");
        if (*at != '/' || length + strlen(name) + 2 > sizeof path) continue;
        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
        if (is_program(path, found)) return true;
    }
    return false;
}

/* One name, or an absolute path; anything else (a name with arguments) is none that can be run as it is. */
static bool is_usable(const char *cc)
{
    return cc && (*cc == '/' || (*cc && *cc != '-' && !cc[strcspn(cc, "/ \t\r\n")]));
}

static bool find(char found[COMPILER_PATH], struct bench_error *error)
{
    static const char *const usual[] = {"gcc", "cc", "clang"};
    const char *const cc = getenv("CC");
    if (is_usable(cc))
        return (*cc == '/' ? is_program(cc, found) : find_in_path(cc, found)) ||
               bench_refuse(error, "no compiler: CC is '%.300s', which is no program", cc);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (find_in_path(usual[i], found)) return true;
    return bench_refuse(error, "no compiler: neither gcc nor cc nor clang is in PATH, and CC names none");
}

sens_status compiler_find(struct compiler *compiler, struct bench_error *error)
{
    char version[4096];
    if (!find(compiler->path, error)) return SENS_UNAVAILABLE;
    const char *const argument[] = {compiler->path, "--version", NULL};
    const struct run run = {argument, -1, version_seconds, version, sizeof version};
    const sens_status status = run_program(&run, error);
    if (status != SENS_OK) return status;
    struct stat about;
    char behind[PATH_MAX]; /* its links */
    if (stat(compiler->path, &about) != 0 || !realpath(compiler->path, behind)) {
        bench_refuse(error, "%.300s: %s", compiler->path, strerror(errno));
        return SENS_UNAVAILABLE;
    }
    struct sha256_ctx hash;
    sha256_init(&hash);
    hash_text(&hash, compiler->path);
    hash_text(&hash, behind);
    hash_text(&hash, version);
    hash_field(&hash, &about.st_size, sizeof about.st_size);
    hash_field(&hash, &about.st_mtim.tv_sec, sizeof about.st_mtim.tv_sec);
    hash_field(&hash, &about.st_mtim.tv_nsec, sizeof about.st_mtim.tv_nsec);
    hash_digits(&hash, compiler->identity);
    snprintf(compiler->about, sizeof compiler->about, "%.*s", (int)strcspn(version, "\n"), version);
    return SENS_OK;
}
