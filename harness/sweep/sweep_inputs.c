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

static bool add(struct sweep_inputs *inputs, const char *name, unsigned long sum)
{
    if (strlen(name) >= sizeof inputs->input->name || strpbrk(name, "\t\n\r"))
        return true; /* no line can hold it */
    if (sweep_input_find(inputs, name)) return true;
    struct sweep_input *const more = realloc(inputs->input, (inputs->count + 1) * sizeof *more);
    if (!more) return false;
    inputs->input = more;
    struct sweep_input *const input = &more[inputs->count++];
    *input = (struct sweep_input){.sum = sum};
    strcpy(input->name, name);
    return true;
}

/* Cells of one product have most of their values from the cell before. */
static bool add_files(const struct sweep *sweep, size_t c, struct sweep_inputs *inputs)
{
    for (size_t k = 0; k < sweep->cell[c].count; k++) {
        const struct spec_pair *const pair = &sweep->cell[c].pair[k];
        const char *const before = c > 0 ? spec_get(&sweep->cell[c - 1], pair->key) : NULL;
        unsigned long sum;
        if ((before && strcmp(before, pair->value) == 0) || !may_be_file(pair)) continue;
        if (sweep_input_find(inputs, pair->value)) continue;
        if (!file_sum(pair->value, &sum)) sum = 0; /* its cells will say so */
        if (!add(inputs, pair->value, sum)) return false;
    }
    return true;
}

bool sweep_inputs_find(const struct sweep *sweep, struct sweep_inputs *inputs)
{
    bool ok = true;
    *inputs = (struct sweep_inputs){NULL, 0};
    for (const struct input *input = inputs_noted(); input && ok; input = input->next)
        ok = add(inputs, input->name, input->sum);
    for (size_t c = 0; ok && c < sweep->count; c++) ok = add_files(sweep, c, inputs);
    if (!ok) sweep_inputs_free(inputs);
    return ok;
}

void sweep_inputs_free(struct sweep_inputs *inputs)
{
    free(inputs->input);
    *inputs = (struct sweep_inputs){NULL, 0};
}
