/* What was loaded beside the program, by what it offers, see modules.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "modules.h"

static const struct input *first; /* as the tables that the files fill, the process' */

void input_sum(const char *path, char sum[INPUT_SUM])
{
    unsigned long crc;
    if (file_sum(path, &crc))
        snprintf(sum, INPUT_SUM, "%08lx", crc & 0xffffffffUL);
    else
        snprintf(sum, INPUT_SUM, "-");
}

bool input_note(const struct input *from, const char *key, const char *name, struct bench_error *error)
{
    struct input *const input = malloc(sizeof *input);
    char *const path = strdup(from->path), *const own_key = strdup(key), *const own_name = strdup(name);
    if (!input || !path || !own_key || !own_name) {
        free(input);
        free(path);
        free(own_key);
        free(own_name);
        return bench_refuse(error, "%s: no memory", from->path);
    }
    *input = *from;
    input->path = path, input->key = own_key, input->name = own_name;
    input->next = first;
    first = input;
    return true;
}

const struct input *input_find(const char *key, const char *name)
{
    for (const struct input *input = first; input; input = input->next)
        if (strcmp(input->key, key) == 0 && strcmp(input->name, name) == 0) return input;
    return NULL;
}
