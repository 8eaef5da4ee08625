/* Options of modules as new defaults: a copy of the registry, in which the modules that were named have
 * tables of their own. Nothing else of verify has to know that a default is not the module's. */
#include "verify_settings.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "names.h"
#include "values.h"

enum { KINDS = 3, HELD_MAX = 256 };
static const char *const kind_name[KINDS] = {"problem", "cost", "method"};

struct option_table { /* of options; empty where a module has none */
    struct sens_option *option;
};

struct modules { /* copies of those of one kind */
    size_t count;
    char **type;                  /* [count + 1], ends with NULL */
    struct option_table *options; /* [count] */
    const char *pattern;          /* NULL: this kind was not named */
};

struct setter {
    struct sens_ctx *ctx;
    struct modules kind[KINDS];
    struct verify_settings *settings;
    size_t held;
    struct bench_error *error;
};

/* ---- copies -------------------------------------------------------------------------------------------- */

static struct sens_option *copy_options(struct sens_ctx *ctx, const struct sens_option *table)
{
    const size_t count = sens_option_count(table);
    struct sens_option *made = SENS_NEW(ctx, struct sens_option, count + 1);
    if (made && count) memcpy(made, table, count * sizeof *made);
    return made;
}

/* Copies a table of module types of this size, whose name comes first and whose options are at the offset. */
static bool copy_modules(struct setter *setter, int k, const void *types, size_t size, size_t at_options,
                         const char *pattern)
{
    const void *const *const from = types;
    struct modules *const to = &setter->kind[k];
    *to = (struct modules){.pattern = pattern};
    while (from[to->count]) to->count++;
    to->type = SENS_NEW(setter->ctx, char *, to->count + 1);
    to->options = SENS_NEW(setter->ctx, struct option_table, to->count + 1);
    for (size_t i = 0; to->type && to->options && i < to->count; i++) {
        struct option_table *const table = &to->options[i];
        memcpy(table, (const char *)from[i] + at_options, sizeof *table);
        to->type[i] = SENS_NEW(setter->ctx, char, size);
        table->option = copy_options(setter->ctx, table->option);
        if (!to->type[i] || !table->option) return false;
        memcpy(to->type[i], from[i], size);
        memcpy(to->type[i] + at_options, table, sizeof *table);
    }
    return to->type && to->options;
}

static const char *name_of(const struct modules *modules, size_t i)
{
    return *(const char *const *)(const void *)modules->type[i];
}

static bool copy_registry(struct setter *setter, const struct sens_registry *reg,
                          const struct verify_choice *choice)
{
    struct sens_registry *copy = &setter->settings->reg;
    *copy = *reg;
    if (!copy_modules(setter, 0, reg->problems, sizeof(struct sens_problem_type),
                      offsetof(struct sens_problem_type, options), choice->problem) ||
        !copy_modules(setter, 1, reg->costs, sizeof(struct sens_cost_type),
                      offsetof(struct sens_cost_type, options), choice->cost) ||
        !copy_modules(setter, 2, reg->methods, sizeof(struct sens_method_type),
                      offsetof(struct sens_method_type, options), choice->method))
        return false;
    copy->problems = (const void *)setter->kind[0].type;
    copy->costs = (const void *)setter->kind[1].type;
    copy->methods = (const void *)setter->kind[2].type;
    setter->settings->held = SENS_NEW(setter->ctx, const struct sens_option *, HELD_MAX + 1);
    return setter->settings->held != NULL;
}

/* ---- one option ---------------------------------------------------------------------------------------- */

static bool set_one(struct setter *setter, struct sens_option *option, const struct spec_pair *pair)
{
    struct sens_value value = {.number = option->fallback};
    for (size_t i = 0; i < setter->held; i++)
        if (setter->settings->held[i] == option)
            return refuse_pair(setter->error, pair, "the option is given twice");
    if (option->kind == SENS_OPT_DATA)
        return refuse_pair(setter->error, pair, "verify takes no files for options");
    if (option_value(setter->ctx, option, pair, &value, setter->error) != SENS_OK) return false;
    if (setter->held == HELD_MAX) return refuse_pair(setter->error, pair, "too many options");
    option->fallback = value.number;
    setter->settings->held[setter->held++] = option;
    return true;
}

/* *found: how many modules of the kind have the option. */
static bool set_in_kind(struct setter *setter, int k, const char *name, const struct spec_pair *pair,
                        size_t *found)
{
    const struct modules *const modules = &setter->kind[k];
    for (size_t i = 0; modules->pattern && i < modules->count; i++) {
        const int index = sens_option_find(modules->options[i].option, name);
        if (index < 0 || fnmatch(modules->pattern, name_of(modules, i), 0) != 0) continue;
        if (!set_one(setter, &modules->options[i].option[index], pair)) return false;
        ++*found;
    }
    return true;
}

/* The nearest option of the modules that were named; NULL: none is near. */
static const char *nearest_option(const struct setter *setter, const char *word)
{
    const char *known[HELD_MAX];
    size_t count = 0;
    for (int k = 0; k < KINDS; k++) {
        const struct modules *const modules = &setter->kind[k];
        for (size_t i = 0; modules->pattern && i < modules->count; i++)
            for (size_t o = 0; fnmatch(modules->pattern, name_of(modules, i), 0) == 0 &&
                               o < sens_option_count(modules->options[i].option) && count < HELD_MAX;
                 o++)
                known[count++] = modules->options[i].option[o].name;
    }
    return nearest_name(word, known, count);
}

static bool set_pair(struct setter *setter, const struct spec_pair *pair)
{
    const char *const dot = strchr(pair->key, '.'), *const name = dot ? dot + 1 : pair->key;
    const size_t length = dot ? (size_t)(dot - pair->key) : 0;
    size_t found = 0;
    for (int k = 0; k < KINDS && found == 0; k++) {
        const bool named = strlen(kind_name[k]) == length && strncmp(pair->key, kind_name[k], length) == 0;
        if ((!dot || named) && !set_in_kind(setter, k, name, pair, &found)) return false;
    }
    if (found) return true;
    const char *const near = nearest_option(setter, name);
    return refuse_pair(setter->error, pair,
                       "no module that --problem, --cost or --method names has an option '%s'%s%s", name,
                       near ? "; did you mean " : "", near ? near : "");
}

bool settings_apply(struct sens_ctx *ctx, const struct sens_registry *reg, const struct verify_choice *choice,
                    const struct spec *spec, struct verify_settings *settings, struct bench_error *error)
{
    struct setter setter = {.ctx = ctx, .settings = settings, .error = error};
    settings->given[0] = '\0';
    if (!copy_registry(&setter, reg, choice)) return bench_refuse(error, "verify: no memory for the options");
    for (size_t i = 0; i < spec->count; i++) {
        const size_t used = strlen(settings->given);
        if (!set_pair(&setter, &spec->pair[i])) return false;
        snprintf(settings->given + used, sizeof settings->given - used, "%s%s=%s", used ? " " : "",
                 spec->pair[i].key, spec->pair[i].value);
    }
    return true;
}
