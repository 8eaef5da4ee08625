/* What a sweep is given beside the program: what was loaded and offers a name that a cell asks for (modules.h), and the
 * files that keys of its cells name. An item is the pair of a cell that stands for it, "problem=mine" or
 * "params=rate.txt", with the CRC-32 of the file. A row keeps those of its cell, each as "SUM KEY=VALUE", a TAB between
 * two: no value has one in it (spec.h). */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "modules.h"
#include "resolve.h"
#include "sweep_file.h"

/* ---- which pairs ---------------------------------------------------------------------------------------- */

static bool is_word(const struct bench_key *key, const char *value)
{
    for (const char *const *word = key->words; word && *word; word++)
        if (strcmp(*word, value) == 0) return true;
    return false;
}

static const char *name_of(const struct spec *spec, const char *key)
{
    const char *const given = spec_get(spec, key);
    return given ? given : bench_key_find(key)->fallback;
}

/* "data", or "cost.data": of the first of problem, cost and method that has it, or of the one that is named. */
static bool option_takes_file(const struct spec *spec, const char *key)
{
    const struct sens_registry *const reg = variant_all()[0];
    const struct sens_problem_type *const problem = find_problem(reg, name_of(spec, "problem"));
    const struct sens_cost_type *const cost = find_cost(reg, name_of(spec, "cost"));
    const struct sens_method_type *const method = find_method(reg, name_of(spec, "method"));
    const struct {
        const char *owner;
        const struct sens_option *options;
    } table[] = {{"problem.", problem ? problem->options : NULL},
                 {"cost.", cost ? cost->options : NULL},
                 {"method.", method ? method->options : NULL}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const size_t length = strlen(table[k].owner);
        const bool named = strncmp(key, table[k].owner, length) == 0;
        if (!table[k].options || (!named && strchr(key, '.'))) continue;
        const int option = sens_option_find(table[k].options, named ? key + length : key);
        if (option >= 0) return table[k].options[option].kind == SENS_OPT_DATA;
    }
    return false;
}

static bool names_file(const struct spec *spec, const struct spec_pair *pair)
{
    double number;
    const struct bench_key *const key = bench_key_find(pair->key);
    if (!key) return option_takes_file(spec, pair->key);
    return key->kind == KEY_FILE ||
           (key->kind == KEY_REALS && !is_word(key, pair->value) && !read_number(pair->value, &number));
}

/* ---- what they hold ------------------------------------------------------------------------------------- */

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* What is there now; a file that nobody has touched is not read again, and a pipe not at all. */
static void look(struct sweep_input *input)
{
    struct stat now;
    if (!input->path) return; /* loaded: it stays what it was */
    const bool there = stat(input->path, &now) == 0 && S_ISREG(now.st_mode);
    if (there && input->seen && same_file(&now, &input->about)) return;
    strcpy(input->now, "-");
    if (there) input_sum(input->path, input->now);
    input->seen = there;
    input->about = now;
}

struct sweep_input *sweep_input_find(const struct sweep_inputs *inputs, const char *key, const char *value)
{
    for (size_t k = 0; k < inputs->count; k++)
        if (strcmp(inputs->input[k].key, key) == 0 && strcmp(inputs->input[k].value, value) == 0)
            return &inputs->input[k];
    return NULL;
}

static bool add(struct sweep_inputs *inputs, const struct spec_pair *pair, const struct input *loaded)
{
    struct sweep_input *const more = realloc(inputs->input, (inputs->count + 1) * sizeof *more);
    if (!more) return false;
    inputs->input = more;
    struct sweep_input *const input = &more[inputs->count++];
    *input = (struct sweep_input){
        .key = pair->key, .value = pair->value, .file = loaded ? loaded->path : pair->value};
    if (!loaded || loaded->read_again) input->path = loaded ? loaded->path : pair->value;
    if (loaded) memcpy(input->now, loaded->sum, sizeof input->now);
    look(input);
    memcpy(input->sum, input->now, sizeof input->sum);
    return true;
}

/* Cells of one product have most of their values from the cell before. */
static bool add_cell(const struct sweep *sweep, size_t c, struct sweep_inputs *inputs)
{
    for (size_t k = 0; k < sweep->cell[c].count; k++) {
        const struct spec_pair *const pair = &sweep->cell[c].pair[k];
        const char *const before = c > 0 ? spec_get(&sweep->cell[c - 1], pair->key) : NULL;
        if (before && strcmp(before, pair->value) == 0) continue;
        const struct input *const loaded = input_find(pair->key, pair->value);
        if ((loaded || names_file(&sweep->cell[c], pair)) &&
            !sweep_input_find(inputs, pair->key, pair->value) && !add(inputs, pair, loaded))
            return false;
    }
    return true;
}

bool sweep_inputs_find(const struct sweep *sweep, struct sweep_inputs *inputs)
{
    *inputs = (struct sweep_inputs){NULL, 0};
    bool ok = true;
    for (size_t c = 0; ok && c < sweep->count; c++) ok = add_cell(sweep, c, inputs);
    if (!ok) sweep_inputs_free(inputs);
    return ok;
}

void sweep_inputs_free(struct sweep_inputs *inputs)
{
    free(inputs->input);
    *inputs = (struct sweep_inputs){NULL, 0};
}

/* ---- of one cell ---------------------------------------------------------------------------------------- */

const struct sweep_input *sweep_inputs_changed(const struct sweep_inputs *inputs, const struct spec *spec)
{
    for (size_t k = 0; k < spec->count; k++) {
        struct sweep_input *const input = sweep_input_find(inputs, spec->pair[k].key, spec->pair[k].value);
        if (!input) continue;
        look(input);
        if (strcmp(input->now, input->sum) != 0) return input;
    }
    return NULL;
}

bool sweep_inputs_write(const struct sweep_inputs *inputs, const struct spec *spec, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < spec->count; k++) {
        const struct sweep_input *const input =
            sweep_input_find(inputs, spec->pair[k].key, spec->pair[k].value);
        if (!input) continue;
        const int length = snprintf(text + used, size - used, "%s%s %s=%s", used > 0 ? "\t" : "", input->sum,
                                    input->key, input->value);
        if (length < 0 || (size_t)length >= size - used) return false;
        used += (size_t)length;
    }
    return true;
}

/* "SUM KEY=VALUE", so many bytes. */
static const struct sweep_input *item_changed(const struct sweep_inputs *inputs, const char *item,
                                              size_t length)
{
    for (size_t k = 0; k < inputs->count; k++) {
        const struct sweep_input *const input = &inputs->input[k];
        const size_t sum = strcspn(item, " "), key = strlen(input->key), value = strlen(input->value);
        if (sum + key + value + 2 != length || strncmp(item + sum + 1, input->key, key) != 0 ||
            item[sum + 1 + key] != '=' || strncmp(item + sum + key + 2, input->value, value) != 0)
            continue;
        return strlen(input->sum) != sum || strncmp(item, input->sum, sum) != 0 ? input : NULL;
    }
    return NULL;
}

const struct sweep_input *sweep_inputs_differ(const struct sweep_inputs *inputs, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\t");
        const struct sweep_input *const changed = item_changed(inputs, text, length);
        if (changed) return changed;
        text += length + (text[length] == '\t');
    }
    return NULL;
}
