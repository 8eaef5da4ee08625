/* harness/derive/compile/folder.h - the folder of the cache, and those in which objects are made.
 *
 * Folders are opened once, looked at through the descriptor, and used through it. */
#ifndef COMPILE_FOLDER_H
#define COMPILE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "refuse.h"
#include "sens/status.h"

struct cache_folder {
    int descriptor; /* of the cache; where nothing is kept, of what private folders are made in */
    bool keeps;
    char path[4096]; /* for messages */
};
/* By the environment, see compile.h; made with its parents where it is not there. SENS_UNAVAILABLE and a
 * sentence: it cannot be had, or is not the user's alone. */
sens_status cache_open(struct cache_folder *cache, struct bench_error *error);
void cache_close(struct cache_folder *cache);

/* Does it belong to the user, and may nobody else write to it? What is wrong, in words; NULL: all is well. */
const char *cache_fault(const struct stat *about);

struct work_folder {
    int parent, descriptor;
    char name[32];
};
/* A new folder for one object, for the user alone. */
sens_status work_open(struct work_folder *work, const struct cache_folder *cache, struct bench_error *error);
void work_remove(struct work_folder *work);
/* A folder of this name that a process which was killed has left behind. */
bool work_is_name(const char *name);
void work_remove_old(int parent, const char *name);

#endif
