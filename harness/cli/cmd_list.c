/* sensbench list: what there is, by name. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "exit_codes.h"
#include "json.h"
#include "modules.h"
#include "names.h"
#include "peers.h"
#include "record.h"
#include "streams.h"
#include "sweep_file.h"

struct entry { /* a line: name and what it is */
    const char *name, *summary;
};
enum { ENTRIES_MAX = 256, PEERS_MAX = 16 };
struct list {
    size_t count;
    struct entry entry[ENTRIES_MAX];
    char **owned; /* names to be freed, or NULL */
};

static void add(struct list *list, const char *name, const char *summary)
{
    if (list->count < ENTRIES_MAX) list->entry[list->count++] = (struct entry){name, summary};
}

static void list_problems(const struct sens_registry *reg, struct list *list)
{
    for (size_t i = 0; reg->problems[i]; i++) add(list, reg->problems[i]->name, reg->problems[i]->summary);
}

static void list_costs(const struct sens_registry *reg, struct list *list)
{
    for (size_t i = 0; reg->costs[i]; i++) add(list, reg->costs[i]->name, reg->costs[i]->summary);
}

/* Those of other libraries among them, or what they lack. */
static void list_methods(const struct sens_registry *reg, struct list *list)
{
    static struct bench_error lacking[PEERS_MAX];
    const char *name[PEERS_MAX];
    const size_t peers = peer_names(PEER_METHOD, name, PEERS_MAX);
    for (size_t i = 0; i < peers; i++) peer_load(PEER_METHOD, name[i], &lacking[i]);
    for (size_t i = 0; reg->methods[i]; i++) add(list, reg->methods[i]->name, reg->methods[i]->summary);
    for (size_t i = 0; i < peers; i++)
        if (!find_method(reg, name[i])) add(list, name[i], lacking[i].text);
}

static bool named(const char *const name[], size_t count, const char *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name[i], wanted) == 0) return true;
    return false;
}

static void list_providers(const struct sens_registry *reg, struct list *list)
{
    static struct bench_error lacking[PEERS_MAX];
    const char *name[PEERS_MAX];
    const size_t peers = peer_names(PEER_PROVIDER, name, PEERS_MAX);
    add(list, "hand", "derivative products as the problem has them");
    for (size_t i = 0; reg->providers && reg->providers[i]; i++)
        if (!named(name, peers, reg->providers[i]->name))
            add(list, reg->providers[i]->name, reg->providers[i]->summary);
    for (size_t i = 0; i < peers; i++) {
        peer_load(PEER_PROVIDER, name[i], &lacking[i]);
        const struct sens_provider *provider = find_provider(name[i]);
        add(list, name[i], provider ? provider->summary : lacking[i].text);
    }
}

static void list_tableaux(const struct sens_registry *reg, struct list *list)
{
    for (size_t i = 0; reg->tableaux[i]; i++) add(list, reg->tableaux[i]->name, reg->tableaux[i]->summary);
    for (size_t i = 0; reg->implicit_tableaux[i]; i++)
        add(list, reg->implicit_tableaux[i]->name, reg->implicit_tableaux[i]->summary);
}

static void list_controllers(const struct sens_registry *reg, struct list *list)
{
    for (size_t i = 0; reg->controllers[i]; i++)
        add(list, reg->controllers[i]->name, reg->controllers[i]->summary);
}

static void list_policies(const struct sens_registry *reg, struct list *list)
{
    for (size_t i = 0; reg->ckpt_policies[i]; i++)
        add(list, reg->ckpt_policies[i]->name, reg->ckpt_policies[i]->summary);
}

static void list_variants(const struct sens_registry *reg, struct list *list)
{
    struct bench_error error;
    (void)reg;
    const struct sens_registry *best = variant_find("auto", &error);
    for (const struct sens_registry *const *variant = variant_all(); *variant; variant++)
        add(list, (*variant)->isa,
            *variant == best              ? "supported by this CPU, chosen by isa=auto"
            : variant_supported(*variant) ? "supported by this CPU"
                                          : "not supported by this CPU");
}

static void list_sweeps(const struct sens_registry *reg, struct list *list)
{
    size_t count;
    (void)reg;
    list->owned = sweep_names(&count);
    for (size_t i = 0; list->owned && i < count; i++) add(list, list->owned[i], "");
}

/* "kind, unit: meaning" of each column of a result file; results/FORMAT.md is made from it (format.sh). */
static void list_columns(const struct sens_registry *reg, struct list *list)
{
    (void)reg;
#define KIND_TEXT                             "text"
#define KIND_INT                              "whole number"
#define KIND_REAL                             "number"
#define ADD_COLUMN(name, kind, unit, meaning) add(list, #name, KIND_##kind ", " unit ": " meaning);
    RECORD_COLUMNS(ADD_COLUMN)
#undef ADD_COLUMN
}

static const struct {
    const char *name;
    void (*fill)(const struct sens_registry *reg, struct list *list);
} kinds[] = {
    {"problems", list_problems},   {"costs", list_costs},       {"methods", list_methods},
    {"providers", list_providers}, {"tableaux", list_tableaux}, {"controllers", list_controllers},
    {"policies", list_policies},   {"variants", list_variants}, {"sweeps", list_sweeps},
    {"columns", list_columns},
};
/* The last is listed only when it is asked for: files have columns, the program does not. */
enum { KINDS = sizeof kinds / sizeof kinds[0], MODULES = KINDS - 1 };

static void release(struct list *list)
{
    for (size_t i = 0; list->owned && list->owned[i] && i < list->count; i++) free(list->owned[i]);
    free(list->owned);
}

static void print_text(const struct list *list, const char *title)
{
    if (title) say("%s:\n", title);
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *entry = &list->entry[i];
        if (entry->summary[0])
            say("%s%-18s %s\n", title ? "  " : "", entry->name, entry->summary);
        else
            say("%s%s\n", title ? "  " : "", entry->name);
    }
}

static json_t *json_of(const struct list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_pack("{s:o, s:o}", "name", json_of_text(list->entry[i].name),
                                               "summary", json_of_text(list->entry[i].summary)));
    return array;
}

/* kind KINDS: all of them. */
static int print(size_t kind, bool json)
{
    struct bench_error error;
    const struct sens_registry *reg = variant_find("auto", &error);
    json_t *object = json ? json_object() : NULL;
    const int code = kind == KINDS || kinds[kind].fill == list_problems ? cli_read_problems() : EXIT_OK;
    for (size_t k = 0; k < KINDS; k++) {
        struct list list = {.count = 0};
        if (kind != KINDS ? k != kind : k >= MODULES) continue;
        kinds[k].fill(reg, &list);
        if (json)
            json_object_set_new(object, kinds[k].name, json_of(&list));
        else
            print_text(&list, kind == KINDS ? kinds[k].name : NULL);
        release(&list);
    }
    if (json) {
        json_dumpf(object, our_stdout(), JSON_INDENT(2));
        say("\n");
        json_decref(object);
    }
    return code;
}

static bool find_kind(const char *word, size_t *kind, struct bench_error *error)
{
    const char *known[KINDS];
    for (*kind = 0; *kind < KINDS; ++*kind)
        if (strcmp(kinds[*kind].name, word) == 0) return true;
    for (size_t k = 0; k < KINDS; k++) known[k] = kinds[k].name;
    const char *near = nearest_name(word, known, KINDS);
    return bench_refuse(error, "list: '%s' is no kind of things%s%s; see sensbench list --help", word,
                        near ? "; did you mean " : "", near ? near : "");
}

int cmd_list(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct bench_error error;
    size_t kind = KINDS;
    if (arguments->words > 1) {
        bench_refuse(&error, "list: one kind at a time, not also '%s'", arguments->word[1]);
        return cli_complain(&error, EXIT_USAGE);
    }
    if (arguments->words && !find_kind(arguments->word[0], &kind, &error))
        return cli_complain(&error, EXIT_USAGE);
    return print(kind, cli_flag(command, arguments, "--json") != NULL);
}
