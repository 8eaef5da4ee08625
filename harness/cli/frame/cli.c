/* The sorting of a command's words into names, flags and key=value pairs. */
#include "cli.h"

#include <string.h>

#include "contender.h"
#include "exit_codes.h"
#include "model.h"
#include "modules.h"
#include "names.h"
#include "streams.h"

static bool refuse_flag(const struct cli_command *command, const char *word, struct bench_error *error)
{
    const char *known[CLI_FLAGS];
    size_t count = 0;
    for (const struct cli_flag *flag; (flag = cli_flag_at(command, (int)count)); count++)
        known[count] = flag->name;
    const char *near = nearest_name(word, known, count);
    return bench_refuse(error, "%s: unknown option '%s'%s%s; see sensbench %s --help", command->name, word,
                        near ? "; did you mean " : "", near ? near : "", command->name);
}

static const struct {
    const char *letter, *name;
} short_forms[] = {{"-h", "--help"}, {"-j", "--jobs"}, {"-v", "--verbose"}};

/* The flag of this name, of so many characters; -1: none. */
static int flag_named(const struct cli_command *command, const char *name, size_t length)
{
    const struct cli_flag *flag;
    for (int i = 0; (flag = cli_flag_at(command, i)); i++)
        if (strlen(flag->name) == length && strncmp(flag->name, name, length) == 0) return i;
    return -1;
}

/* The flag that a word is: --flag, --flag=value, -f, or -fvalue where the flag takes a value; -1: none. The
 * value that is in the word, or NULL, to *attached. */
static int find_flag(const struct cli_command *command, const char *word, const char **attached)
{
    const size_t length = strcspn(word, "=");
    const int index = flag_named(command, word, length);
    *attached = word[length] ? word + length + 1 : NULL;
    if (index >= 0) return index;
    for (size_t i = 0; i < sizeof short_forms / sizeof short_forms[0]; i++) {
        if (strncmp(word, short_forms[i].letter, 2) != 0) continue;
        const int found = flag_named(command, short_forms[i].name, strlen(short_forms[i].name));
        *attached = word[2] ? word + 2 : NULL;
        return found >= 0 && *attached && !cli_flag_at(command, found)->value ? -1 : found;
    }
    return -1;
}

static bool add_versus(const struct cli_command *command, struct cli_arguments *arguments, const char *value,
                       struct bench_error *error)
{
    if (arguments->versus_count == CLI_VERSUS)
        return bench_refuse(error, "%s: more than %d times --vs", command->name, CLI_VERSUS);
    arguments->versus[arguments->versus_count++] = value;
    return true;
}

/* --plugin, --models, --contender: loaded as they are met. */
static bool load(struct cli_arguments *arguments, const char *flag, const char *value,
                 struct bench_error *error)
{
    if (arguments->loads < CLI_VERSUS) arguments->load[arguments->loads++] = (struct cli_load){flag, value};
    if (strcmp(flag, "--plugin") == 0) return plugin_load(value, error);
    return strcmp(flag, "--models") == 0 ? models_load(value, error) : contender_load(value, error);
}

static bool is_load(const char *flag)
{
    return strcmp(flag, "--plugin") == 0 || strcmp(flag, "--models") == 0 || strcmp(flag, "--contender") == 0;
}

/* Stores flag number `index`; without an attached value, *next is the word after it, and is taken when the
 * flag needs one. */
static bool set_flag(const struct cli_command *command, struct cli_arguments *arguments, int index,
                     const char *attached, char ***next, struct bench_error *error)
{
    const struct cli_flag *flag = cli_flag_at(command, index);
    const char *value = "";
    if (!flag->value && attached)
        return bench_refuse(error, "%s: %s takes no value: '%s'", command->name, flag->name, attached);
    if (flag->value) {
        value = attached ? attached : **next ? *(*next)++ : "";
        if (!value[0])
            return bench_refuse(error, "%s: %s needs a value: %s", command->name, flag->name, flag->value);
    }
    if (is_load(flag->name)) return load(arguments, flag->name, value, error);
    if (strcmp(flag->name, "--vs") == 0) return add_versus(command, arguments, value, error);
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
    const char *attached = NULL;
    const int index = word[0] == '-' ? find_flag(command, word, &attached) : -1;
    if (index >= 0) return set_flag(command, arguments, index, attached, next, error);
    if (word[0] == '-') return refuse_flag(command, word, error);
    if ((command->takes_keys || command->takes_options) && strchr(word, '='))
        return set_pair(&arguments->spec, word, error);
    if (arguments->words == CLI_WORDS)
        return bench_refuse(error, "%s: too many words: '%s'", command->name, word);
    arguments->word[arguments->words++] = word;
    return true;
}

bool cli_parse(const struct cli_command *command, char **argv, struct cli_arguments *arguments,
               struct bench_error *error)
{
    *arguments = (struct cli_arguments){.words = 0};
    for (char **next = argv + 1; *next && !arguments->help;) {
        const char *word = *next++;
        if (take(command, arguments, word, &next, error)) continue;
        spec_free(&arguments->spec);
        return false;
    }
    return true;
}

int cli_run(const struct cli_command *command, char **argv)
{
    struct cli_arguments arguments;
    struct bench_error error;
    if (!cli_parse(command, argv, &arguments, &error)) return cli_complain(&error, EXIT_USAGE);
    if (arguments.help) help_command(our_stdout(), command);
    const int code = arguments.help ? EXIT_OK : command->run(command, &arguments);
    spec_free(&arguments.spec);
    return code;
}

const char *cli_flag(const struct cli_command *command, const struct cli_arguments *arguments,
                     const char *name)
{
    return arguments->flag[flag_named(command, name, strlen(name))];
}

bool cli_take_names(const struct cli_command *command, struct cli_arguments *arguments,
                    struct bench_error *error)
{
    static const char *const key[] = {"problem", "method"};
    const size_t words = arguments->words;
    if (words > 2)
        return bench_refuse(error, "%s: unexpected word '%s'; values are given as key=value", command->name,
                            arguments->word[2]);
    for (size_t i = 0; i < words; i++) {
        const char *given = spec_get(&arguments->spec, key[i]);
        if (given)
            return bench_refuse(error, "%s: %s=%s and the word '%s'", command->name, key[i], given,
                                arguments->word[i]);
        if (!spec_set(&arguments->spec, key[i], arguments->word[i], "command line", error)) return false;
    }
    return true;
}
