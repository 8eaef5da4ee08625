/* What a sweep is given beside the program: the modules, models and contenders that were loaded (modules.h), by the
 * names of their files without folders, and the files that keys of its cells name, by these values. Each with the
 * CRC-32 of what it holds, as the prelude of a result file has it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "modules.h"
#include "sweep_file.h"

/* Among the keys that every cell has few take a file; an option of a module that has the value of one does. */
static bool may_be_file(const struct spec_pair *pair)
{
    struct stat about;
    for (const struct bench_key *key = bench_keys(); key->name; key++)
        if (strcmp(key->name, pair->key) == 0 && key->kind != KEY_FILE && key->kind != KEY_REALS)
            return false;
    return stat(pair->value, &about) == 0 && S_ISREG(about.st_mode);
}

struct sweep_input *sweep_input_find(const struct sweep_inputs *inputs, const char *name)
{
    for (size_t k = 0; k < inputs->count; k++)
        if (strcmp(inputs->input[k].name, name) == 0) return &inputs->input[k];
    return NULL;
}

/* Files of one name, in two folders, have one sum. One that may be run, but not read, has 0. */
static bool add(struct sweep_inputs *inputs, const char *name, const char *path)
{
    struct sweep_input *input = sweep_input_find(inputs, name);
    unsigned long sum;
    if (!input) {
        struct sweep_input *const more = realloc(inputs->input, (inputs->count + 1) * sizeof *more);
        if (!more) return false;
        inputs->input = more;
        input = &more[inputs->count++];
        *input = (struct sweep_input){.name = name};
    }
    if (file_sum(path, &sum)) input->sum = (input->sum + sum) & 0xffffffffUL;
    return true;
}

static bool add_loaded(struct sweep_inputs *inputs)
{
    for (const struct input *input = inputs_noted(); input; input = input->next)
        if (!add(inputs, input->name, input->path)) return false;
    return true;
}

/* Cells of one product have most of their values from the cell before. */
static bool add_files(const struct sweep *sweep, size_t c, struct sweep_inputs *inputs)
{
    for (size_t k = 0; k < sweep->cell[c].count; k++) {
        const struct spec_pair *const pair = &sweep->cell[c].pair[k];
        const char *const before = c > 0 ? spec_get(&sweep->cell[c - 1], pair->key) : NULL;
        if (before && strcmp(before, pair->value) == 0) continue;
        if (may_be_file(pair) && !sweep_input_find(inputs, pair->value) &&
            !add(inputs, pair->value, pair->value))
            return false;
    }
    return true;
}

bool sweep_inputs_find(const struct sweep *sweep, struct sweep_inputs *inputs)
{
    *inputs = (struct sweep_inputs){NULL, 0};
    bool ok = add_loaded(inputs);
    for (size_t c = 0; ok && c < sweep->count; c++) ok = add_files(sweep, c, inputs);
    if (!ok) sweep_inputs_free(inputs);
    return ok;
}

void sweep_inputs_free(struct sweep_inputs *inputs)
{
    free(inputs->input);
    *inputs = (struct sweep_inputs){NULL, 0};
}
