/* The commands, and the sorting of a command's words into names, flags and key=value pairs. */
#include "cli.h"

#include <string.h>

/* ---- commands ------------------------------------------------------------------------------------------ */

#define FLAG_PLUGIN                                                                                          \
    {                                                                                                        \
        "--plugin", "FILE", "load a module of problems, costs or methods; may be repeated"                   \
    }
#define FLAG_HELP                                                                                            \
    {                                                                                                        \
        "--help", NULL, "this text"                                                                          \
    }
#define FLAGS_END                                                                                            \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

static const struct cli_flag list_flags[] = {
    {"--json", NULL, "one JSON object"}, FLAG_PLUGIN, FLAG_HELP, FLAGS_END};

static const struct cli_flag run_flags[] = {
    {"--dump", "FILE", "write x, G, dGdp, dGdx0 as TSV: quantity row col value"},
    {"--json", NULL, "the record as one JSON object"},
    {"--tsv", NULL, "the record as a header and a row"},
    FLAG_PLUGIN,
    FLAG_HELP,
    FLAGS_END,
};

static const struct cli_flag sweep_flags[] = {
    {"--quick", NULL, "the quick profile"},
    {"--out", "DIR", "folder of the results"},
    {"--resume", NULL, "keep the rows that are there, skip their cells"},
    {"--budget", "SECONDS", "stop when this time is used up; 0: no limit"},
    {"--dry-run", NULL, "list the cells, run nothing"},
    FLAG_PLUGIN,
    FLAG_HELP,
    FLAGS_END,
};

static const struct cli_flag truth_flags[] = {
    {"--rows", "K", "a sample of K outputs"},
    {"--out", "DIR", "store it there"},
    {"--check", NULL, "store nothing; compare with the stored one"},
    FLAG_HELP,
    FLAGS_END,
};

static const struct cli_flag summary_flags[] = {{"--json", NULL, "one JSON object"}, FLAG_HELP, FLAGS_END};

static const struct cli_command commands[] = {
    {.name = "list",
     .arguments = "[problems|costs|methods|tableaux|controllers|variants|sweeps]",
     .summary = "names what there is",
     .flags = list_flags,
     .run = cmd_list},
    {.name = "show",
     .arguments = "NAME",
     .summary = "options with defaults and ranges, capabilities and references of what has this name",
     .flags = list_flags,
     .run = cmd_show},
    {.name = "run",
     .arguments = "PROBLEM METHOD [key=value ...]",
     .summary = "solves one cell and reports state, gradient, errors, work and time",
     .flags = run_flags,
     .takes_keys = true,
     .run = cmd_run},
    {.name = "sweep",
     .arguments = "NAME|FILE ...",
     .summary = "measures every cell of sweep files, each in a process of its own",
     .flags = sweep_flags,
     .run = cmd_sweep},
    {.name = "truth",
     .arguments = "PROBLEM [key=value ...]",
     .summary = "computes a reference solution in two independent ways and stores it",
     .flags = truth_flags,
     .takes_keys = true,
     .run = cmd_truth},
    {.name = "summary",
     .arguments = "RESULTS ...",
     .summary = "tables and the verdict on each published statement",
     .flags = summary_flags,
     .run = cmd_summary},
    {.name = NULL},
};

const struct cli_command *cli_commands(void)
{
    return commands;
}

const struct cli_command *cli_find(const char *name)
{
    for (const struct cli_command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0) return command;
    return NULL;
}

/* ---- words --------------------------------------------------------------------------------------------- */

static bool refuse_flag(const struct cli_command *command, const char *word, struct bench_error *error)
{
    const char *known[CLI_FLAGS];
    size_t count = 0;
    for (; command->flags[count].name; count++) known[count] = command->flags[count].name;
    const char *near = nearest_name(word, known, count);
    return bench_refuse(error, "%s: unknown option '%s'%s%s; see sensbench %s --help", command->name, word,
                        near ? "; did you mean " : "", near ? near : "", command->name);
}

/* The flag that a word begins with, alone or as --flag=value; -1: none. */
static int find_flag(const struct cli_command *command, const char *word)
{
    const size_t length = strcspn(word, "=");
    for (int i = 0; command->flags[i].name; i++)
        if (strlen(command->flags[i].name) == length && strncmp(command->flags[i].name, word, length) == 0)
            return i;
    return strcmp(word, "-h") == 0 ? find_flag(command, "--help") : -1;
}

/* Stores flag number `index`; *next is the word after it, and is taken when the flag needs a value. */
static bool set_flag(const struct cli_command *command, struct cli_arguments *arguments, int index,
                     const char *word, char ***next, struct bench_error *error)
{
    const struct cli_flag *flag = &command->flags[index];
    const char *equals = strchr(word, '='), *value = "";
    const bool plugin = strcmp(flag->name, "--plugin") == 0;
    if (!flag->value && equals)
        return bench_refuse(error, "%s: %s takes no value: '%s'", command->name, flag->name, word);
    if (flag->value) {
        value = equals ? equals + 1 : **next ? *(*next)++ : "";
        if (!value[0])
            return bench_refuse(error, "%s: %s needs a value: %s", command->name, flag->name, flag->value);
    }
    if (plugin) return plugin_load(value, error);
    if (arguments->flag[index])
        return bench_refuse(error, "%s: %s is given twice", command->name, flag->name);
    arguments->flag[index] = value;
    if (strcmp(flag->name, "--help") == 0) arguments->help = true;
    return true;
}

static bool set_pair(struct spec *spec, const char *word, struct bench_error *error)
{
    char key[128];
    const size_t length = strcspn(word, "=");
    snprintf(key, sizeof key, "%.*s", (int)(length < sizeof key ? length : sizeof key - 1), word);
    if (spec_get(spec, key))
        return bench_refuse(error, "command line: %.200s: %s is given twice (the other is %.200s)", word, key,
                            spec_get(spec, key));
    return spec_set(spec, key, word + length + 1, "command line", error);
}

static bool take(const struct cli_command *command, struct cli_arguments *arguments, const char *word,
                 char ***next, struct bench_error *error)
{
    const int index = word[0] == '-' ? find_flag(command, word) : -1;
    if (index >= 0) return set_flag(command, arguments, index, word, next, error);
    if (word[0] == '-') return refuse_flag(command, word, error);
    if (command->takes_keys && strchr(word, '=')) return set_pair(&arguments->spec, word, error);
    if (arguments->words == CLI_WORDS)
        return bench_refuse(error, "%s: too many words: '%s'", command->name, word);
    arguments->word[arguments->words++] = word;
    return true;
}

bool cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_arguments *arguments,
               struct bench_error *error)
{
    *arguments = (struct cli_arguments){.words = 0};
    for (char **next = argv + (argc > 0); *next && !arguments->help;) {
        const char *word = *next++;
        if (take(command, arguments, word, &next, error)) continue;
        spec_free(&arguments->spec);
        return false;
    }
    return true;
}

const char *cli_flag(const struct cli_command *command, const struct cli_arguments *arguments,
                     const char *name)
{
    return arguments->flag[find_flag(command, name)];
}

/* ---- outcomes ------------------------------------------------------------------------------------------ */

int cli_complain(const struct bench_error *error, int code)
{
    fflush(stdout);
    fprintf(stderr, "sensbench: %s\n", error->text);
    return code;
}

int cli_exit_code(sens_status status)
{
    switch (status) {
    case SENS_OK:
        return EXIT_OK;
    case SENS_NOT_REPEATABLE:
        return EXIT_CHECK;
    case SENS_BAD_INPUT:
    case SENS_UNSUPPORTED:
    case SENS_DT_MISFIT:
    case SENS_IO_ERROR:
        return EXIT_USAGE;
    case SENS_UNAVAILABLE:
    case SENS_NO_TRUTH:
        return EXIT_MISSING;
    case SENS_INTERRUPTED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_SOLVER;
    }
}
