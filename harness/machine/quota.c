/* Quotas of control groups (cgroups(7)): version 2 has `cpu.max` with "QUOTA PERIOD" or "max PERIOD", version 1
 * `cpu.cfs_quota_us` (-1: none) and `cpu.cfs_period_us`, both in microseconds.
 *
 * /proc/self/cgroup says which group of a hierarchy the process is in ("0::/path" for version 2,
 * "N:LIST OF CONTROLLERS:/path" for version 1), /proc/self/mountinfo where that hierarchy is mounted, and which of its
 * groups is seen there. What is missing or malformed sets no quota. */
#include "quota.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "first_line.h"

enum { PATH_ROOM = 4096, LONGEST_LINE = 3 * PATH_ROOM };

struct hierarchy {
    bool second;           /* version 2 */
    char group[PATH_ROOM]; /* of this process */
    char top[PATH_ROOM];   /* the group that is seen at the mount point */
    char mount[PATH_ROOM];
};

/* ---- what a group allows ------------------------------------------------------------------------------- */

/* Both positive, and nothing behind them; else INFINITY. */
static double quotient(const char *text)
{
    long long quota, period;
    char rest;
    if (sscanf(text, "%18lld %18lld %c", &quota, &period, &rest) != 2 || quota <= 0 || period <= 0)
        return INFINITY;
    return (double)quota / (double)period;
}

static double group_processors(const char *folder, bool second)
{
    char line[256], period[256], both[512];
    if (second) return first_line(folder, "cpu.max", sizeof line, line) ? quotient(line) : INFINITY;
    if (!first_line(folder, "cpu.cfs_quota_us", sizeof line, line) ||
        !first_line(folder, "cpu.cfs_period_us", sizeof period, period))
        return INFINITY;
    snprintf(both, sizeof both, "%s %s", line, period);
    return quotient(both);
}

/* Of the group and of all above it that can be seen. */
static double least_processors(const char *root, const struct hierarchy *of)
{
    char folder[3 * PATH_ROOM];
    const size_t above = strcmp(of->top, "/") == 0 ? 0 : strlen(of->top);
    const bool below = strncmp(of->group, of->top, above) == 0 && of->group[above] == '/';
    const int length =
        snprintf(folder, sizeof folder, "%s%s%s", root, of->mount, below ? of->group + above : "");
    if (length < 0 || length >= (int)sizeof folder) return INFINITY;
    const size_t shortest = strlen(root) + strlen(of->mount);
    double least = INFINITY;
    for (;;) {
        least = fmin(least, group_processors(folder, of->second));
        char *const last = strrchr(folder, '/');
        if (!last || (size_t)(last - folder) < shortest) return least;
        *last = '\0';
    }
}

/* ---- where it stands ----------------------------------------------------------------------------------- */

/* Is "cpu" one of a list with commas? */
static bool lists_cpu(const char *list, size_t length)
{
    for (size_t at = 0; at < length;) {
        const size_t word = strcspn(list + at, ",");
        const size_t size = word < length - at ? word : length - at;
        if (size == 3 && strncmp(list + at, "cpu", 3) == 0) return true;
        at += size + 1;
    }
    return false;
}

/* "N:LIST:/path" of the hierarchy that has the processors, else false. */
static bool take_group(char *line, struct hierarchy *of)
{
    char *const list = strchr(line, ':'), *const path = list ? strchr(list + 1, ':') : NULL;
    if (!path || path[1] != '/') return false;
    const size_t length = (size_t)(path - list - 1);
    if (of->second ? length != 0 || strncmp(line, "0:", 2) != 0 : !lists_cpu(list + 1, length)) return false;
    snprintf(of->group, sizeof of->group, "%s", path + 1);
    return true;
}

/* "ID PARENT MAJOR:MINOR TOP MOUNT OPTIONS ... - TYPE SOURCE OPTIONS" of that hierarchy, else false. */
static bool take_mount(char *line, struct hierarchy *of)
{
    char type[32], options[256];
    const char *const dash = strstr(line, " - ");
    if (!dash || sscanf(dash, " - %31s %*s %255s", type, options) != 2) return false;
    if (of->second ? strcmp(type, "cgroup2") != 0
                   : strcmp(type, "cgroup") != 0 || !lists_cpu(options, strlen(options)))
        return false;
    return sscanf(line, "%*s %*s %*s %4095s %4095s", of->top, of->mount) == 2;
}

/* The first line of a file below root that is taken. */
static bool find_line(const char *root, const char *name, bool (*take)(char *line, struct hierarchy *of),
                      struct hierarchy *of)
{
    char path[2 * PATH_ROOM], line[LONGEST_LINE];
    bool found = false;
    snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    while (!found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        found = take(line, of);
    }
    fclose(file);
    return found;
}

double quota_processors(const char *root)
{
    double least = INFINITY;
    struct hierarchy *of = malloc(sizeof *of);
    for (int version = 1; of && version <= 2; version++) {
        of->second = version == 2;
        if (find_line(root, "/proc/self/cgroup", take_group, of) &&
            find_line(root, "/proc/self/mountinfo", take_mount, of))
            least = fmin(least, least_processors(root, of));
    }
    free(of);
    return least;
}

int quota_workers(int cores, double processors)
{
    if (processors >= cores) return cores > 1 ? cores : 1;
    return processors >= 1 ? (int)processors : 1;
}
