/* Files that were loaded beside the program, see modules.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"

static const struct input *first; /* as the tables that the files fill, the process' */

/* Without its folder, and on one line whatever bytes it has. */
static char *name_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    char *const name = strdup(slash ? slash + 1 : path);
    for (char *at = name; at && *at; at++)
        if (iscntrl((unsigned char)*at)) *at = '?';
    return name;
}

bool inputs_note(const char *path, struct bench_error *error)
{
    struct input *const input = malloc(sizeof *input);
    char *const kept = strdup(path), *const name = name_of(path);
    if (!input || !kept || !name) {
        free(input);
        free(kept);
        free(name);
        return bench_refuse(error, "%s: no memory", path);
    }
    *input = (struct input){kept, name, first};
    first = input;
    return true;
}

const struct input *inputs_noted(void)
{
    return first;
}
