/* Files that were loaded beside the program, see modules.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "modules.h"

static const struct input *first; /* as the tables that the files fill, the process' */

void inputs_note(const char *path)
{
    const char *const slash = strrchr(path, '/');
    struct input *const input = calloc(1, sizeof *input);
    if (!input) return;
    snprintf(input->name, sizeof input->name, "%s", slash ? slash + 1 : path);
    if (!file_sum(path, &input->sum)) input->sum = 0;
    input->next = first;
    first = input;
}

const struct input *inputs_noted(void)
{
    return first;
}
